/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's provider interface: reads the section of openssl.cnf, has the policy made, and returns
 * the offer. Loading never fails because of kcrypto: at worst nothing is offered.
 */
#include "provider/rows.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "base/base.h"
#include "core/process.h"
#include "core/quiet.h"
#include "provider/conf_module.h"
#include "session/buffers.h"
#include "session/session.h"
#include "stats/stats.h"
#include "base/param.h"
#include "policy/config.h"

/* conf_module.c has the other symbols that the module exports. */
__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

KC_TELL_PARAMS("Linux kernel crypto API (kcrypto)")

static const char always[][16] = { OSSL_PROV_PARAM_CORE_VERSION, OSSL_PROV_PARAM_CORE_PROV_NAME,
				   OSSL_PROV_PARAM_CORE_MODULE_FILENAME, "module", "activate" };

#define N_ALWAYS     (sizeof(always) / sizeof(always[0]))
#define KEYS_AT_ONCE 32

/* Several keys, and the section's values for them; NULL for a value: none. */
struct several_keys {
	struct kc_config *config; /* gets the values */
	const struct kc_provider *provider;
	char key[KEYS_AT_ONCE][KC_KEY_SIZE];
	size_t number[KEYS_AT_ONCE];
	char *value[KEYS_AT_ONCE];
	OSSL_PARAM params[N_ALWAYS + KEYS_AT_ONCE + 1];
	size_t n;
};

static void ask_section(struct several_keys *q)
{
	char *unused;
	OSSL_PARAM *p = q->params;

	/*
	 * OpenSSL searches these in order, for each line of the section and for three facts of its
	 * own. So those facts, and the lines that every section has, come first.
	 */
	for (size_t i = 0; i < N_ALWAYS; i++)
		*p++ = (OSSL_PARAM)OSSL_PARAM_utf8_ptr(always[i], &unused, 0);
	for (size_t i = 0; i < q->n; i++) {
		q->value[i] = NULL;
		*p++ = (OSSL_PARAM)OSSL_PARAM_utf8_ptr(q->key[i], &q->value[i], 0);
	}
	*p = (OSSL_PARAM)OSSL_PARAM_END;
	if (q->provider->get_params)
		q->provider->get_params(q->provider->handle, q->params);
}

static void take_answers(struct several_keys *q)
{
	ask_section(q);
	for (size_t i = 0; i < q->n; i++)
		if (q->value[i])
			kc_config_take(q->config, q->key[i], q->number[i], q->value[i]);
	q->n = 0;
}

/*
 * OpenSSL gives the section's values by key. Asking for one key at a time takes five times as long.
 */
static void collect(void *arg, const char *key, size_t number)
{
	struct several_keys *q = arg;

	memcpy(q->key[q->n], key, KC_KEY_SIZE);
	q->number[q->n++] = number;
	if (q->n == KEYS_AT_ONCE)
		take_answers(q);
}

static void read_config(struct kc_config *config, const struct kc_provider *provider)
{
	struct several_keys q = { .config = config, .provider = provider };

	kc_config_init(config);
	config->offered_only = true;
	config->legacy = kc_base_find_active(provider->app_ctx, "legacy");
	kc_config_each_key(collect, &q);
	take_answers(&q);
	/* Only now is it known which rows are on. */
	kc_config_each_driver_key(config, collect, &q);
	take_answers(&q);
}

/*
 * Read at load, because it is about the filters at that moment; all else waits for the first fetch.
 */
static bool is_trusted(const struct kc_provider *provider)
{
	struct several_keys q = { .provider = provider, .key = { "seccomp", "SECCOMP" }, .n = 2 };

	ask_section(&q);
	return q.value[0] || q.value[1];
}

/* Reads the configuration and makes the offer. False: nothing is offered. */
static bool fill_offers(struct kc_offers *offers, const struct kc_provider *provider,
			struct kc_config *config)
{
	read_config(config, provider);
	kc_policy_load(&offers->policy, config);
	if (!offers->policy.offers_any)
		return false;
	if (!kc_base_open(offers->policy.offers_legacy))
		return false;
	kc_stats_open();
	kc_stats_turn(config->stats);
	kc_offers_list(offers);
	return true;
}

/*
 * Makes the offer; stays undecided if memory is short. @theirs: the application's default provider.
 */
static void offer(struct kc_provider *provider, const OSSL_PROVIDER *theirs)
{
	struct kc_config *config; /* several KiB, too many for the application's stack */
	struct kc_offers *offers;

	config = malloc(sizeof(*config));
	offers = malloc(sizeof(*offers));
	if (config && offers) {
		if (fill_offers(offers, provider, config))
			provider->offers = offers;
		else
			kc_policy_free(&offers->policy);
		provider->decided = true;
	}
	if (!provider->offers)
		free(offers);
	else if (offers->list[OSSL_OP_MAC]->algorithm_names)
		provider->mac_provctx = kc_base_mac_provctx(theirs);
	free(config);
}

