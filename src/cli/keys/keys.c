/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto keys: which keys of the kernel can be used here, for kcrypto-keys(7). */
#include "cli/cli.h"

#include <getopt.h>
#include <openssl/crypto.h>
#include <stdio.h>

#include "cli/keys/probe.h"

static int json;

static void print_json(const struct kc_keys_probe *p)
{
	struct json_object *o = kc_keys_json(p);

	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
	json_object_put(o);
}

static void print_text(const struct kc_keys_probe *p)
{
	printf("%-10s %-6s %s\n", "TYPE", "TAKEN", "WHY NOT");
	for (size_t i = 0; i < KC_KEY_TYPES; i++)
		printf("%-10s %-6s %s\n", kc_keys_type(i),
		       p->result[i] > 0 ? "?" :
		       p->result[i]	? "no" :
					  "yes",
		       kc_keys_why(p->result[i]));
	for (size_t i = 0; i < p->n_wrapped; i++)
		printf("%s is a driver of wrapped keys.\n", p->wrapped[i]);
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
	struct kc_keys_probe probe;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "", table, NULL)) != -1)
		if (c == '?')
			return kc_usage_error(argv[optind - 1], "unknown");
	if (optind < argc)
		return kc_usage_error(argv[optind], "too much");
	kc_keys_probe(&probe, fopen("/proc/crypto", "re"));
	(json ? print_json : print_text)(&probe);
	return KC_EXIT_OK;
}
