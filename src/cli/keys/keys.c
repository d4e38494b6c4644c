/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto keys: which keys of the kernel's keyring AF_ALG takes here, for kcrypto-keys(7). It makes
 * one key of each type, in the process's own keyring, which ends with the command.
 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <openssl/crypto.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/backend.h"
#include "keys/explain.h"

#define NAME	"kcrypto:probe"
#define KEY_LEN 32 /* bytes; an encrypted key has at least 20 */

static int json;

struct type {
	const char *name;
	const char *payload;
	bool is_only_looked_for; /* to make one takes a device */
};

/* The first one is the master of an encrypted key. */
static const struct type types[] = {
	{ "user", "thirty-two bytes, of no use else", false },
	{ "logon", "thirty-two bytes, of no use else", false },
	{ "encrypted", "new default user:" NAME " 32", false },
	{ "trusted", "", true },
};

static const struct kc_backend *backend(void)
{
	const struct kc_backend *const *b = kc_backends;

	while (*b && !(*b)->takes_serials)
		b++;
	return *b;
}

/* 0 or -errno. */
static int take(int32_t serial)
{
	const struct kc_key key = { .serial = serial, .len = KEY_LEN };
	struct kc_session s = { .fd = -1, .limit = KC_MAX_REQUEST };
	int err = backend()->open(&s, &kc_algs[KC_ALG_AES_256_CBC], "", &key);

	s.process_mark = 0;
	if (!err)
		backend()->close(&s);
	return err;
}

/* 0 if AF_ALG takes it, 1 if that can't be told, or -errno. */
static int try(const struct type *type)
{
	int32_t serial = 0;
	int err = kc_keyring.add(type->name, NAME, type->payload, strlen(type->payload),
				 KC_RING_PROCESS, &serial);

	if (type->is_only_looked_for)
		return err == -EINVAL ? 1 : err;
	return err ? err : take(serial);
}

static const char *why(int result)
{
	if (result > 0)
		return "it is there, but was not tried, since such a key takes a device";
	return result ? kc_keys_explain(result) : "";
}

/* Calls @tell with each driver for keys that only hardware can open. */
static void find_protected(void (*tell)(void *to, const char *driver), void *to)
{
	FILE *list = fopen("/proc/crypto", "re");
	char line[256], word[128];
	bool is_one = false;

	while (list && fgets(line, sizeof(line), list)) {
		if (sscanf(line, "name : %127s", word) == 1)
			is_one = strstr(word, "paes") != NULL;
		else if (is_one && sscanf(line, "driver : %127s", word) == 1)
			tell(to, word);
	}
	if (list)
		fclose(list);
}

static void add_driver(void *to, const char *driver)
{
	json_object_array_add(to, json_object_new_string(driver));
}

static void print_driver(void *to, const char *driver)
{
	(void)to;
	printf("%s is a driver of protected keys, which kcrypto-keys does not use yet.\n", driver);
}

static void print_json(const int results[])
{
	struct json_object *o = json_object_new_object(), *array = json_object_new_array();
	struct json_object *drivers = json_object_new_array();

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct json_object *row = json_object_new_object();

		json_object_object_add(row, "type", json_object_new_string(types[i].name));
		json_object_object_add(
			row, "taken", results[i] > 0 ? NULL : json_object_new_boolean(!results[i]));
		json_object_object_add(row, "why",
				       results[i] ? json_object_new_string(why(results[i])) : NULL);
		json_object_array_add(array, row);
	}
	find_protected(add_driver, drivers);
	json_object_object_add(o, "types", array);
	json_object_object_add(o, "protected", drivers);
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
	json_object_put(o);
}

static void print_text(const int results[])
{
	printf("%-10s %-6s %s\n", "TYPE", "TAKEN", "WHY NOT");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		printf("%-10s %-6s %s\n", types[i].name,
		       results[i] > 0 ? "?" :
		       results[i]     ? "no" :
					"yes",
		       why(results[i]));
	find_protected(print_driver, NULL);
	if (OpenSSL_version_num() < 0x30500000)
		printf("kcrypto-keys(7) needs OpenSSL 3.5 or later; this is %s.\n",
		       OpenSSL_version(OPENSSL_VERSION));
}

int kc_cmd_keys(int argc, char **argv)
{
	static const struct option table[] = {
		{ "json", no_argument, &json, 1 },
		{ NULL, 0, NULL, 0 },
	};
	int results[sizeof(types) / sizeof(types[0])];
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "", table, NULL)) != -1)
		if (c == '?')
			return kc_usage_error(argv[optind - 1], "unknown");
	if (optind < argc)
		return kc_usage_error(argv[optind], "too much");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		results[i] = try(&types[i]);
	(json ? print_json : print_text)(results);
	return KC_EXIT_OK;
}
