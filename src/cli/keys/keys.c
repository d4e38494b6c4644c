/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto keys: which keys of the keyring can be used here, for kcrypto-keys(7). Asks the kernel by
 * trying, in a child, because a filter may punish the question.
 */
#include "cli/keys/keys.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <openssl/crypto.h>

#include "cli/child.h"
#include "cli/cli.h"
#include "cli/table.h"
#include "core/backend.h"
#include "keys/named.h"
#include "session/session.h"

#define NAME	"kcrypto:probe"
#define KEY_LEN 32 /* bytes; an encrypted key has at least 20 */

struct type {
	const char *name;
	const char *payload; /* for a key to try; "": that takes a device */
};

/* The first one is the master of an encrypted key. */
static const struct type types[KC_KEY_TYPES] = {
	{ "user", "thirty-two bytes, of no use else" },
	{ "logon", "thirty-two bytes, of no use else" },
	{ "encrypted", "new default user:" NAME " 32" },
	{ "trusted", "" },
};

const char *kc_keys_why(int result)
{
	if (result == KC_KEY_UNTRIED)
		return "not tried: only a device can make such a key";
	if (result == -ETIMEDOUT)
		return "the driver did not answer";
	if (!result)
		return "";
	return kc_keys_explain(result);
}

/*
 * Opens a session with the key. 0 or, if no backend takes it, the -errno of the last one that
 * exists and takes serial numbers. A key of 64 bytes is for XTS.
 */
static int take_key(int32_t serial, size_t len)
{
	const struct kc_key key = { .serial = serial, .len = len };
	enum kc_alg_id id = len == 64 ? KC_ALG_AES_256_XTS : KC_ALG_AES_256_CBC;
	int err = -EAFNOSUPPORT;

	for (const struct kc_backend *const *b = kc_backends; *b && err; b++) {
		struct kc_session s = { .fd = -1, .limit = KC_MAX_REQUEST };

		if (!(*b)->copy || !kc_backend_exists(*b, true))
			continue;
		err = kc_session_begin(&s, *b, &kc_algs[id], "", &key);
		if (!err)
			kc_session_drop(&s);
	}
	return err;
}

static int try_type(const struct type *type)
{
	int32_t serial = 0;
	int err = kc_keyring_add(type->name, NAME, type->payload, strlen(type->payload),
				 KC_RING_PROCESS, &serial);

	if (!*type->payload && err == -EINVAL)
		return KC_KEY_UNTRIED;
	if (err || !*type->payload)
		return err;
	return take_key(serial, KEY_LEN);
}

int kc_keys_try(const char *name)
{
	struct kc_named_key key;
	size_t len = KEY_LEN;
	int err = kc_named_key_find(&key, name);

	if (err)
		return err;
	kc_keyring_length(key.serial, key.type, &len);
	return take_key(key.serial, len);
}

/* In one process, whose keyring has the master of the encrypted key. */
static void try_types(void *data)
{
	int *result = data;

	for (size_t i = 0; i < KC_KEY_TYPES; i++)
		result[i] = try_type(&types[i]);
}

void kc_keys_probe(int result[KC_KEY_TYPES])
{
	struct kc_child child;
	int err = -EPERM;

	if (kc_child_ask(&child, try_types, result, KC_KEY_TYPES * sizeof(*result),
			 KC_CHILD_SECONDS))
		return;
	if (child.is_silent)
		err = -ETIMEDOUT;
	for (size_t i = 0; i < KC_KEY_TYPES; i++)
		result[i] = err;
}

/* Adds the drivers of wrapped keys in /proc/crypto. An internal driver is for the kernel itself. */
static void add_wrapped(struct json_object *drivers)
{
	KC_FILE *list = fopen("/proc/crypto", "re");
	char line[256], word[64], driver[64] = "";
	bool is_one = false;

	while (list && fgets(line, sizeof(line), list)) {
		if (sscanf(line, "name : %63s", word) == 1)
			is_one = strstr(word, "(paes)") != NULL;
		sscanf(line, "driver : %63s", driver);
		if (is_one && sscanf(line, "internal : %63s", word) == 1 && strcmp(word, "no") == 0)
			json_object_array_add(drivers, json_object_new_string(driver));
	}
}

static struct json_object *report(void)
{
	struct json_object *o = json_object_new_object(), *taken;
	struct json_object *array = kc_json_array(o, "types");
	int result[KC_KEY_TYPES];

	kc_keys_probe(result);
	for (size_t i = 0; i < KC_KEY_TYPES; i++) {
		taken = NULL;
		if (result[i] <= 0)
			taken = json_object_new_boolean(!result[i]);
		kc_json(kc_json_row(array), "type=%s taken=%p why=%s", types[i].name, taken,
			kc_keys_why(result[i]));
	}
	add_wrapped(kc_json_array(o, "protected"));
	return o;
}

static bool json;

static const struct kc_option options[] = {
	{ "json", NULL, "prints JSON", .flag = &json },
	{ NULL },
};

static void print_keys(struct json_object *o)
{
	static const struct kc_column columns[] = {
		{ "TYPE", "type" },
		{ "USABLE", "taken" },
		{ "WHY NOT", "why" },
	};
	struct json_object *wrapped = json_object_object_get(o, "protected");

	kc_table_print(stdout, columns, 3, json_object_object_get(o, "types"));
	for (size_t i = 0; i < json_object_array_length(wrapped); i++)
		printf("%s is a driver of wrapped keys.\n",
		       json_object_get_string(json_object_array_get_idx(wrapped, i)));
	if (OpenSSL_version_num() < 0x30500000)
		printf("kcrypto-keys(7) needs OpenSSL 3.5 or later; this is %s.\n",
		       OpenSSL_version(OPENSSL_VERSION));
}

static int run_keys(const struct kc_args *args)
{
	struct json_object *o = report();

	(void)args;
	if (!json)
		print_keys(o);
	kc_json_finish(stdout, o, json);
	return KC_EXIT_OK;
}

const struct kc_command kc_cmd_keys = {
	.name = "keys",
	.about = "shows which keys of the kernel's keyring can be used",
	.options = options,
	.run = run_keys,
};
