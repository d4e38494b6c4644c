/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module as a configuration module of libcrypto: a line of openssl.cnf that names it makes
 * libcrypto call OPENSSL_init, which loads the provider. A section that activates a provider loads
 * it, too, but ends the rule that OpenSSL's default provider is there as long as a program loads no
 * other. It would have to activate "default", also for programs that load others on purpose.
 */
#include "provider/conf_module.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include <openssl/conf.h>
#include <openssl/conftypes.h>
#include <openssl/err.h>

#include "core/quiet.h"

/*
 * libcrypto declares a function named OPENSSL_init for another purpose, so these have other names
 * in C. provider.map gives them a version: an unversioned OPENSSL_init would replace libcrypto's in
 * programs that preload the module.
 */
int kc_conf_init(CONF_IMODULE *module, const CONF *conf) __asm__("OPENSSL_init");
void kc_conf_finish(CONF_IMODULE *module) __asm__("OPENSSL_finish");

static bool says_no(const char *value)
{
	static const char *const no[] = { "0", "no", "off", "false" };

	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (strcasecmp(value, no[i]) == 0)
			return true;
	return false;
}

/*
 * True if a line 'activate' of the module's own section says no, in the words that OpenSSL knows
 * since 3.2. Reads the lines one by one, because libcrypto raises an error if asked for a missing
 * one.
 */
static bool is_denied(const CONF_IMODULE *module, const CONF *conf)
{
	STACK_OF(CONF_VALUE) *lines = NCONF_get_section(conf, CONF_imodule_get_value(module));

	for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
		const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);

		if (strcmp(line->name, "activate") == 0 && says_no(line->value))
			return true;
	}
	return false;
}

/*
 * The module is loaded already, so libcrypto need not look for its file. If the provider has a
 * section with lines, libcrypto's list has that entry before this one, and takes the file that it
 * names.
 */
static void load_provider(const CONF *conf)
{
	OSSL_LIB_CTX *ctx = NCONF_get0_libctx((CONF *)conf);
	OSSL_PROVIDER *provider;

	OSSL_PROVIDER_add_builtin(ctx, "kcrypto", kc_provider_init_bare);
	provider = OSSL_PROVIDER_try_load(ctx, "kcrypto", 1);
	if (provider)
		kc_provider_release(provider);
}

/*
 * Always succeeds, because a program can run without kcrypto. A process may have a second libcrypto
 * that reads the same file; this one may touch no member of its CONF but the first, which has been
 * the same in all versions.
 */
__attribute__((visibility("default"))) int kc_conf_init(CONF_IMODULE *module, const CONF *conf)
{
	KC_QUIETLY;

	if (conf->meth != NCONF_default())
		return 1;
	ERR_set_mark();
	if (!is_denied(module, conf))
		load_provider(conf);
	ERR_pop_to_mark();
	return 1;
}

/* Needed: if it is missing, libcrypto takes that for a fault and composes a message. */
__attribute__((visibility("default"))) void kc_conf_finish(CONF_IMODULE *module)
{
	(void)module;
}