/*
 * Decides the offer, at the first fetch of an operation that we could have. A process that needs
 * none pays only for loading; and only now is it known which providers the configuration activates.
 * If the administrator left out the default or the legacy provider, its algorithms must not come
 * back through us.
 *
 * A child that was forked while another thread was in here starts from the beginning.
 */
static void decide_offer(struct kc_provider *provider)
{
	const OSSL_PROVIDER *theirs;

	if (provider->decided)
		return;
	theirs = kc_base_find_active(provider->app_ctx, "default");
	if (theirs)
		offer(provider, theirs);
}

/*
 * Keys as objects (since 3.5) belong to the default provider and fit only its own ciphers. A
 * program that asks for them before it has one of kcrypto's ciphers gets no cipher from kcrypto.
 * One that asks later must not combine the two, because an answer can't be taken back.
 */
static const OSSL_ALGORITHM *list_for(struct kc_provider *provider, int operation, int *no_cache)
{
	if (operation == OSSL_OP_SKEYMGMT)
		provider->keys_are_objects |= !provider->gave_ciphers;
	if (operation < 1 || operation >= KC_OPERATIONS)
		return NULL;
	if (operation == OSSL_OP_CIPHER && provider->keys_are_objects)
		return NULL;
	decide_offer(provider);
	/* OpenSSL caches an answer, even an empty one; it must ask again until default is there. */
	*no_cache = !provider->decided;
	if (!provider->offers || !provider->offers->list[operation]->algorithm_names)
		return NULL;
	provider->gave_ciphers |= operation == OSSL_OP_CIPHER;
	return provider->offers->list[operation];
}

static OSSL_FUNC_provider_query_operation_fn query;
static const OSSL_ALGORITHM *query(void *provctx, int operation, int *no_cache)
{
	struct kc_provider *provider = provctx;
	const OSSL_ALGORITHM *list;
	/* Files are opened: a thread that is cancelled there would keep the lock for ever. */
	KC_QUIETLY;

	*no_cache = 0;
	pthread_mutex_lock(kc_process_lock());
	list = list_for(provider, operation, no_cache);
	pthread_mutex_unlock(kc_process_lock());
	return list;
}

static OSSL_FUNC_provider_teardown_fn teardown;
static void teardown(void *provctx)
{
	struct kc_provider *provider = provctx;

	if (provider->offers) {
		kc_session_end_idle();
		pthread_mutex_lock(kc_process_lock());
		kc_stats_close();
		pthread_mutex_unlock(kc_process_lock());
		kc_buffer_free();
		kc_policy_free(&provider->offers->policy);
	}
	kc_process_end();
	free(provider->offers);
	free(provider);
}

static const OSSL_DISPATCH functions[] = {
	KC_ENTRY(PROVIDER_TEARDOWN, provider_teardown, teardown),
	KC_ENTRY(PROVIDER_GETTABLE_PARAMS, provider_gettable_params, gettable_params),
	KC_ENTRY(PROVIDER_GET_PARAMS, provider_get_params, get_params),
	KC_ENTRY(PROVIDER_QUERY_OPERATION, provider_query_operation, query),
	{ 0, NULL },
};

void kc_provider_release(OSSL_PROVIDER *provider)
{
	const struct kc_provider *ours = OSSL_PROVIDER_get0_provider_ctx(provider);

	if (OSSL_PROVIDER_get0_dispatch(provider) != functions)
		OSSL_PROVIDER_unload(provider);
	else if (ours->release)
		ours->release(ours->handle, 0);
}

/* @get: the core's function to read the section of openssl.cnf; NULL: the section has no lines. */
static int start(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
		 OSSL_FUNC_core_get_params_fn *get, const OSSL_DISPATCH **out, void **provctx)
{
	struct kc_provider *provider = malloc(sizeof(*provider));
	KC_QUIETLY;

	if (!provider)
		return 0;
	*provider = (struct kc_provider){
		.handle = handle,
		.get_params = get,
		.release =
			(OSSL_FUNC_provider_free_fn *)kc_function_of(in, OSSL_FUNC_PROVIDER_FREE),
		.app_ctx = kc_base_core_context(handle, in),
		.decided = !kc_base_is_its(in), /* then nothing is offered */
	};
	kc_process_begin();
	kc_sandbox_loaded(is_trusted(provider));
	*out = functions;
	*provctx = provider;
	return 1;
}

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
		       const OSSL_DISPATCH **out, void **provctx)
{
	kc_function *get = kc_function_of(in, OSSL_FUNC_CORE_GET_PARAMS);

	return start(handle, in, (OSSL_FUNC_core_get_params_fn *)get, out, provctx);
}

int kc_provider_init_bare(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
			  const OSSL_DISPATCH **out, void **provctx)
{
	return start(handle, in, NULL, out, provctx);
}
