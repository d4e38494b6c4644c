/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module as a configuration module of libcrypto: a line of openssl.cnf that names it makes
 * libcrypto call OPENSSL_init, which loads the provider. A section that activates a provider does
 * that too, but it ends the rule by which OpenSSL's default provider is there as long as a program
 * loads no other, so it would have to activate "default" for programs that load others on purpose.
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
 * libcrypto declares a function of the first name for other purposes, so these have other names in
 * C. provider.map gives them a version: an unversioned OPENSSL_init would be libcrypto's for
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
 * The line 'activate' of its own section says no, in the words that OpenSSL knows since 3.2. Its
 * lines are looked at one by one: libcrypto writes a message if asked for one that is missing.
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
 * The module is here already, so libcrypto need not look for its file. If the provider has a
 * section with lines, libcrypto's list has that before our entry, and takes the file that it says.
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
 * Always succeeds: a program runs without kcrypto as well. A process may have a second libcrypto
 * that reads the same file; its CONF is nothing that this one may touch, but for the first member,
 * which has been the same in all versions.
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

/* libcrypto takes it as a fault if there is none, and composes a message about it. */
__attribute__((visibility("default"))) void kc_conf_finish(CONF_IMODULE *module)
{
	(void)module;
}
