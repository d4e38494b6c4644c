/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto keys: which keys of the kernel can be used here, for kcrypto-keys(7). */
#include "cli/cli.h"

#include <openssl/crypto.h>

#include "cli/keys/probe.h"
#include "cli/table.h"

static bool json;

static const struct kc_option options[] = {
	{ "json", NULL, "prints JSON", .flag = &json },
	{ NULL },
};

static void print_text(struct json_object *report)
{
	static const struct kc_column columns[] = {
		{ "TYPE", "type" },
		{ "USABLE", "taken" },
		{ "WHY NOT", "why" },
	};
	struct json_object *drivers = json_object_object_get(report, "protected");

	kc_table_print(stdout, columns, 3, json_object_object_get(report, "types"));
	for (size_t i = 0; i < json_object_array_length(drivers); i++)
		printf("%s is a driver of wrapped keys.\n",
		       json_object_get_string(json_object_array_get_idx(drivers, i)));
	if (OpenSSL_version_num() < 0x30500000)
		printf("kcrypto-keys(7) needs OpenSSL 3.5 or later; this is %s.\n",
		       OpenSSL_version(OPENSSL_VERSION));
}

static int run(const struct kc_args *args)
{
	struct kc_keys_probe probe;
	struct json_object *report;

	(void)args;
	kc_keys_probe(&probe, fopen("/proc/crypto", "re"));
	report = kc_keys_json(&probe);
	if (!json)
		print_text(report);
	if (json)
		kc_json_print(stdout, report);
	else
		json_object_put(report);
	return KC_EXIT_OK;
}

const struct kc_command kc_cmd_keys = {
	.name = "keys",
	.about = "shows which keys of the kernel's keyring can be used",
	.options = options,
	.run = run,
};
