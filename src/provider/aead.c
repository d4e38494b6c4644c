/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's AEAD functions that are the same for every row: the base answers, and the core is told.
 * Update, one-shot and final are the core's own.
 */
#include "provider/rows.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "request/aead.h"
#include "base/param.h"

/* The names of later versions' parameters are not here: of those nobody knows what they do. */
static const struct {
	const char *key;
	enum kc_set what;
} known[] = {
	{ OSSL_CIPHER_PARAM_AEAD_TAG, KC_SET_TAG },
	{ OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, KC_SET_RECORD },
	{ OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, KC_SET_FIXED },
	{ OSSL_CIPHER_PARAM_AEAD_IVLEN, KC_SET_NONCE_LEN },
	{ OSSL_CIPHER_PARAM_PADDING, KC_SET_NOTHING },
	{ OSSL_CIPHER_PARAM_KEYLEN, KC_SET_NOTHING },
	/* libssl sets these on every cipher. */
	{ OSSL_CIPHER_PARAM_TLS_VERSION, KC_SET_NOTHING },
	{ OSSL_CIPHER_PARAM_TLS_MAC_SIZE, KC_SET_NOTHING },
};

static enum kc_set what_is(const char *key)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].key, key) == 0)
			return known[i].what;
	return KC_SET_OTHER;
}

/*
 * The one of these that the core must know; NULL: none, so that the base may get them before a
 * message's text. Several are KC_SET_OTHER: if a name occurs twice, some versions take the first
 * value, some the last, and some neither.
 */
static const OSSL_PARAM *setting_in(const OSSL_PARAM *p, enum kc_set *what)
{
	const OSSL_PARAM *one = NULL;

	for (; p && p->key; p++) {
		if (what_is(p->key) == KC_SET_NOTHING)
			continue;
		*what = one ? KC_SET_OTHER : what_is(p->key);
		one = p;
	}
	return one;
}

static __attribute__((noinline)) int init(struct kc_aead *c, const unsigned char *key,
					  size_t key_len, const unsigned char *iv, size_t iv_len,
					  const OSSL_PARAM params[])
{
	int ok = !c->untold || kc_aead_starts(c, key, key_len, iv, iv_len);
	const OSSL_PARAM *one;
	enum kc_set what;

	if (ok && params)
		ok = kc_aead_catch_up(c);
	ok = ok &&
	     kc_base_outer(c->base)->init[c->dir](c->base_ctx, key, key_len, iv, iv_len, params);

	kc_aead_started(c, key, key_len, iv, iv_len, ok);
	one = params ? setting_in(params, &what) : NULL;
	if (one)
		kc_aead_changed(c, what, one->data, one->data_size, ok, key != NULL);
	return ok;
}

/* Another nonce, of the usual length, for the next of many short messages: nothing is recorded. */
static inline __attribute__((always_inline)) int start(struct kc_aead *c, enum kc_dir dir,
						       const unsigned char *key, size_t key_len,
						       const unsigned char *iv, size_t iv_len,
						       const OSSL_PARAM params[])
{
	c->dir = dir;
	if (!c->unrecorded || key || params || iv_len != KC_RECORD_NONCE)
		return init(c, key, key_len, iv, iv_len, params);
	c->unrecorded--;
	return kc_base_outer(c->base)->init[dir](c->base_ctx, key, key_len, iv, iv_len, params);
}

static int encrypt_init(void *ctx, const unsigned char *key, size_t key_len,
			const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	return start(ctx, KC_ENCRYPT, key, key_len, iv, iv_len, params);
}

static int decrypt_init(void *ctx, const unsigned char *key, size_t key_len,
			const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	return start(ctx, KC_DECRYPT, key, key_len, iv, iv_len, params);
}

/* libssl asks AEADs too for a pointer to a datagram's MAC, and there is none. */
static bool is_pointer(const OSSL_PARAM *p)
{
	return p->data_type == OSSL_PARAM_OCTET_PTR && !kc_param_is(p, OSSL_CIPHER_PARAM_TLS_MAC);
}

/* To call before the base generates an IV, or hands out a pointer to one. */
static int before_iv(struct kc_aead *c, const OSSL_PARAM *p)
{
	bool generates = kc_param_find(p, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN);

	while (p && p->key && !is_pointer(p))
		p++;
	if (p && p->key)
		return kc_aead_give_up(c);
	return !generates || kc_aead_leave_to_base(c);
}

/* Does the answer not depend on what the base has done? The last one's is that of all records. */
static bool is_constant(const OSSL_PARAM *p)
{
	return kc_param_alone(p, OSSL_CIPHER_PARAM_IVLEN) ||
	       kc_param_alone(p, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD);
}

