/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's cipher functions for keys of the keyring. There is no init with the bytes of a key, so
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

static void free_cipher(void *ctx)
{
	struct kc_keyed_cipher *c = ctx;

	if (!c)
		return;
	kc_keyed_end(&c->keyed);
	explicit_bzero(c, sizeof(*c));
	free(c);
}

/* The copy gets a session of its own. */
static void *dup_cipher(void *ctx)
{
	struct kc_keyed_cipher *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	memcpy(c, ctx, sizeof(*c));
	kc_keyed_copied(&c->keyed);
	return c;
}

/* Without an IV, CBC begins again with its first IV, and CTR continues. */
static int take_iv(struct kc_keyed_cipher *c, const unsigned char *iv, size_t len)
{
	if (!c->keyed.alg->iv_len)
		return 1;
	if (iv && len != c->keyed.alg->iv_len)
		return kc_refuse(PROV_R_INVALID_IV_LENGTH, "the IV has %u bytes",
				 c->keyed.alg->iv_len);
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
	return kc_refuse(PROV_R_FAILED_TO_GET_PARAMETER, "the cipher does not take this value");
}

/* OpenSSL sets num when it copies some contexts; any other change would lose bytes. */
static int set_num(struct kc_keyed_cipher *c, const OSSL_PARAM *p)
{
	unsigned num;

	if (!OSSL_PARAM_get_uint(p, &num))
		return fail_to_read();
	if (num && num != c->held)
		return fail_to_read();
	if (c->keyed.alg->stream)
		c->held = num;
	return 1;
}

static int set_cipher_params(void *ctx, const OSSL_PARAM params[])
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
	if (!p)
		return 1;
	return set_num(c, p);
}

static int init_cipher(struct kc_keyed_cipher *c, enum kc_dir dir, const struct kc_kernel_key *key,
		       const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	c->dir = dir;
	c->held = 0;
	/* After a lost request, a counter must not continue from its middle. */
	if (iv || c->keyed.alg->iv_rule != KC_IV_ADD_BLOCKS)
		c->broken = false;
	if (!take_iv(c, iv, iv_len))
		return 0;
	if (key && !kc_keyed_take(&c->keyed, key))
		return 0;
	return set_cipher_params(c, params);
}

static int get_cipher_params(void *ctx, OSSL_PARAM params[])
{
	struct kc_keyed_cipher *c = ctx;
	const struct kc_alg *alg = c->keyed.alg;
	const struct kc_number numbers[] = {
		{ OSSL_CIPHER_PARAM_KEYLEN, alg->key_len },
		{ OSSL_CIPHER_PARAM_IVLEN, alg->iv_len },
		{ OSSL_CIPHER_PARAM_PADDING, c->padding },
		{ OSSL_CIPHER_PARAM_NUM, alg->stream ? c->held : 0 },
		{ NULL, 0 },
	};

	if (!kc_answer_numbers(params, numbers))
		return kc_refuse(PROV_R_FAILED_TO_SET_PARAMETER, "a length is a number");
	if (!kc_answer_iv(params, OSSL_CIPHER_PARAM_IV, c->first_iv, alg->iv_len))
		return 0;
	return kc_answer_iv(params, OSSL_CIPHER_PARAM_UPDATED_IV, c->iv, alg->iv_len);
}

KC_LIST_CTX_PARAMS(gettable_cipher_params, OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
		   OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
		   OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
		   OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL),
		   OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
		   OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0))

KC_LIST_CTX_PARAMS(settable_cipher_params, OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
		   OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
		   OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL))

KC_CIPHER_TABLE(kc_keyed_cipher_functions, cipher, kc_keyed_cipher_update, kc_keyed_cipher_final,
		kc_keyed_cipher_oneshot);
