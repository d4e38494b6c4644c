/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child loads the configuration that was read, because that may name any module, and a module may
 * crash or hang. With providers, it asks OpenSSL whose implementation a fetch returns; with
 * engines, which engine is the default for an algorithm.
 */
#include "cli/reach.h"

#include <dlfcn.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef KC_HAS_PROVIDER
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#define MODULES_DIR OPENSSL_info(OPENSSL_INFO_MODULES_DIR)
#else
#define MODULES_DIR NULL
#endif
#ifdef KC_HAS_ENGINE
#include <openssl/engine.h>
#endif

#include "cli/text.h"

/* The flags with which OpenSSL loads the file automatically. */
#define AS_PROGRAMS_DO                                                                             \
	(CONF_MFLAGS_DEFAULT_SECTION | CONF_MFLAGS_IGNORE_MISSING_FILE |                           \
	 CONF_MFLAGS_IGNORE_RETURN_CODES)

struct loading {
	struct kc_reach reach;
	const struct kc_conf *conf;
};

int kc_nid_of(const struct kc_alg *alg)
{
	int nid = NID_undef;

	if (alg->kind != KC_DIGEST && !kc_alg_state_is_iv(alg))
		return nid;
	for (const char *name = alg->names; *name && nid == NID_undef; name = kc_name_after(name))
		nid = OBJ_txt2nid(name);
	return nid;
}

int kc_module_find(const char *module, char path[2 * PATH_MAX])
{
	const char *dir = secure_getenv("OPENSSL_MODULES");

	if (!dir)
		dir = MODULES_DIR;
	if (*module == '/' || !dir)
		snprintf(path, 2 * PATH_MAX, "%s", module);
	else
		snprintf(path, 2 * PATH_MAX, "%s/%s", dir, module);
	if (access(path, R_OK) == 0)
		return 0;
	return errno;
}

#ifdef KC_HAS_PROVIDER
/*
 * Compares the name that the module gives itself, because openssl.cnf may use that name for any
 * provider.
 */
static bool is_our_provider(const OSSL_PROVIDER *provider)
{
	const char *name = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, (char **)&name, 0),
		OSSL_PARAM_construct_end(),
	};

	if (!provider || !OSSL_PROVIDER_get_params(provider, params))
		return false;
	if (!name)
		return false;
	return strcmp(name, kc_ids[0].name) == 0;
}

static int look_for_ours(OSSL_PROVIDER *provider, void *is_loaded)
{
	*(bool *)is_loaded |= is_our_provider(provider);
	return 1;
}

static bool is_reached(const struct kc_alg *alg)
{
	const char *name = kc_alg_name(alg);
	const OSSL_PROVIDER *provider = NULL;
	EVP_CIPHER *cipher = NULL;
	EVP_MAC *mac = NULL;
	EVP_MD *md = NULL;
	bool ours;

	if (alg->kind == KC_MAC && (mac = EVP_MAC_fetch(NULL, alg->mac, NULL)))
		provider = EVP_MAC_get0_provider(mac);
	else if (alg->kind == KC_DIGEST && (md = EVP_MD_fetch(NULL, name, NULL)))
		provider = EVP_MD_get0_provider(md);
	else if (alg->kind <= KC_AEAD && (cipher = EVP_CIPHER_fetch(NULL, name, NULL)))
		provider = EVP_CIPHER_get0_provider(cipher);
	ours = is_our_provider(provider);
	EVP_CIPHER_free(cipher);
	EVP_MD_free(md);
	EVP_MAC_free(mac);
	return ours;
}

/* True if programs get an algorithm that every default provider has and kcrypto never has. */
static bool has_rest(void)
{
	EVP_MD *md = EVP_MD_fetch(NULL, "SHAKE-256", NULL);

	EVP_MD_free(md);
	return md != NULL;
}

static void say_why_not(struct kc_reach *reach, const struct kc_conf *conf)
{
	char path[2 * PATH_MAX];
	void *module;

	kc_module_find(conf->module, path);
	module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	reach->is_module = module != NULL;
	if (module)
		snprintf(reach->module_error, sizeof(reach->module_error),
			 "%.256s is another module", path);
	else
		snprintf(reach->module_error, sizeof(reach->module_error), "%s", dlerror());
}

/*
 * Programs load the file silently; this loads it so that errors are reported, and gets the error.
 */
