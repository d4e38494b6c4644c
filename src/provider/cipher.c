/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's cipher functions, shared by all rows: the base answers, and the core is told. Update,
 * one-shot and final are the core's own. ctx is a struct kc_cipher.
 */
#include "provider/rows.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "request/cipher.h"
#include "base/param.h"

/*
 * A version of 0 is none. What the base makes of anything but one number only the base knows: of a
 * name that occurs twice some versions take the first value, and some neither.
 */
static __attribute__((noinline, cold)) enum kc_tls_mode read_tls(const OSSL_PARAM *p, bool is_taken)
{
	size_t n = 0;

	if (!is_taken || kc_param_find(p + 1, OSSL_CIPHER_PARAM_TLS_VERSION))
		return KC_TLS_UNKNOWN;
	if (!kc_param_read(p, &n))
		return KC_TLS_UNKNOWN;
	return n ? KC_TLS_YES : KC_TLS_NO;
}

/*
 * Reads the two parameters that the core must know; the base got them, too, and @ok is its result.
 * If a cipher takes keys of several lengths, only one of them is the row's.
 */
static void read_cipher_params(struct kc_cipher *c, const OSSL_PARAM *p, bool ok)
{
	const OSSL_PARAM *tls = NULL;

	for (; p && p->key; p++) {
		size_t n = 0;

		if (!tls && kc_param_is(p, OSSL_CIPHER_PARAM_TLS_VERSION))
			tls = p;
		if (!kc_param_is(p, OSSL_CIPHER_PARAM_KEYLEN))
			continue;
		if (!kc_param_read(p, &n) || n != c->base->alg->key_len) {
			c->other_key_len = true;
			kc_cipher_key_lost(c);
		}
	}
	if (tls)
		c->tls = read_tls(tls, ok);
}

static int init_cipher(struct kc_cipher *c, enum kc_dir dir, const unsigned char *key,
		       size_t key_len, const unsigned char *iv, size_t iv_len,
		       const OSSL_PARAM params[])
{
	int ok = kc_base_outer(c->base)->init[dir](c->base_ctx, key, key_len, iv, iv_len, params);

	kc_cipher_started(c, dir, key, key_len, iv, iv_len, ok);
	read_cipher_params(c, params, ok);
	if (params)
		c->no_padding = false;
	return ok;
}

static inline __attribute__((always_inline)) int
start_cipher(struct kc_cipher *c, enum kc_dir dir, const unsigned char *key, size_t key_len,
	     const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	if (params || !kc_cipher_restarts(c, dir, key, key_len, iv, iv_len))
		return init_cipher(c, dir, key, key_len, iv, iv_len, params);
	if (!kc_base_outer(c->base)->init[dir](c->base_ctx, key, key_len, iv, iv_len, NULL))
		return kc_cipher_key_lost(c);
	return 1;
}

static int encrypt_init_cipher(void *ctx, const unsigned char *key, size_t key_len,
			       const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	return start_cipher(ctx, KC_ENCRYPT, key, key_len, iv, iv_len, params);
}

static int decrypt_init_cipher(void *ctx, const unsigned char *key, size_t key_len,
			       const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	return start_cipher(ctx, KC_DECRYPT, key, key_len, iv, iv_len, params);
}

/* Returns the length that is asked for, in bytes; 0: the base must answer. */
static size_t length_asked(const struct kc_cipher *c, const OSSL_PARAM *params)
{
	const struct kc_alg *alg = c->base->alg;

	if (kc_param_alone(params, OSSL_CIPHER_PARAM_IVLEN))
		return alg->iv_len;
	if (kc_param_alone(params, OSSL_CIPHER_PARAM_KEYLEN) && !c->other_key_len)
		return alg->key_len;
	return 0;
}

/*
 * OpenSSL 3.0 asks for both lengths at each init, one at a time. The default provider compares the
 * name with all names that it knows, which takes half of an init; the row gives the same answer.
 */
static int get_cipher_params(void *ctx, OSSL_PARAM params[])
{
	struct kc_cipher *c = ctx;
	size_t len = length_asked(c, params);

	if (len && kc_param_answer(params, len))
		return 1;
	return kc_base_outer(c->base)->get_ctx_params(c->base_ctx, params);
}

static bool says_no_padding(const OSSL_PARAM *p)
{
	static const unsigned none = 0;

	if (!kc_param_alone(p, OSSL_CIPHER_PARAM_PADDING))
		return false;
	if (p->data_type != OSSL_PARAM_UNSIGNED_INTEGER || p->data_size != sizeof(none) || !p->data)
		return false;
	return memcmp(p->data, &none, sizeof(none)) == 0;
}

/*
 * OpenSSL repeats 'no padding' at each init of a context that has none. The base would compare that
 * name with all names that it knows, which takes a fifth of the init.
 */
static int set_cipher_params(void *ctx, const OSSL_PARAM params[])
{
	struct kc_cipher *c = ctx;
	bool no_padding = says_no_padding(params);
	int ok;

	if (no_padding && c->no_padding)
		return 1;
	kc_cipher_displace(c);
	/* In mid-stream, parameters change the bytes that the base holds back. */
	if (c->fed)
		c->threshold = KC_NO_DETOUR;
	ok = kc_base_outer(c->base)->set_ctx_params(c->base_ctx, params);
	read_cipher_params(c, params, ok);
	c->no_padding = ok && no_padding;
	return ok;
}

void kc_cipher_functions(struct kc_table *t)
{
	KC_TABLE_ADD(t, CIPHER_FREECTX, cipher_freectx, kc_cipher_free);
	KC_TABLE_ADD(t, CIPHER_DUPCTX, cipher_dupctx, kc_cipher_dup);
	KC_TABLE_ADD(t, CIPHER_ENCRYPT_INIT, cipher_encrypt_init, encrypt_init_cipher);
	KC_TABLE_ADD(t, CIPHER_DECRYPT_INIT, cipher_decrypt_init, decrypt_init_cipher);
	KC_TABLE_ADD_COUNTED(t, CIPHER_UPDATE, cipher_update, kc_cipher_update, kc_counted_update);
	KC_TABLE_ADD(t, CIPHER_FINAL, cipher_final, kc_cipher_final);
	KC_TABLE_ADD_COUNTED(t, CIPHER_CIPHER, cipher_cipher, kc_cipher_oneshot,
			     kc_counted_oneshot);
	KC_TABLE_ADD(t, CIPHER_GET_CTX_PARAMS, cipher_get_ctx_params, get_cipher_params);
	KC_TABLE_ADD(t, CIPHER_SET_CTX_PARAMS, cipher_set_ctx_params, set_cipher_params);
}
