/* SPDX-License-Identifier: Apache-2.0 */
/* What OpenSSL's dispatch tables need of every kind: lists of parameters, and answers to them. */
#ifndef KC_KEYS_TABLES_H
#define KC_KEYS_TABLES_H

#include <openssl/params.h>

#include "base/base.h"

/* Defines a function that lists parameters. */
#define KC_LIST_PARAMS(name, ...)                                                                  \
	static const OSSL_PARAM *name(void *provctx)                                               \
	{                                                                                          \
		static const OSSL_PARAM known[] = { __VA_ARGS__, OSSL_PARAM_END };                 \
                                                                                                   \
		(void)provctx;                                                                     \
		return known;                                                                      \
	}

/* The same for those of a context. */
#define KC_LIST_CTX_PARAMS(name, ...)                                                              \
	static const OSSL_PARAM *name(void *ctx, void *provctx)                                    \
	{                                                                                          \
		static const OSSL_PARAM known[] = { __VA_ARGS__, OSSL_PARAM_END };                 \
                                                                                                   \
		(void)ctx;                                                                         \
		(void)provctx;                                                                     \
		return known;                                                                      \
	}

/* 1, also if nobody asks; 0: it does not fit. */
static inline int kc_answer_number(OSSL_PARAM params[], const char *key, size_t number)
{
	OSSL_PARAM *p = OSSL_PARAM_locate(params, key);

	return !p || OSSL_PARAM_set_size_t(p, number);
}

/* OpenSSL asks for a copy of an IV or for a pointer to it. */
static inline int kc_answer_iv(OSSL_PARAM params[], const char *key, uint8_t *iv, size_t len)
{
	OSSL_PARAM *p = OSSL_PARAM_locate(params, key);

	if (!p || p->data_type == OSSL_PARAM_OCTET_PTR)
		return !p || OSSL_PARAM_set_octet_ptr(p, iv, len);
	return OSSL_PARAM_set_octet_string(p, iv, len);
}

#define KC_CIPHER_FUNCTION(ID, type, f)                                                            \
	{                                                                                          \
		OSSL_FUNC_CIPHER_##ID, KC_FUNCTION(cipher_##type, f)                               \
	}

/*
 * Defines the table of a kind of cipher, of functions with these names, two inits that call init(),
 * and the functions that it is given.
 */
#define KC_CIPHER_TABLE(name, update_fn, final_fn, oneshot_fn)                                     \
	static int encrypt_init(void *ctx, void *key, const unsigned char *iv, size_t iv_len,      \
				const OSSL_PARAM params[])                                         \
	{                                                                                          \
		return init(ctx, KC_ENCRYPT, key, iv, iv_len, params);                             \
	}                                                                                          \
                                                                                                   \
	static int decrypt_init(void *ctx, void *key, const unsigned char *iv, size_t iv_len,      \
				const OSSL_PARAM params[])                                         \
	{                                                                                          \
		return init(ctx, KC_DECRYPT, key, iv, iv_len, params);                             \
	}                                                                                          \
                                                                                                   \
	const OSSL_DISPATCH name[] = {                                                             \
		KC_CIPHER_FUNCTION(FREECTX, freectx, freectx),                                     \
		KC_CIPHER_FUNCTION(DUPCTX, dupctx, dupctx),                                        \
		KC_CIPHER_FUNCTION(ENCRYPT_SKEY_INIT, encrypt_skey_init, encrypt_init),            \
		KC_CIPHER_FUNCTION(DECRYPT_SKEY_INIT, decrypt_skey_init, decrypt_init),            \
		KC_CIPHER_FUNCTION(UPDATE, update, update_fn),                                     \
		KC_CIPHER_FUNCTION(FINAL, final, final_fn),                                        \
		KC_CIPHER_FUNCTION(CIPHER, cipher, oneshot_fn),                                    \
		KC_CIPHER_FUNCTION(GET_CTX_PARAMS, get_ctx_params, get_ctx_params),                \
		KC_CIPHER_FUNCTION(SET_CTX_PARAMS, set_ctx_params, set_ctx_params),                \
		KC_CIPHER_FUNCTION(GETTABLE_CTX_PARAMS, gettable_ctx_params, gettable_ctx_params), \
		KC_CIPHER_FUNCTION(SETTABLE_CTX_PARAMS, settable_ctx_params, settable_ctx_params), \
		{ 0, NULL },                                                                       \
	}

#endif
