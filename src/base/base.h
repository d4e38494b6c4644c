/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's default provider, and its legacy provider where that is wanted, opened in a private
 * library context: one per process, whatever number of application contexts load us. Their dispatch
 * tables are the base of every context.
 */
#ifndef KC_BASE_BASE_H
#define KC_BASE_BASE_H

#include "base/dispatch.h"
#include "base/software.h"
#include "base/ossl_compat.h"
#include "core/base.h"

/* A cipher's implementation: what the core calls, and what only OpenSSL's edge passes on. */
struct kc_base_cipher {
	struct kc_cipher_base core; /* first: the core's pointer is a pointer to this */
	void *provctx;		    /* of the row's provider */
	OSSL_FUNC_cipher_newctx_fn *newctx;
	OSSL_FUNC_cipher_encrypt_init_fn *encrypt_init;
	OSSL_FUNC_cipher_decrypt_init_fn *decrypt_init;
	OSSL_FUNC_cipher_get_ctx_params_fn *get_ctx_params;
	OSSL_FUNC_cipher_set_ctx_params_fn *set_ctx_params;
};

/* A digest's. Functions that the default provider lacks are NULL, from get_ctx_params on. */
struct kc_base_digest {
	struct kc_hash_base core; /* first */
	void *provctx;
	OSSL_FUNC_digest_newctx_fn *newctx;
	OSSL_FUNC_digest_init_fn *init;
	OSSL_FUNC_digest_get_ctx_params_fn *get_ctx_params;
	OSSL_FUNC_digest_set_ctx_params_fn *set_ctx_params;
	OSSL_FUNC_digest_copyctx_fn *copyctx;
	OSSL_FUNC_digest_serialize_fn *serialize;
	OSSL_FUNC_digest_deserialize_fn *deserialize;
};

/* A MAC's, for each of its rows. */
struct kc_base_mac {
	struct kc_hash_base core; /* first */
	const OSSL_DISPATCH *implementation;
	void *provctx;
	OSSL_FUNC_mac_newctx_fn *newctx;
	OSSL_FUNC_mac_init_fn *init;
	OSSL_FUNC_mac_get_ctx_params_fn *get_ctx_params;
	OSSL_FUNC_mac_set_ctx_params_fn *set_ctx_params;
};

/* An AEAD's implementation, as above. */
struct kc_base_aead {
	struct kc_aead_base core; /* first, as above */
	void *provctx;
	OSSL_FUNC_cipher_newctx_fn *newctx;
	OSSL_FUNC_cipher_encrypt_init_fn *encrypt_init;
	OSSL_FUNC_cipher_decrypt_init_fn *decrypt_init;
	OSSL_FUNC_cipher_get_ctx_params_fn *get_ctx_params;
	OSSL_FUNC_cipher_set_ctx_params_fn *set_ctx_params;
};

/*
 * The names as OpenSSL registers them, all aliases; a MAC's. NULL, and by one thread at a time, as
 * kc_base_get().
 */
const char *kc_base_names(const struct kc_alg *alg);

/* That function of the default provider's for this row, which has names; NULL if it has none. */
kc_function *kc_base_function(const struct kc_alg *alg, int function_id);

/* What the default provider's functions of this row, which has names, are called with. */
void *kc_base_provctx(const struct kc_alg *alg);

/* The row of a cipher, digest or MAC, of which kc_base_get() is not NULL. */
const struct kc_base_cipher *kc_base_cipher(const struct kc_alg *alg);
const struct kc_base_digest *kc_base_digest(const struct kc_alg *alg);
const struct kc_base_mac *kc_base_mac(const struct kc_alg *alg);

/*
 * What a context of this MAC is to be made with so that it fetches digests and ciphers where
 * @provider does, if that is another instance of the default provider; else NULL.
 */
void *kc_base_mac_provctx(const struct kc_alg *alg, const OSSL_PROVIDER *provider);

/* As that, of an AEAD. */
const struct kc_base_aead *kc_base_aead(const struct kc_alg *alg);

#endif
