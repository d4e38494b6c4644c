/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's AEAD functions, shared by all rows: the base answers, and the core is told. Update,
 * one-shot and final are the core's own. ctx is a struct kc_aead.
 */
#include "provider/rows.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "request/aead/aead.h"
#include "base/param.h"

/* Later versions' parameters are not here, because their effect is unknown: see KC_SET_OTHER. */
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
	/* libssl sets these two on every cipher. */
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

/* For several parameters: the core is told only of the tag. */
static __attribute__((noinline, cold)) struct kc_setting set_other(const OSSL_PARAM *all)
{
	const OSSL_PARAM *tag = OSSL_PARAM_locate_const(all, OSSL_CIPHER_PARAM_AEAD_TAG);
	struct kc_setting set = { .what = KC_SET_OTHER };

	if (tag) {
		set.data = tag->data;
		set.len = tag->data_size;
	}
	return set;
}

/*
 * Finds the parameter that the core must know; false: there is none. Beside any other parameter it
 * is KC_SET_OTHER: the base may refuse the other one, and so the call; and of a name that occurs
 * twice, some versions take the first value, some the last, and some neither.
 */
static bool find_setting(const OSSL_PARAM *p, struct kc_setting *set)
{
	const OSSL_PARAM *one = NULL, *all = p;
	bool is_read;
	size_t n = 0;

	for (; p && p->key; p++, n++) {
		enum kc_set what = what_is(p->key);

		if (what == KC_SET_NOTHING)
			continue;
		*set = (struct kc_setting){ what, p->data, p->data_size };
		one = p;
	}
	if (one && n > 1)
		*set = set_other(all);
	if (!one || set->what == KC_SET_OTHER)
		return one;
	if (set->what == KC_SET_NONCE_LEN)
		is_read = kc_param_read(one, &set->len);
	else
		is_read = one->data_type == OSSL_PARAM_OCTET_STRING;
	if (!is_read)
		set->what = KC_SET_OTHER;
	return true;
}

static __attribute__((noinline, cold)) int init_with(struct kc_aead *c, const unsigned char *key,
						     size_t key_len, const unsigned char *iv,
						     size_t iv_len, const OSSL_PARAM params[])
{
	OSSL_FUNC_cipher_encrypt_init_fn *base_init = kc_base_outer(c->base)->init[c->dir];
	struct kc_setting set;
	bool sets = find_setting(params, &set);
	int ok;

	if (sets)
		ok = kc_aead_starts_with(c, &set, key, key_len, iv, iv_len);
	else
		ok = kc_aead_starts(c, key, key_len, iv, iv_len);
	if (ok)
		ok = base_init(c->base_ctx, key, key_len, iv, iv_len, params);
	kc_aead_started(c, key, iv, iv_len, ok);
	if (sets)
		kc_aead_was_set(c, &set, ok);
	return ok;
}

static __attribute__((noinline)) int init_aead(struct kc_aead *c, const unsigned char *key,
					       size_t key_len, const unsigned char *iv,
					       size_t iv_len, const OSSL_PARAM params[])
{
	int ok;

	if (params)
		return init_with(c, key, key_len, iv, iv_len, params);
	ok = kc_aead_starts(c, key, key_len, iv, iv_len);
	if (ok)
		ok = kc_base_outer(c->base)->init[c->dir](c->base_ctx, key, key_len, iv, iv_len,
							  NULL);
	kc_aead_started(c, key, iv, iv_len, ok);
	return ok;
}

/* Short way: for a sleeping context's next message, with another nonce of the usual length. */
static inline __attribute__((always_inline)) int
start_aead(struct kc_aead *c, enum kc_dir dir, const unsigned char *key, size_t key_len,
	   const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	c->dir = dir;
	if (!c->asleep || key || params)
		return init_aead(c, key, key_len, iv, iv_len, params);
	if (iv_len != KC_RECORD_NONCE)
		return init_aead(c, key, key_len, iv, iv_len, params);
	c->asleep--;
	return kc_base_outer(c->base)->init[dir](c->base_ctx, key, key_len, iv, iv_len, params);
}

static int encrypt_init_aead(void *ctx, const unsigned char *key, size_t key_len,
			     const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	return start_aead(ctx, KC_ENCRYPT, key, key_len, iv, iv_len, params);
}

static int decrypt_init_aead(void *ctx, const unsigned char *key, size_t key_len,
			     const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	return start_aead(ctx, KC_DECRYPT, key, key_len, iv, iv_len, params);
}

/* libssl asks AEADs, too, for a pointer to a datagram's MAC; they have none. */
static bool is_pointer(const OSSL_PARAM *p)
{
	if (p->data_type != OSSL_PARAM_OCTET_PTR)
		return false;
	return !kc_param_is(p, OSSL_CIPHER_PARAM_TLS_MAC);
}

/* True if the base generates a nonce, or hands out a pointer to one. */
static bool gives_nonce_away(const OSSL_PARAM *p)
{
	if (kc_param_find(p, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN))
		return true;
	for (; p && p->key; p++)
		if (is_pointer(p))
			return true;
	return false;
}

/* True if the answer does not depend on what the base has been told. */
static bool is_constant(const OSSL_PARAM *p)
{
	if (kc_param_alone(p, OSSL_CIPHER_PARAM_IVLEN))
		return true;
	return kc_param_alone(p, OSSL_CIPHER_PARAM_TLS_MAC);
}

