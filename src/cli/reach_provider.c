/* SPDX-License-Identifier: Apache-2.0 */
/* The child's question to OpenSSL 3.0 and later: whose implementation does a fetch return? */
#include "cli/reach.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "engine/engine_ids.h"

/* By the name that the module gives itself: openssl.cnf may call any provider so. */
static bool is_ours(const OSSL_PROVIDER *provider)
{
	const char *name = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, (char **)&name, 0),
		OSSL_PARAM_construct_end(),
	};

	return provider && OSSL_PROVIDER_get_params(provider, params) && name &&
	       strcmp(name, kc_ids[0].name) == 0;
}

static int look_at(OSSL_PROVIDER *provider, void *is_loaded)
{
	*(bool *)is_loaded |= is_ours(provider);
	return 1;
}

static bool is_reached(const struct kc_alg *alg)
{
	const OSSL_PROVIDER *provider = NULL;
	char name[KC_ALG_NAME_SIZE];
	EVP_CIPHER *cipher = NULL;
	EVP_MAC *mac = NULL;
	EVP_MD *md = NULL;
	bool ours;

	kc_alg_name(alg, name, sizeof(name));
	if (alg->kind == KC_MAC && (mac = EVP_MAC_fetch(NULL, alg->mac, NULL)))
		provider = EVP_MAC_get0_provider(mac);
	else if (alg->kind == KC_DIGEST && (md = EVP_MD_fetch(NULL, name, NULL)))
		provider = EVP_MD_get0_provider(md);
	else if (alg->kind <= KC_AEAD && (cipher = EVP_CIPHER_fetch(NULL, name, NULL)))
		provider = EVP_CIPHER_get0_provider(cipher);
	ours = is_ours(provider);
	EVP_CIPHER_free(cipher);
	EVP_MD_free(md);
	EVP_MAC_free(mac);
	return ours;
}

/* Are there algorithms that every default provider has and kcrypto never does? */
static bool has_rest(void)
{
	EVP_MD *md = EVP_MD_fetch(NULL, "SHAKE-256", NULL);

	EVP_MD_free(md);
	return md != NULL;
}

void kc_module_path(const char *module, char *path, size_t size)
{
	const char *dir = secure_getenv("OPENSSL_MODULES");

	if (!dir)
		dir = OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
	if (module[0] == '/' || !dir)
		snprintf(path, size, "%s", module);
	else
		snprintf(path, size, "%s/%s", dir, module);
}

static void say_why_not(struct kc_reach *reach, const struct kc_conf *conf)
{
	char path[2 * PATH_MAX];
	void *module;

	kc_module_path(conf->module, path, sizeof(path));
	module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	reach->is_module = module != NULL;
	if (module)
		snprintf(reach->module_error, sizeof(reach->module_error),
			 "%.256s is another module", path);
	else
		snprintf(reach->module_error, sizeof(reach->module_error), "%s", dlerror());
}

/* Programs load the file without a word; where it is loaded so that errors count, one is told. */
static void ask_for_error(struct kc_reach *reach, const char *file)
{
	const char *data = "", *reason;
	unsigned long error;
	int flags = 0;

	ERR_clear_error();
	if (CONF_modules_load_file(file, NULL, CONF_MFLAGS_DEFAULT_SECTION) > 0)
		return;
	error = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
	reason = ERR_reason_error_string(error);
	snprintf(reach->conf_error, sizeof(reach->conf_error), "%s%s%s", reason ? reason : "error",
		 flags & ERR_TXT_STRING && *data ? ": " : "", flags & ERR_TXT_STRING ? data : "");
}

void kc_reach_by_provider(struct kc_reach *reach, const struct kc_conf *conf, const char *file)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		reach->row[i] = is_reached(&kc_algs[i]);
	reach->has_rest = has_rest();
	OSSL_PROVIDER_do_all(NULL, look_at, &reach->is_loaded);
	if (!reach->is_loaded && conf->module[0]) {
		say_why_not(reach, conf);
		ask_for_error(reach, file);
	}
}
