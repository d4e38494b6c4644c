/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's default provider, opened in a private library context: one per process, whatever
 * number of application contexts load us. Its dispatch tables are the base of every context.
 */
#ifndef KC_BASE_BASE_H
#define KC_BASE_BASE_H

#include <openssl/core_dispatch.h>

#include "core/base.h"

/* A cipher's implementation: what the core calls, and what only OpenSSL's edge passes on. */
struct kc_base_cipher {
	struct kc_cipher_base core; /* first: the core's pointer is a pointer to this */
	void *provctx;		    /* of the default provider */
	OSSL_FUNC_cipher_newctx_fn *newctx;
	OSSL_FUNC_cipher_encrypt_init_fn *encrypt_init;
	OSSL_FUNC_cipher_decrypt_init_fn *decrypt_init;
	OSSL_FUNC_cipher_get_params_fn *get_params;
	OSSL_FUNC_cipher_get_ctx_params_fn *get_ctx_params;
	OSSL_FUNC_cipher_set_ctx_params_fn *set_ctx_params;
	OSSL_FUNC_cipher_gettable_params_fn *gettable_params;
	OSSL_FUNC_cipher_gettable_ctx_params_fn *gettable_ctx_params;
	OSSL_FUNC_cipher_settable_ctx_params_fn *settable_ctx_params;
};

/* An AEAD's implementation, as above. */
struct kc_base_aead {
	struct kc_aead_base core; /* first, as above */
	void *provctx;
	OSSL_FUNC_cipher_newctx_fn *newctx;
	OSSL_FUNC_cipher_encrypt_init_fn *encrypt_init;
	OSSL_FUNC_cipher_decrypt_init_fn *decrypt_init;
	OSSL_FUNC_cipher_get_params_fn *get_params;
	OSSL_FUNC_cipher_get_ctx_params_fn *get_ctx_params;
	OSSL_FUNC_cipher_set_ctx_params_fn *set_ctx_params;
	OSSL_FUNC_cipher_gettable_params_fn *gettable_params;
	OSSL_FUNC_cipher_gettable_ctx_params_fn *gettable_ctx_params;
	OSSL_FUNC_cipher_settable_ctx_params_fn *settable_ctx_params;
};

/*
 * Opens the private context, or counts one more user of it. 1 or 0; the error queue is left as
 * it was. Thread-safe, as is kc_base_close().
 */
int kc_base_open(void);
void kc_base_close(void);

/* NULL where the default provider lacks this algorithm or a function of it that we need. */
const struct kc_base *kc_base_get(const struct kc_alg *alg);

/* The names as the default provider registers them, all aliases; NULL as above. */
const char *kc_base_names(const struct kc_alg *alg);

/* The row of a cipher, of which kc_base_get() is not NULL. */
const struct kc_base_cipher *kc_base_cipher(const struct kc_alg *alg);

/* As that, of an AEAD. */
const struct kc_base_aead *kc_base_aead(const struct kc_alg *alg);

#endif