/* Corrects the base's answer if it returned a tag. */
static __attribute__((noinline, cold)) void correct_tag(const struct kc_aead *c,
							OSSL_PARAM params[])
{
	const OSSL_PARAM *tag = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TAG);

	if (tag && tag->data && tag->data_type == OSSL_PARAM_OCTET_STRING)
		kc_aead_correct_tag(c, tag->data, tag->data_size);
}

/* Answers AEAD_TLS1_AAD_PAD after a record's AAD, which the base may not have been told. */
static __attribute__((noinline)) int get_any(struct kc_aead *c, OSSL_PARAM params[])
{
	int ok = 1;

	if ((c->phase == KC_PHASE_RECORD || c->phase == KC_PHASE_TOLD) &&
	    kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD) &&
	    kc_param_answer(params, c->lengths.tag))
		return 1;
	if (gives_nonce_away(params))
		ok = kc_aead_give_up(c);
	else if (!is_constant(params))
		ok = kc_aead_asks(c);
	if (!ok || !kc_base_outer(c->base)->get_ctx_params(c->base_ctx, params))
		return 0;
	if (c->owes_tag)
		correct_tag(c, params);
	if (kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_IVLEN) &&
	    !kc_param_read(params, &c->said_nonce_len))
		c->said_nonce_len = 0;
	return 1;
}

static __attribute__((noinline)) int get_tag(struct kc_aead *c, OSSL_PARAM *p)
{
	if (!p->data || p->data_type != OSSL_PARAM_OCTET_STRING)
		return get_any(c, p);
	if (!kc_aead_get_tag(c, p->data, p->data_size))
		return 0;
	if (c->family->tells_tag_len)
		p->return_size = p->data_size;
	return 1;
}

/* Bytes; 0: another question, or the base must answer. */
static size_t length_asked_of(const struct kc_aead *c, const OSSL_PARAM *params)
{
	if (kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_IVLEN))
		return c->said_nonce_len;
	if (kc_param_alone(params, OSSL_CIPHER_PARAM_KEYLEN))
		return c->base->alg->key_len;
	return 0;
}

/* OpenSSL 3.0 asks for both lengths at each init; cipher.c says why the base is not asked. */
static int get_aead_params(void *ctx, OSSL_PARAM params[])
{
	struct kc_aead *c = ctx;
	size_t len = length_asked_of(c, params);

	if (len && kc_param_answer(params, len))
		return 1;
	if (kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_TAG)) {
		if (c->asleep)
			return kc_base_outer(c->base)->get_ctx_params(c->base_ctx, params);
		return get_tag(c, params);
	}
	return get_any(c, params);
}

static int give(struct kc_aead *c, const struct kc_setting *set, const OSSL_PARAM params[])
{
	enum kc_outcome outcome = kc_aead_sets(c, set);
	int ok;

	if (outcome != KC_TO_BASE)
		return outcome == KC_NOTED;
	ok = kc_base_outer(c->base)->set_ctx_params(c->base_ctx, params);
	kc_aead_was_set(c, set, ok);
	return ok;
}

/* For a record's AAD alone, which find_setting() would find, too. */
static int give_record(struct kc_aead *c, const OSSL_PARAM params[])
{
	const struct kc_setting set = { KC_SET_RECORD, params->data, params->data_size };

	if (kc_aead_pass_short_record(c, set.data, set.len))
		return kc_aead_done(c, kc_base_outer(c->base)->set_ctx_params(c->base_ctx, params));
	return give(c, &set, params);
}

static __attribute__((noinline)) int set_any(struct kc_aead *c, const OSSL_PARAM params[])
{
	struct kc_setting set;

	if (kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD) &&
	    params->data_type == OSSL_PARAM_OCTET_STRING)
		return give_record(c, params);
	if (find_setting(params, &set))
		return give(c, &set, params);
	return kc_base_outer(c->base)->set_ctx_params(c->base_ctx, params);
}

/* If a program turned padding off, EVP sets that at each init, though AEADs have no padding. */
static int set_aead_params(void *ctx, const OSSL_PARAM params[])
{
	struct kc_aead *c = ctx;

	if (c->asleep && kc_param_alone(params, OSSL_CIPHER_PARAM_AEAD_TAG) &&
	    params->data_size == c->lengths.tag)
		return kc_base_outer(c->base)->set_ctx_params(c->base_ctx, params);
	if (kc_param_alone(params, OSSL_CIPHER_PARAM_PADDING))
		return 1;
	return set_any(c, params);
}

void kc_aead_functions(struct kc_table *t)
{
	KC_TABLE_ADD(t, CIPHER_FREECTX, cipher_freectx, kc_aead_free);
	KC_TABLE_ADD(t, CIPHER_DUPCTX, cipher_dupctx, kc_aead_dup);
	KC_TABLE_ADD(t, CIPHER_ENCRYPT_INIT, cipher_encrypt_init, encrypt_init_aead);
	KC_TABLE_ADD(t, CIPHER_DECRYPT_INIT, cipher_decrypt_init, decrypt_init_aead);
	KC_TABLE_ADD_COUNTED(t, CIPHER_UPDATE, cipher_update, kc_aead_update, kc_counted_update);
	KC_TABLE_ADD(t, CIPHER_FINAL, cipher_final, kc_aead_final);
	KC_TABLE_ADD_COUNTED(t, CIPHER_CIPHER, cipher_cipher, kc_aead_oneshot, kc_counted_oneshot);
	KC_TABLE_ADD(t, CIPHER_GET_CTX_PARAMS, cipher_get_ctx_params, get_aead_params);
	KC_TABLE_ADD(t, CIPHER_SET_CTX_PARAMS, cipher_set_ctx_params, set_aead_params);
}
