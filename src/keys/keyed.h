/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first part of each context: its key in the keyring, and the session with it. And the helpers
 * that both kinds of cipher and the MAC share. Knows nothing of messages.
 */
#ifndef KC_KEYS_KEYED_H
#define KC_KEYS_KEYED_H

#include "base/param.h"
#include "keys/keys.h"
#include "session/request.h"

struct kc_keyed {
	struct kc_keys *keys;
	const struct kc_alg *alg;
	struct kc_candidate *candidate; /* for the key; NULL: there is no key */
	struct kc_session session;
	int32_t serial; /* of the key; 0: ->blob has it */
	struct kc_blob *blob;
	bool is_wrapped;
	size_t key_len;	  /* bytes */
	unsigned tag_len; /* bytes, of an AEAD's session */
	/*
	 * Random bytes, and the key's result for them; each later session must give the same
	 * result.
	 */
	uint8_t question[16], answer[16];
	bool has_answer;
};

/* Initialises @k without a key. @alg: NULL if it is not known yet. */
void kc_keyed_init(struct kc_keyed *k, struct kc_keys *keys, const struct kc_alg *alg);

/* Call it at the context's end. */
void kc_keyed_end(struct kc_keyed *k);
/* Call it for a copy, which gets a session of its own. */
void kc_keyed_copied(struct kc_keyed *k);

/*
 * Takes the key for requests of k->alg. Opens a session at once, so that a key that can't be used
 * is refused here. 1, or 0 with an error raised; then there is no key.
 */
int kc_keyed_take(struct kc_keyed *k, const struct kc_kernel_key *key);

/* Returns 1 if there is a key; otherwise raises an error and returns 0. */
int kc_keyed_has_key(const struct kc_keyed *k);

/*
 * Opens a session with the key, unless one is open. 0 or -errno; -ESTALE: the serial number is now
 * that of another key, or the key's bytes have changed.
 */
int kc_keyed_open(struct kc_keyed *k);

/* Does one request. If the session has ended, it opens another one. 0 or -errno. */
int kc_keyed_run(struct kc_keyed *k, const struct kc_req *req);

/* Returns the text for an error of the kernel; @err: -errno. */
const char *kc_keyed_explain(const struct kc_keyed *k, int err);

/*
 * Checks the driver of a wrapped key, as far as that is possible: 0 if it decrypts @answer, its own
 * encryption of k->question, back to that; -EPROTO if it does not; or another -errno.
 */
int kc_wrapped_check(struct kc_keyed *k, const uint8_t *answer);

/* A numeric parameter. */
struct kc_number {
	const char *key; /* NULL: the end of a list */
	size_t value;
};

/* Answers the numbers that are asked for. 1; 0: one does not fit. */
static inline int kc_answer_numbers(OSSL_PARAM params[], const struct kc_number *numbers)
{
	for (; numbers->key; numbers++) {
		OSSL_PARAM *p = OSSL_PARAM_locate(params, numbers->key);

		if (p && !OSSL_PARAM_set_size_t(p, numbers->value))
			return 0;
	}
	return 1;
}

/* Answers a question for a copy of an IV or a pointer to it. 1, also if it is not asked for. */
static inline int kc_answer_iv(OSSL_PARAM params[], const char *key, uint8_t *iv, size_t len)
{
	OSSL_PARAM *p = OSSL_PARAM_locate(params, key);

	if (!p)
		return 1;
	if (p->data_type == OSSL_PARAM_OCTET_PTR)
		return OSSL_PARAM_set_octet_ptr(p, iv, len);
	return OSSL_PARAM_set_octet_string(p, iv, len);
}

/* Defines a function that lists parameters of a context. */
#define KC_LIST_CTX_PARAMS(name, ...)                                                              \
	static const OSSL_PARAM *name(void *ctx, void *provctx)                                    \
	{                                                                                          \
		static const OSSL_PARAM known[] = { __VA_ARGS__, OSSL_PARAM_END };                 \
                                                                                                   \
		(void)ctx;                                                                         \
		(void)provctx;                                                                     \
		return known;                                                                      \
	}

/*
 * Defines the dispatch table @name of a @kind of cipher: the given functions, those with @kind in
 * their names, and two inits that call init_@kind().
 */
#define KC_CIPHER_TABLE(name, kind, update_fn, final_fn, oneshot_fn)                               \
	static int encrypt_init_##kind(void *ctx, void *key, const unsigned char *iv,              \
				       size_t iv_len, const OSSL_PARAM params[])                   \
	{                                                                                          \
		return init_##kind(ctx, KC_ENCRYPT, key, iv, iv_len, params);                      \
	}                                                                                          \
                                                                                                   \
	static int decrypt_init_##kind(void *ctx, void *key, const unsigned char *iv,              \
				       size_t iv_len, const OSSL_PARAM params[])                   \
	{                                                                                          \
		return init_##kind(ctx, KC_DECRYPT, key, iv, iv_len, params);                      \
	}                                                                                          \
                                                                                                   \
	const OSSL_DISPATCH name[] = {                                                             \
		KC_ENTRY(CIPHER_FREECTX, cipher_freectx, free_##kind),                             \
		KC_ENTRY(CIPHER_DUPCTX, cipher_dupctx, dup_##kind),                                \
		KC_ENTRY(CIPHER_ENCRYPT_SKEY_INIT, cipher_encrypt_skey_init, encrypt_init_##kind), \
		KC_ENTRY(CIPHER_DECRYPT_SKEY_INIT, cipher_decrypt_skey_init, decrypt_init_##kind), \
		KC_ENTRY(CIPHER_UPDATE, cipher_update, update_fn),                                 \
		KC_ENTRY(CIPHER_FINAL, cipher_final, final_fn),                                    \
		KC_ENTRY(CIPHER_CIPHER, cipher_cipher, oneshot_fn),                                \
		KC_ENTRY(CIPHER_GET_CTX_PARAMS, cipher_get_ctx_params, get_##kind##_params),       \
		KC_ENTRY(CIPHER_SET_CTX_PARAMS, cipher_set_ctx_params, set_##kind##_params),       \
		KC_ENTRY(CIPHER_GETTABLE_CTX_PARAMS, cipher_gettable_ctx_params,                   \
			 gettable_##kind##_params),                                                \
		KC_ENTRY(CIPHER_SETTABLE_CTX_PARAMS, cipher_settable_ctx_params,                   \
			 settable_##kind##_params),                                                \
		{ 0, NULL },                                                                       \
	}

#endif