static void ask_for_error(struct kc_reach *reach, CONF *cnf)
{
	const char *data = "", *reason, *first = NULL;
	unsigned long error;
	int flags = 0;

	ERR_clear_error();
	if (CONF_modules_load(cnf, NULL, CONF_MFLAGS_DEFAULT_SECTION) > 0)
		return;
	/*
	 * Takes the first error with details, because an engine's own first error may have no text.
	 */
	while ((error = ERR_get_error_all(NULL, NULL, NULL, &data, &flags))) {
		reason = ERR_reason_error_string(error);
		first = kc_text_or(first, reason);
		if (reason && flags & ERR_TXT_STRING && *data)
			break;
	}
	if (error)
		snprintf(reach->conf_error, sizeof(reach->conf_error), "%s: %s", reason, data);
	else
		snprintf(reach->conf_error, sizeof(reach->conf_error), "%s",
			 kc_text_or(first, "error"));
}

static void ask_provider(struct kc_reach *reach, const struct kc_conf *conf)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		reach->row[i] = is_reached(&kc_algs[i]);
	reach->has_rest = has_rest();
	OSSL_PROVIDER_do_all(NULL, look_for_ours, &reach->is_loaded);
	reach->leads = kc_query_loaded(conf->parts.fips).leads;
	if (!conf->module[0] || (reach->is_loaded && reach->leads))
		return;
	if (!reach->is_loaded)
		say_why_not(reach, conf);
	ask_for_error(reach, conf->cnf.conf);
}
#else
static void ask_for_error(struct kc_reach *reach, CONF *cnf)
{
	(void)reach, (void)cnf;
}

static void ask_provider(struct kc_reach *reach, const struct kc_conf *conf)
{
	(void)reach, (void)conf;
}
#endif

#ifdef KC_HAS_ENGINE
/* Other engines may have these ids, too, but not these names. */
static bool is_our_engine(const ENGINE *engine)
{
	const struct kc_id *id;

	if (!engine)
		return false;
	id = kc_id_find(ENGINE_get_id(engine));
	if (!id)
		return false;
	return strcmp(id->name, ENGINE_get_name(engine)) == 0;
}

static bool is_default(const struct kc_alg *alg, int nid)
{
	ENGINE *engine;
	bool ours;

	if (alg->kind == KC_DIGEST)
		engine = ENGINE_get_digest_engine(nid);
	else
		engine = ENGINE_get_cipher_engine(nid);
	ours = is_our_engine(engine);
	if (engine)
		ENGINE_finish(engine);
	return ours;
}

/*
 * OpenSSL does this before it loads the file automatically; without it, 1.1.1 finds no engine's
 * file.
 */
static void load_engines(void)
{
	ENGINE_load_builtin_engines();
}

static void ask_engine(struct kc_reach *reach, const struct kc_conf *conf)
{
	ENGINE *engine = NULL;

	if (conf->engine[0])
		engine = ENGINE_by_id(conf->engine);
	if (engine) {
		snprintf(reach->engine, sizeof(reach->engine), "%s", ENGINE_get_name(engine));
		reach->is_engine_ours = is_our_engine(engine);
		ENGINE_free(engine);
	}
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (kc_nid_of(&kc_algs[i]))
			reach->row[i] |= is_default(&kc_algs[i], kc_nid_of(&kc_algs[i]));
}
#else
static void load_engines(void)
{
}

static void ask_engine(struct kc_reach *reach, const struct kc_conf *conf)
{
	(void)reach, (void)conf;
}
#endif

/* From 3.0 on, a line may make programs end if something in the file is wrong. */
static bool has_diagnostics(const CONF *cnf)
{
	long is_on = 0;

	if (!cnf || OpenSSL_version_num() < 0x30000000)
		return false;
	return NCONF_get_number_e(cnf, NULL, "config_diagnostics", &is_on) && is_on > 0;
}

static void load(void *data)
{
	struct loading *q = data;
	CONF *cnf = q->conf->cnf.conf;

	unsetenv("KCRYPTO_STATS");
	OPENSSL_load_builtin_modules();
	load_engines();
	q->reach.is_told = q->reach.has_rest = true;
	q->reach.starts = CONF_modules_load(cnf, NULL, AS_PROGRAMS_DO) > 0 || !has_diagnostics(cnf);
	if (!q->reach.starts) {
		ask_for_error(&q->reach, cnf);
		return;
	}
	ask_provider(&q->reach, q->conf);
	ask_engine(&q->reach, q->conf);
}

void kc_reach_ask(struct kc_reach *reach, const struct kc_conf *conf)
{
	struct loading q = { .reach.is_asked = true, .conf = conf };
	struct kc_child child;

	kc_child_ask(&child, load, &q, sizeof(q), KC_CHILD_SECONDS);
	*reach = q.reach;
	kc_child_why(&child, reach->why);
}
