/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto-keys in openssl.cnf, and the answers of the keyring; the latter only if somebody asks. */
#include "cli/doctor/found.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* libcrypto activates the providers in this order. */
static bool is_default_first(const struct kc_text *text, const char *section)
{
	STACK_OF(CONF_VALUE) *lines = NCONF_get_section(text->cnf, text->providers);
	const char *other = kc_conf_find_provider(text->cnf, text->providers, "default");

	for (int i = 0; other && i < sk_CONF_VALUE_num(lines); i++) {
		const char *value = sk_CONF_VALUE_value(lines, i)->value;

		if (strcmp(value, section) == 0)
			return false;
		if (strcmp(value, other) == 0)
			return kc_conf_is_active(text->cnf, other);
	}
	return false;
}

void kc_found_keys(struct kc_found *found)
{
	struct kc_found_keys *keys = &found->keys;
	const struct kc_text *text = &found->text;
	const char *module;

	if (text->cnf)
		keys->section = kc_conf_find_provider(text->cnf, text->providers, "kcrypto-keys");
	if (keys->section) {
		keys->is_after_default = is_default_first(text, keys->section);
		module = kc_conf_get(text->cnf, keys->section, "module");
		kc_module_path(module ? module : "kcrypto-keys.so", keys->module,
			       sizeof(keys->module));
		keys->module_err = access(keys->module, R_OK) == 0 ? 0 : errno;
	}
	keys->is_probed = keys->section || keys->name;
	if (keys->is_probed)
		kc_keys_probe(&keys->probe, kc_root_open(found, "/proc/crypto"));
	if (keys->name)
		keys->name_err = kc_keys_try(keys->name);
}
