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
#include "provider/param.h"

/* The names of later versions' parameters are not here: of those nobody knows what they do. */
static const struct {
	const char *key;
	unsigned what;
} known[] = {
	{ OSSL_CIPHER_PARAM_AEAD_TAG, KC_SET_TAG },
	{ OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, KC_SET_RECORD },
	{ OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, KC_SET_FIXED },
	{ OSSL_CIPHER_PARAM_AEAD_IVLEN, KC_SET_NONCE_LEN },
	{ OSSL_CIPHER_PARAM_PADDING, 0 },
	{ OSSL_CIPHER_PARAM_KEYLEN, 0 },
	{ OSSL_CIPHER_PARAM_TLS_VERSION, 0 }, /* libssl sets it on every cipher, like the next */
	{ OSSL_CIPHER_PARAM_TLS_MAC_SIZE, 0 },
};

static unsigned what_is(const char *key)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].key, key) == 0)
			return known[i].what;
	return KC_SET_OTHER;
}

static void read_settings(struct kc_settings *set, const OSSL_PARAM *p)
{
	*set = (struct kc_settings){ .what = 0 };
	for (; p && p->key; p++) {
		unsigned what = what_is(p->key);

		/*
		 * If a name occurs twice, some versions take the first value, some the last, and
		 * some neither.
		 */
		set->what |= set->what & what ? KC_SET_OTHER : what;
		if (what == KC_SET_TAG) {
			set->tag = p->data;
			set->tag_len = p->data_size;
		} else if (what == KC_SET_RECORD) {
			set->record_aad = p->data;
			set->record_aad_len = p->data_size;
		} else if (what == KC_SET_FIXED) {
			set->fixed = p->data;
			set->fixed_len = p->data_size;
		}
	}
}

static __attribute__((noinline)) int init(struct kc_aead *c, const unsigned char *key,
					  size_t key_len, const unsigned char *iv, size_t iv_len,
					  const OSSL_PARAM params[])
{
	struct kc_settings set;
	int ok =
		kc_aead_starts(c, iv, iv_len) &&
		kc_base_outer(c->base)->init[c->dir](c->base_ctx, key, key_len, iv, iv_len, params);

	kc_aead_started(c, key, key_len, iv, iv_len, ok);
	if (!params)
		return ok;
	read_settings(&set, params);
	set.with_key = key != NULL;
	kc_aead_changed(c, &set, ok);
	return ok;
}

/* Another nonce, of the usual length, for the next of many short messages: nothing is noted. */
static inline __attribute__((always_inline)) int start(struct kc_aead *c, enum kc_dir dir,
						       const unsigned char *key, size_t key_len,
						       const unsigned char *iv, size_t iv_len,
						       const OSSL_PARAM params[])
{
	c->dir = dir;
	if (!c->idle || key || params || iv_len != KC_RECORD_NONCE)
		return init(c, key, key_len, iv, iv_len, params);
	c->idle--;
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

/* Is the base about to generate an IV, or to hand out a pointer to one? */
static bool concerns_iv(const OSSL_PARAM *p)
{
	while (p && p->key && !is_pointer(p) &&
	       !kc_param_is(p, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN))
		p++;
	return p && p->key;
}

static int before_iv(struct kc_aead *c, const OSSL_PARAM *p)
{
	while (p->key && !is_pointer(p))
		p++;
	return p->key ? kc_aead_expose(c) : kc_aead_leave_to_base(c);
}

static __attribute__((noinline)) int get_any(struct kc_aead *c, OSSL_PARAM params[])
{
	const OSSL_PARAM *tag = NULL;

	if (concerns_iv(params) && !before_iv(c, params))
		return 0;
	if (c->copy || c->tag_hidden)
		tag = kc_param_find(params, OSSL_CIPHER_PARAM_AEAD_TAG);
	if ((tag && !kc_aead_before_tag(c)) ||
	    !kc_base_outer(c->base)->get_ctx_params(c->base_ctx, params))
		return 0;
	if (tag)
		kc_aead_after_tag(c, tag->data, tag->data_size);
	if (kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_IVLEN) &&
	    !OSSL_PARAM_get_size_t(params, &c->said_nonce_len))
		c->said_nonce_len = 0;
	return 1;
}

/* Bytes; 0: the base must answer. */
static size_t length_asked(const struct kc_aead *c, const OSSL_PARAM *params)
{
	if (kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_IVLEN))
		return c->said_nonce_len;
	return kc_param_alone(params, OSSL_CIPHER_PARAM_KEYLEN) ? c->base->common.alg->key_len : 0;
}

/* OpenSSL 3.0 asks for both lengths at each init; cipher.c says why the base does not answer. */
static int get_ctx_params(void *ctx, OSSL_PARAM params[])
{
	struct kc_aead *c = ctx;
	size_t len;

	if (!c->copy && !c->tag_hidden && kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_TAG))
		return kc_base_outer(c->base)->get_ctx_params(c->base_ctx, params);
	len = length_asked(c, params);
	return len ? OSSL_PARAM_set_size_t(params, len) : get_any(c, params);
}

static __attribute__((noinline)) int set_any(struct kc_aead *c, const OSSL_PARAM params[])
{
	struct kc_settings set;
	int ok;

	if (!kc_aead_catch_up(c))
		return 0;
	ok = kc_base_outer(c->base)->set_ctx_params(c->base_ctx, params);
	if (ok && kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_TAG)) {
		kc_aead_tag_set(c, params->data, params->data_size);
		return ok;
	}
	read_settings(&set, params);
	kc_aead_changed(c, &set, ok);
	return ok;
}

static int set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
	struct kc_aead *c = ctx;

	if (!c->idle || !kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_TAG))
		return set_any(c, params);
	return kc_base_outer(c->base)->set_ctx_params(c->base_ctx, params);
}

void *kc_aead_context(struct kc_provider *provider, const struct kc_alg *alg)
{
	return kc_aead_new(&kc_base_row(alg)->aead, kc_first_candidate(provider, alg));
}

void kc_aead_functions(struct kc_table *t)
{
	KC_TABLE_ADD(t, CIPHER_FREECTX, cipher_freectx, kc_aead_free);
	KC_TABLE_ADD(t, CIPHER_DUPCTX, cipher_dupctx, kc_aead_dup);
	KC_TABLE_ADD(t, CIPHER_ENCRYPT_INIT, cipher_encrypt_init, encrypt_init);
	KC_TABLE_ADD(t, CIPHER_DECRYPT_INIT, cipher_decrypt_init, decrypt_init);
	KC_TABLE_ADD_COUNTED(t, CIPHER_UPDATE, cipher_update, kc_aead_update,
			     kc_counted_aead_update);
	KC_TABLE_ADD(t, CIPHER_FINAL, cipher_final, kc_aead_final);
	KC_TABLE_ADD_COUNTED(t, CIPHER_CIPHER, cipher_cipher, kc_aead_oneshot,
			     kc_counted_aead_oneshot);
	KC_TABLE_ADD(t, CIPHER_GET_CTX_PARAMS, cipher_get_ctx_params, get_ctx_params);
	KC_TABLE_ADD(t, CIPHER_SET_CTX_PARAMS, cipher_set_ctx_params, set_ctx_params);
}