static __attribute__((noinline)) int get_any(struct kc_aead *c, OSSL_PARAM params[])
{
	if (c->untold && !is_constant(params) && !kc_aead_catch_up(c))
		return 0;
	if (!before_iv(c, params))
		return 0;
	if (!kc_base_outer(c->base)->get_ctx_params(c->base_ctx, params))
		return 0;
	if (kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_IVLEN) &&
	    !OSSL_PARAM_get_size_t(params, &c->said_nonce_len))
		c->said_nonce_len = 0;
	return 1;
}

/* The tag, once it can't be the base's: what has begun since ends CCM's message. */
static __attribute__((noinline)) int get_tag(struct kc_aead *c, OSSL_PARAM *p)
{
	bool fits = p->data && p->data_type == OSSL_PARAM_OCTET_STRING;
	const uint8_t *tag = fits ? kc_aead_tag(c, p->data_size) : NULL;
	int ok;

	if (tag)
		return OSSL_PARAM_set_octet_string(p, tag, p->data_size);
	ok = kc_aead_catch_up(c) && kc_base_outer(c->base)->get_ctx_params(c->base_ctx, p);
	if (ok)
		c->begun = false;
	return ok;
}

/* OpenSSL 3.0 asks for both lengths at each init; cipher.c says why the base does not answer. */
static int get_ctx_params(void *ctx, OSSL_PARAM params[])
{
	struct kc_aead *c = ctx;
	size_t len = 0; /* 0: the base must answer */

	if (kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_TAG)) {
		if (!c->unrecorded)
			return get_tag(c, params);
		return kc_base_outer(c->base)->get_ctx_params(c->base_ctx, params);
	}
	if (kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_IVLEN))
		len = c->said_nonce_len;
	else if (kc_param_alone(params, OSSL_CIPHER_PARAM_KEYLEN))
		len = c->base->alg->key_len;
	return len ? OSSL_PARAM_set_size_t(params, len) : get_any(c, params);
}

/* What belongs to the next message or record need not be told to the base at once. */
static bool waits(struct kc_aead *c, const OSSL_PARAM *p)
{
	if (!p || !p->key || p->data_type != OSSL_PARAM_OCTET_STRING)
		return false;
	if (kc_param_alone(p, OSSL_CIPHER_PARAM_AEAD_TAG))
		return kc_aead_tag_waits(c, p->data, p->data_size);
	return kc_param_alone(p, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD) &&
	       kc_aead_record_waits(c, p->data, p->data_size);
}

static __attribute__((noinline)) int set_any(struct kc_aead *c, const OSSL_PARAM params[])
{
	const OSSL_PARAM *one;
	enum kc_set what;
	int ok;

	if (waits(c, params))
		return 1;
	one = setting_in(params, &what);
	if (one && !kc_aead_catch_up(c))
		return 0;
	ok = kc_base_outer(c->base)->set_ctx_params(c->base_ctx, params);
	if (one)
		kc_aead_changed(c, what, one->data, one->data_size, ok, false);
	return ok;
}

/* A program that turned padding off does so at each init: EVP repeats it. AEADs have none. */
static int set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
	struct kc_aead *c = ctx;

	if (kc_param_alone(params, OSSL_CIPHER_PARAM_PADDING))
		return 1;
	if (!c->unrecorded || !kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_TAG))
		return set_any(c, params);
	if (params->data_size != KC_MAX_TAG && c->base->alg->stream)
		kc_aead_give_up(c);
	return kc_base_outer(c->base)->set_ctx_params(c->base_ctx, params);
}

void kc_aead_functions(struct kc_table *t)
{
	KC_TABLE_ADD(t, CIPHER_FREECTX, cipher_freectx, kc_aead_free);
	KC_TABLE_ADD(t, CIPHER_DUPCTX, cipher_dupctx, kc_aead_dup);
	KC_TABLE_ADD(t, CIPHER_ENCRYPT_INIT, cipher_encrypt_init, encrypt_init);
	KC_TABLE_ADD(t, CIPHER_DECRYPT_INIT, cipher_decrypt_init, decrypt_init);
	KC_TABLE_ADD_COUNTED(t, CIPHER_UPDATE, cipher_update, kc_aead_update, kc_counted_update);
	KC_TABLE_ADD(t, CIPHER_FINAL, cipher_final, kc_aead_final);
	KC_TABLE_ADD_COUNTED(t, CIPHER_CIPHER, cipher_cipher, kc_aead_oneshot, kc_counted_oneshot);
	KC_TABLE_ADD(t, CIPHER_GET_CTX_PARAMS, cipher_get_ctx_params, get_ctx_params);
	KC_TABLE_ADD(t, CIPHER_SET_CTX_PARAMS, cipher_set_ctx_params, set_ctx_params);
}
