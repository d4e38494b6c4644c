/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider of OpenSSL, and its legacy provider if requested, opened in a private
 * library context: one per process, however many application contexts load us. Their dispatch
 * tables are the base of every context.
 */
#ifndef KC_BASE_BASE_H
#define KC_BASE_BASE_H

#include <openssl/crypto.h>

#include "base/ossl_compat.h"
#include "core/base.h"

typedef void kc_function(void); /* of any type */

/* @f for a dispatch table, whose generic pointer hides types; checks that @f has OpenSSL's type. */
#define KC_FUNCTION(type, f) ((kc_function *)(1 ? (f) : (OSSL_FUNC_##type##_fn *)0))

/* An entry of an OSSL_DISPATCH. */
#define KC_ENTRY(ID, type, f)                                                                      \
	{                                                                                          \
		OSSL_FUNC_##ID, KC_FUNCTION(type, f)                                               \
	}

/* Returns the function with this id in one of OpenSSL's tables; NULL if it has none. */
kc_function *kc_function_of(const OSSL_DISPATCH *table, int id);

/*
 * Returns the active provider of this name in a library context; NULL if there is none. It lives as
 * long as that context, unless the application unloads it.
 */
OSSL_PROVIDER *kc_base_find_active(OSSL_LIB_CTX *ctx, const char *name);

/*
 * Returns the library context of the application that loads a module. Takes the module's init
 * arguments.
 */
OSSL_LIB_CTX *kc_base_core_context(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *functions);

/*
 * A row's implementation: functions that the core calls, and functions that only OpenSSL's edge
 * passes on. A row has the functions of its kind; a digest's may be NULL from get_ctx_params on.
 */
struct kc_base_row {
	struct kc_base base;	      /* first, so that it has the address of the whole */
	const OSSL_ALGORITHM *theirs; /* NULL: not looked up yet; without a name: missing */
	void *provctx;		      /* of its provider */
	void *(*newctx)(void *provctx);
	OSSL_FUNC_cipher_encrypt_init_fn *init[2]; /* by enum kc_dir */
	union {
		OSSL_FUNC_digest_init_fn *digest_init;
		OSSL_FUNC_mac_init_fn *mac_init;
	};
	int (*get_ctx_params)(void *ctx, OSSL_PARAM params[]);
	int (*set_ctx_params)(void *ctx, const OSSL_PARAM params[]);
	OSSL_FUNC_digest_copyctx_fn *copyctx;
	OSSL_FUNC_digest_serialize_fn *serialize;
	OSSL_FUNC_digest_deserialize_fn *deserialize;
};

/*
 * True if @functions, which the loading libcrypto hands us, belong to the libcrypto that we are
 * linked to. A process may have two copies, even of the same version: the program's, perhaps linked
 * statically, which loads us, and ours. Neither may touch the other's library contexts.
 */
static inline bool kc_base_is_its(const OSSL_DISPATCH *functions)
{
	return kc_function_of(functions, OSSL_FUNC_CRYPTO_SECURE_ALLOCATED) ==
	       KC_FUNCTION(CRYPTO_secure_allocated, CRYPTO_secure_allocated);
}

extern struct kc_base_row kc_base_rows[KC_ALG_COUNT];

/* Returns the row of an algorithm whose kc_base_get() is not NULL. */
static inline const struct kc_base_row *kc_base_row(const struct kc_alg *alg)
{
	return &kc_base_rows[alg - kc_algs];
}

/* Returns the row of a base. */
static inline const struct kc_base_row *kc_base_outer(const struct kc_base *base)
{
	return (const struct kc_base_row *)base;
}

/*
 * Returns the names under which OpenSSL registers the row, with all aliases; for a MAC row, the
 * names of its MAC. NULL if OpenSSL lacks it. One thread at a time, like kc_base_get().
 */
const char *kc_base_names(const struct kc_alg *alg);

/*
 * Returns the default provider's function with this id, for a row that has names; NULL if there is
 * none.
 */
kc_function *kc_base_function(const struct kc_alg *alg, int function_id);

/*
 * Returns the argument with which the MAC's newctx makes a context that fetches digests and ciphers
 * where @provider does, if that is another instance of the default provider; otherwise NULL.
 */
void *kc_base_mac_provctx(const OSSL_PROVIDER *provider);

/* The rest is for src/base alone: each kind adds its functions to a row that has its provider's. */
/* Fills in a cipher's row (cipher.c). */
void kc_base_fill_cipher(struct kc_base_row *row);
/* Fills in an AEAD's row (aead.c). */
void kc_base_fill_aead(struct kc_base_row *row);
/* Fills in a digest's row (hash.c). */
void kc_base_fill_hash(struct kc_base_row *row);
/* Fills in a MAC's row (mac.c). */
void kc_base_fill_mac(struct kc_base_row *row);

#endif
