/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ciphers' dispatch tables. OpenSSL says which algorithm is meant only by which function it calls, so
 * five functions exist once per row, made from the table; all others are shared. An id that is
 * not here is not offered: passed on unknown, it would hand the base a context of ours.
 */
#include "base/base.h"
#include "core/cipher.h"
#include "provider/cipher.h"
#include "provider/provider.h"

static void *newctx(struct kc_provider *provider, enum kc_alg_id id)
{
	return kc_cipher_new(&kc_base_cipher(&kc_algs[id])->core, provider->policy.row[id]);
}

static const struct kc_base_cipher *base_of(enum kc_alg_id id)
{
	return kc_base_cipher(&kc_algs[id]);
}

static void *base_ctx(void *ctx)
{
	return ctx ? ((struct kc_cipher *)ctx)->base_ctx : NULL;
}

#define KC_ROW(id, ...)                                                                            \
	static void *newctx_##id(void *provctx)                                                    \
	{                                                                                          \
		return newctx(provctx, KC_ALG_##id);                                               \
	}                                                                                          \
	static int get_params_##id(OSSL_PARAM params[])                                            \
	{                                                                                          \
		return base_of(KC_ALG_##id)->get_params(params);                                   \
	}                                                                                          \
	static const OSSL_PARAM *gettable_##id(void *provctx)                                      \
	{                                                                                          \
		(void)provctx;                                                                     \
		return base_of(KC_ALG_##id)->gettable_params(base_of(KC_ALG_##id)->provctx);       \
	}                                                                                          \
	static const OSSL_PARAM *gettable_ctx_##id(void *ctx, void *provctx)                       \
	{                                                                                          \
		(void)provctx;                                                                     \
		return base_of(KC_ALG_##id)                                                        \
			->gettable_ctx_params(base_ctx(ctx), base_of(KC_ALG_##id)->provctx);       \
	}                                                                                          \
	static const OSSL_PARAM *settable_ctx_##id(void *ctx, void *provctx)                       \
	{                                                                                          \
		(void)provctx;                                                                     \
		return base_of(KC_ALG_##id)                                                        \
			->settable_ctx_params(base_ctx(ctx), base_of(KC_ALG_##id)->provctx);       \
	}
#include "core/ciphers.def"
#undef KC_ROW

/* Checks the type that the generic pointer of a dispatch table hides. */
#define FUNCTION(id, type, f)                                                                      \
	{                                                                                          \
		(id), (void (*)(void))(1 ? (f) : (OSSL_FUNC_cipher_##type##_fn *)0)                \
	}

#define KC_ROW(id, ...)                                                                            \
	static const OSSL_DISPATCH dispatch_##id[] = {                                             \
		FUNCTION(OSSL_FUNC_CIPHER_NEWCTX, newctx, newctx_##id),                            \
		FUNCTION(OSSL_FUNC_CIPHER_FREECTX, freectx, kc_ossl_freectx),                      \
		FUNCTION(OSSL_FUNC_CIPHER_DUPCTX, dupctx, kc_ossl_dupctx),                         \
		FUNCTION(OSSL_FUNC_CIPHER_ENCRYPT_INIT, encrypt_init, kc_ossl_encrypt_init),       \
		FUNCTION(OSSL_FUNC_CIPHER_DECRYPT_INIT, decrypt_init, kc_ossl_decrypt_init),       \
		FUNCTION(OSSL_FUNC_CIPHER_UPDATE, update, kc_cipher_update),                       \
		FUNCTION(OSSL_FUNC_CIPHER_FINAL, final, kc_cipher_final),                          \
		FUNCTION(OSSL_FUNC_CIPHER_CIPHER, cipher, kc_cipher_oneshot),                      \
		FUNCTION(OSSL_FUNC_CIPHER_GET_PARAMS, get_params, get_params_##id),                \
		FUNCTION(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_ctx_params, kc_ossl_get_ctx_params), \
		FUNCTION(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_ctx_params, kc_ossl_set_ctx_params), \
		FUNCTION(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, gettable_params, gettable_##id),        \
		FUNCTION(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, gettable_ctx_params,                \
			 gettable_ctx_##id),                                                       \
		FUNCTION(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, settable_ctx_params,                \
			 settable_ctx_##id),                                                       \
		{ 0, NULL },                                                                       \
	};
#include "core/ciphers.def"
#undef KC_ROW

const OSSL_DISPATCH *const kc_ossl_ciphers[KC_ALG_COUNT] = {
#define KC_ROW(id, ...) [KC_ALG_##id] = dispatch_##id,
#include "core/ciphers.def"
#undef KC_ROW
};
