/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's cipher functions for keys of the kernel. There is no init with the bytes of a key, so
 * OpenSSL itself refuses those. ctx is a struct kc_keyed_cipher.
 */
#include "keys/cipher.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

void *kc_keyed_cipher_new(struct kc_keys *keys, const struct kc_alg *alg)
{
	struct kc_keyed_cipher *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	kc_keyed_init(&c->keyed, keys, alg);
	c->padding = true;
	return c;
}

static void freectx(void *ctx)
{
	struct kc_keyed_cipher *c = ctx;

	if (!c)
		return;
	kc_keyed_end(&c->keyed);
	explicit_bzero(c, sizeof(*c));
	free(c);
}

/* The copy gets a session of its own. */
static void *dupctx(void *ctx)
{
	struct kc_keyed_cipher *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	memcpy(c, ctx, sizeof(*c));
	kc_keyed_copied(&c->keyed);
	return c;
}

/* Without an IV, CBC begins again with the one that it had, and CTR goes on. */
static int take_iv(struct kc_keyed_cipher *c, const unsigned char *iv, size_t len)
{
	if (!c->keyed.alg->iv_len)
		return 1;
	if (iv && len != c->keyed.alg->iv_len) {
		kc_raise(PROV_R_INVALID_IV_LENGTH, "it takes %u bytes", c->keyed.alg->iv_len);
		return 0;
	}
	if (iv) {
		c->iv_set = true;
		memcpy(c->iv, iv, len);
		memcpy(c->first_iv, iv, len);
	} else if (c->iv_set && c->keyed.alg->iv_rule == KC_IV_LAST_BLOCK) {
		memcpy(c->iv, c->first_iv, c->keyed.alg->iv_len);
	}
	return 1;
}

static int fail_to_read(void)
{
	kc_raise(PROV_R_FAILED_TO_GET_PARAMETER, "not a value that this cipher takes");
	return 0;
}

/* OpenSSL sets a context's num when it copies some contexts; any other change would lose bytes. */
static int set_num(struct kc_keyed_cipher *c, const OSSL_PARAM *p)
{
	unsigned num;

	if (!OSSL_PARAM_get_uint(p, &num) || (num && num != c->held))
		return fail_to_read();
	if (c->keyed.alg->stream)
		c->held = num;
	return 1;
}

static int set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
	struct kc_keyed_cipher *c = ctx;
	const OSSL_PARAM *p;
	unsigned number;
	size_t len;

	if (!params)
		return 1;
	p = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_KEYLEN);
	if (p && (!OSSL_PARAM_get_size_t(p, &len) || len != c->keyed.alg->key_len))
		return fail_to_read();
	p = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_TLS_VERSION);
	if (p && (!OSSL_PARAM_get_uint(p, &number) || number))
		return fail_to_read();
	p = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_PADDING);
	if (p && !OSSL_PARAM_get_uint(p, &number))
		return fail_to_read();
	if (p)
		c->padding = number;
	p = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_NUM);
	return !p || set_num(c, p);
}

static int init(struct kc_keyed_cipher *c, enum kc_dir dir, const struct kc_kernel_key *key,
		const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	c->dir = dir;
	c->held = 0;
	/* A counter that stands still in the middle of a lost request must not go on. */
	if (iv || c->keyed.alg->iv_rule != KC_IV_ADD_BLOCKS)
		c->broken = false;
	return take_iv(c, iv, iv_len) && (!key || kc_keyed_take(&c->keyed, key)) &&
	       set_ctx_params(c, params);
}

static int encrypt_init(void *ctx, void *key, const unsigned char *iv, size_t iv_len,
			const OSSL_PARAM params[])
{
	return init(ctx, KC_ENCRYPT, key, iv, iv_len, params);
}

static int decrypt_init(void *ctx, void *key, const unsigned char *iv, size_t iv_len,
			const OSSL_PARAM params[])
{
	return init(ctx, KC_DECRYPT, key, iv, iv_len, params);
}

static int answer_number(OSSL_PARAM params[], const char *key, size_t number)
{
	OSSL_PARAM *p = OSSL_PARAM_locate(params, key);

	return !p || OSSL_PARAM_set_size_t(p, number);
}

static int answer_iv(OSSL_PARAM params[], const char *key, uint8_t *iv, size_t len)
{
	OSSL_PARAM *p = OSSL_PARAM_locate(params, key);

	if (!p || p->data_type == OSSL_PARAM_OCTET_PTR)
		return !p || OSSL_PARAM_set_octet_ptr(p, iv, len);
	return OSSL_PARAM_set_octet_string(p, iv, len);
}

static int get_ctx_params(void *ctx, OSSL_PARAM params[])
{
	struct kc_keyed_cipher *c = ctx;

	return answer_number(params, OSSL_CIPHER_PARAM_KEYLEN, c->keyed.alg->key_len) &&
	       answer_number(params, OSSL_CIPHER_PARAM_IVLEN, c->keyed.alg->iv_len) &&
	       answer_number(params, OSSL_CIPHER_PARAM_PADDING, c->padding) &&
	       answer_number(params, OSSL_CIPHER_PARAM_NUM, c->keyed.alg->stream ? c->held : 0) &&
	       answer_iv(params, OSSL_CIPHER_PARAM_IV, c->first_iv, c->keyed.alg->iv_len) &&
	       answer_iv(params, OSSL_CIPHER_PARAM_UPDATED_IV, c->iv, c->keyed.alg->iv_len);
}

static const OSSL_PARAM *gettable_ctx_params(void *ctx, void *provctx)
{
	static const OSSL_PARAM known[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
		OSSL_PARAM_END,
	};

	(void)ctx;
	(void)provctx;
	return known;
}

static const OSSL_PARAM *settable_ctx_params(void *ctx, void *provctx)
{
	static const OSSL_PARAM known[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL),
		OSSL_PARAM_END,
	};

	(void)ctx;
	(void)provctx;
	return known;
}

const OSSL_DISPATCH kc_keyed_cipher_functions[] = {
	KC_KEYED_FUNCTION(FREECTX, freectx, freectx),
	KC_KEYED_FUNCTION(DUPCTX, dupctx, dupctx),
	KC_KEYED_FUNCTION(ENCRYPT_SKEY_INIT, encrypt_skey_init, encrypt_init),
	KC_KEYED_FUNCTION(DECRYPT_SKEY_INIT, decrypt_skey_init, decrypt_init),
	KC_KEYED_FUNCTION(UPDATE, update, kc_keyed_cipher_update),
	KC_KEYED_FUNCTION(FINAL, final, kc_keyed_cipher_final),
	KC_KEYED_FUNCTION(CIPHER, cipher, kc_keyed_cipher_oneshot),
	KC_KEYED_FUNCTION(GET_CTX_PARAMS, get_ctx_params, get_ctx_params),
	KC_KEYED_FUNCTION(SET_CTX_PARAMS, set_ctx_params, set_ctx_params),
	KC_KEYED_FUNCTION(GETTABLE_CTX_PARAMS, gettable_ctx_params, gettable_ctx_params),
	KC_KEYED_FUNCTION(SETTABLE_CTX_PARAMS, settable_ctx_params, settable_ctx_params),
	{ 0, NULL },
};
