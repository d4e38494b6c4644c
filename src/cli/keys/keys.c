/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto keys: which keys of the kernel can be used here, for kcrypto-keys(7). Asks the kernel by
 * trying, in a child, as a filter may punish the question.
 */
#include "cli/keys/keys.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "cli/child.h"
#include "cli/cli.h"
#include "cli/table.h"
#include "core/backend.h"
#include "keys/explain.h"
#include "session/session.h"

#define NAME	"kcrypto:probe"
#define KEY_LEN 32 /* bytes; an encrypted key has at least 20 */

struct type {
	const char *name;
	const char *payload;
	bool is_only_looked_for; /* to make one takes a device */
};

/* The first one is the master of an encrypted key. */
static const struct type types[KC_KEY_TYPES] = {
	{ "user", "thirty-two bytes, of no use else", false },
	{ "logon", "thirty-two bytes, of no use else", false },
	{ "encrypted", "new default user:" NAME " 32", false },
	{ "trusted", "", true },
};

const char *kc_keys_why(int result)
{
	if (result == KC_KEY_UNTRIED)
		return "it is there, but was not tried, since such a key takes a device";
	if (result == -ETIMEDOUT)
		return "the driver did not answer";
	return result ? kc_keys_explain(result) : "";
}

/*
 * 0 or -errno: of the last backend that is there and takes serial numbers, if none takes this one.
 * A key of 64 bytes is one for XTS.
 */
static int take(int32_t serial, size_t len)
{
	const struct kc_key key = { .serial = serial, .len = len };
	const struct kc_alg *alg = &kc_algs[len == 64 ? KC_ALG_AES_256_XTS : KC_ALG_AES_256_CBC];
	int err = -EAFNOSUPPORT;

	for (const struct kc_backend *const *b = kc_backends; *b && err; b++) {
		struct kc_session s = { .fd = -1, .limit = KC_MAX_REQUEST };

		if (!(*b)->copy || ((*b)->exists && !(*b)->exists(true)))
			continue;
		err = kc_session_begin(&s, *b, alg, "", &key);
		if (!err)
			kc_session_drop(&s);
	}
	return err;
}

static int try(const struct type *type)
{
	int32_t serial = 0;
	int err = kc_keyring.add(type->name, NAME, type->payload, strlen(type->payload),
				 KC_RING_PROCESS, &serial);

	if (type->is_only_looked_for)
		return err == -EINVAL ? KC_KEY_UNTRIED : err;
	return err ? err : take(serial, KEY_LEN);
}

/* "TYPE;UID;GID;PERMISSIONS;DESCRIPTION"; the description does not matter here. */
static int find_type(int32_t serial, char type[KC_KEY_TYPE_SIZE])
{
	char text[4200];
	int err = kc_keyring.describe(serial, text, sizeof(text));

	if (!err)
		snprintf(type, KC_KEY_TYPE_SIZE, "%.*s", (int)strcspn(text, ";"), text);
	return err;
}

int kc_keys_try(const char *name)
{
	const char *colon = strchr(name, ':');
	char type[KC_KEY_TYPE_SIZE] = "";
	int32_t serial = atoi(name);
	size_t len = KEY_LEN;
	int err;

	if (colon) {
		snprintf(type, sizeof(type), "%.*s", (int)(colon - name), name);
		err = kc_keyring.find(type, colon + 1, &serial);
	} else {
		err = serial > 0 ? find_type(serial, type) : -EINVAL;
	}
	if (err)
		return err;
	kc_keyring.length(serial, type, &len);
	return take(serial, len);
}

struct question {
	const struct type *type;
	int result;
};

static void try_type(void *data)
{
	struct question *q = data;

	q->result = try(q->type);
}

/* All types are asked of one driver: once it hangs, it is not asked again. */
static void try_types(int *result)
{
	int missing = 0; /* an errno, once an answer has not come */

	for (size_t i = 0; i < KC_KEY_TYPES; i++) {
		struct question q = { .type = &types[i] };
		struct kc_child child;

		if (!missing && !kc_child_ask(&child, try_type, &q, sizeof(q), KC_CHILD_SECONDS))
			missing = child.is_silent ? -ETIMEDOUT : -EPERM;
		result[i] = missing ? missing : q.result;
	}
}

/* An internal driver is for the kernel itself. */
static void read_list(struct kc_keys_probe *p, FILE *list)
{
	char line[256], word[64], driver[sizeof(p->wrapped[0])] = "";
	bool is_one = false;

	while (fgets(line, sizeof(line), list) && p->n_wrapped < KC_MAX_WRAPPED) {
		if (sscanf(line, "name : %63s", word) == 1)
			is_one = strstr(word, "(paes)") != NULL;
		sscanf(line, "driver : %63s", driver);
		if (is_one && sscanf(line, "internal : %63s", word) == 1 && strcmp(word, "no") == 0)
			memcpy(p->wrapped[p->n_wrapped++], driver, sizeof(driver));
	}
}

void kc_keys_probe(struct kc_keys_probe *p, FILE *list)
{
	*p = (struct kc_keys_probe){ .n_wrapped = 0 };
	try_types(p->result);
	if (list) {
		read_list(p, list);
		fclose(list);
	}
}

struct json_object *kc_keys_json(const struct kc_keys_probe *p)
{
	struct json_object *o = json_object_new_object(), *taken;
	struct json_object *array = kc_json_array(o, "types"), *drivers;

	for (size_t i = 0; i < KC_KEY_TYPES; i++) {
		taken = p->result[i] <= 0 ? json_object_new_boolean(!p->result[i]) : NULL;
		kc_json_row(array, "type=%s taken=%p why=%s", types[i].name, taken,
			    kc_keys_why(p->result[i]));
	}
	drivers = kc_json_array(o, "protected");
	for (size_t i = 0; i < p->n_wrapped; i++)
		json_object_array_add(drivers, json_object_new_string(p->wrapped[i]));
	return o;
}

static bool json;

static const struct kc_option options[] = {
	{ "json", NULL, "prints JSON", .flag = &json },
	{ NULL },
};

static void print_text(const struct kc_keys_probe *p, struct json_object *rows)
{
	static const struct kc_column columns[] = {
		{ "TYPE", "type" },
		{ "USABLE", "taken" },
		{ "WHY NOT", "why" },
	};

	kc_table_print(stdout, columns, 3, rows);
	for (size_t i = 0; i < p->n_wrapped; i++)
		printf("%s is a driver of wrapped keys.\n", p->wrapped[i]);
	if (OpenSSL_version_num() < 0x30500000)
		printf("kcrypto-keys(7) needs OpenSSL 3.5 or later; this is %s.\n",
		       OpenSSL_version(OPENSSL_VERSION));
}

static int run(const struct kc_args *args)
{
	struct kc_keys_probe p;
	struct json_object *report;

	(void)args;
	kc_keys_probe(&p, fopen("/proc/crypto", "re"));
	report = kc_keys_json(&p);
	if (!json)
		print_text(&p, json_object_object_get(report, "types"));
	kc_json_finish(stdout, report, json);
	return KC_EXIT_OK;
}

const struct kc_command kc_cmd_keys = {
	.name = "keys",
	.about = "shows which keys of the kernel's keyring can be used",
	.options = options,
	.run = run,
};
