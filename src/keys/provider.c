/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's provider interface. A provider of its own, so that it can't affect a program that uses
 * no key of the keyring: a query finds these ciphers only if it asks for this provider, or if no
 * other provider has the cipher.
 */
#include "keys/keyed.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "core/process.h"
#include "core/quiet.h"
#include "session/buffers.h"
#include "stats/stats.h"

__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

static const char *ask_config(const struct kc_keys *keys, const char *key)
{
	char *value = NULL;
	OSSL_PARAM params[] = { OSSL_PARAM_utf8_ptr(key, &value, 0), OSSL_PARAM_END };

	if (keys->get_params)
		keys->get_params(keys->handle, params);
	return value;
}

/*
 * True if this provider may offer anything. The default provider must be active before this one:
 * for a query without properties, OpenSSL takes the first provider that has the cipher, and this
 * one takes no bytes as a key. Before 3.5 there are no keys as objects. And the program may be
 * linked to another libcrypto than this module.
 */
static bool has_place(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in)
{
	if (OpenSSL_version_num() < 0x30500000 || !kc_base_is_its(in))
		return false;
	return kc_base_find_active(kc_base_core_context(handle, in), "default");
}

/* The rows that take keys of the keyring. */
#define KC_KEYED_ROWS(ROW)                                                                         \
	ROW(AES_128_CBC)                                                                           \
	ROW(AES_192_CBC)                                                                           \
	ROW(AES_256_CBC)                                                                           \
	ROW(AES_128_CTR)                                                                           \
	ROW(AES_192_CTR)                                                                           \
	ROW(AES_256_CTR)                                                                           \
	ROW(AES_128_ECB)                                                                           \
	ROW(AES_192_ECB)                                                                           \
	ROW(AES_256_ECB)                                                                           \
	ROW(AES_128_XTS)                                                                           \
	ROW(AES_256_XTS)                                                                           \
	ROW(AES_128_GCM)                                                                           \
	ROW(AES_192_GCM)                                                                           \
	ROW(AES_256_GCM)

static void *keyed_newctx(struct kc_keys *keys, enum kc_alg_id id)
{
	const struct kc_alg *alg = &kc_algs[id];

	if (alg->kind == KC_AEAD)
		return kc_keyed_aead_new(keys, alg);
	return kc_keyed_cipher_new(keys, alg);
}

#define ROW(id)                                                                                    \
	static void *newctx_##id(void *provctx)                                                    \
	{                                                                                          \
		return keyed_newctx(provctx, KC_ALG_##id);                                         \
	}
KC_KEYED_ROWS(ROW)
#undef ROW

static const struct {
	enum kc_alg_id id;
	OSSL_FUNC_cipher_newctx_fn *newctx;
} rows[] = {
#define ROW(id) { KC_ALG_##id, newctx_##id },
	KC_KEYED_ROWS(ROW)
#undef ROW
};

#define N_ROWS	    (sizeof(rows) / sizeof(rows[0]))
#define N_FUNCTIONS 14

/* The default provider answers for the cipher itself, because those functions get no context. */
static void make_keyed_table(OSSL_DISPATCH *table, size_t i)
{
	const struct kc_alg *alg = &kc_algs[rows[i].id];
	const OSSL_DISPATCH *f =
		alg->kind == KC_AEAD ? kc_keyed_aead_functions : kc_keyed_cipher_functions;
	const OSSL_DISPATCH own[] = {
		KC_ENTRY(CIPHER_NEWCTX, cipher_newctx, rows[i].newctx),
		{ OSSL_FUNC_CIPHER_GET_PARAMS, kc_base_function(alg, OSSL_FUNC_CIPHER_GET_PARAMS) },
	};

	memcpy(table, own, sizeof(own));
	for (table += sizeof(own) / sizeof(own[0]); f->function_id; f++)
		*table++ = *f;
}

static const OSSL_ALGORITHM *list_ciphers(void)
{
	static OSSL_DISPATCH tables[N_ROWS][N_FUNCTIONS];
	static OSSL_ALGORITHM list[N_ROWS + 1];
	size_t n = 0;

	for (size_t i = 0; i < N_ROWS; i++) {
		const struct kc_alg *alg = &kc_algs[rows[i].id];
		const char *names = kc_base_names(alg);

		if (!names)
			continue;
		make_keyed_table(tables[i], i);
		list[n++] = (OSSL_ALGORITHM){ names, KC_KEYS_PROPERTY, tables[i], NULL };
	}
	return list;
}

/* Call it in one thread at a time. */
static bool open_base(struct kc_keys *keys)
{
	if (!keys->base_open && kc_base_open(false)) {
		keys->base_open = true;
		kc_stats_open();
	}
	return keys->base_open;
}

static const OSSL_ALGORITHM *query_keys(void *provctx, int operation, int *no_cache)
{
	struct kc_keys *keys = provctx;
	const OSSL_ALGORITHM *list = NULL;
	bool is_open;
	KC_QUIETLY;

	*no_cache = 0;
	if (!keys->has_place)
		return NULL;
	if (operation == OSSL_OP_SKEYMGMT)
		return kc_keys_managers;
	if (operation == OSSL_OP_STORE)
		return kc_keys_stores;
	if (operation != OSSL_OP_CIPHER && operation != OSSL_OP_MAC)
		return NULL;
	pthread_mutex_lock(kc_process_lock());
	is_open = open_base(keys);
	if (is_open && operation == OSSL_OP_MAC)
		list = kc_keys_macs;
	if (is_open && operation == OSSL_OP_CIPHER)
		list = list_ciphers();
	pthread_mutex_unlock(kc_process_lock());
	return list;
}

KC_TELL_PARAMS("keys in Linux's keyring (kcrypto)")

static void end_keys(void *provctx)
{
	struct kc_keys *keys = provctx;

	if (keys->base_open) {
		pthread_mutex_lock(kc_process_lock());
		kc_stats_close();
		pthread_mutex_unlock(kc_process_lock());
		kc_buffer_free();
	}
	kc_process_end();
	if (keys->policy)
		kc_policy_free(keys->policy);
	free(keys->policy);
	kc_wrapped_free(keys);
	free(keys);
}

static const OSSL_DISPATCH functions[] = {
	KC_ENTRY(PROVIDER_TEARDOWN, provider_teardown, end_keys),
	KC_ENTRY(PROVIDER_GETTABLE_PARAMS, provider_gettable_params, gettable_params),
	KC_ENTRY(PROVIDER_GET_PARAMS, provider_get_params, get_params),
	KC_ENTRY(PROVIDER_QUERY_OPERATION, provider_query_operation, query_keys),
	{ 0, NULL },
};

/* An unknown word must not admit more drivers than it says. */
static void read_keys_config(struct kc_keys *keys)
{
	const char *drivers = ask_config(keys, "kernel_keys"),
		   *seccomp = ask_config(keys, "seccomp");

	keys->hardware_only = drivers && !kc_word_is(drivers, "any");
	kc_process_begin();
	kc_sandbox_loaded(seccomp && kc_word_is(seccomp, "trust"));
}

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
		       const OSSL_DISPATCH **out, void **provctx)
{
	struct kc_keys *keys = calloc(1, sizeof(*keys));
	KC_QUIETLY;

	if (!keys)
		return 0;
	keys->handle = handle;
	keys->get_params =
		(OSSL_FUNC_core_get_params_fn *)kc_function_of(in, OSSL_FUNC_CORE_GET_PARAMS);
	keys->has_place = has_place(handle, in);
	read_keys_config(keys);
	*out = functions;
	*provctx = keys;
	return 1;
}
