/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's default provider, and its legacy provider if requested, opened in a private library
 * context: one per process, however many application contexts load us. Their dispatch tables are
 * the base of every context.
 */
#ifndef KC_BASE_BASE_H
#define KC_BASE_BASE_H

#include <openssl/crypto.h>

#include "base/ossl_compat.h"
#include "core/base.h"

typedef void kc_function(void); /* any type */

/* @f for a dispatch table, whose generic pointer hides the type; checks that it is OpenSSL's. */
#define KC_FUNCTION(type, f) ((kc_function *)(1 ? (f) : (OSSL_FUNC_##type##_fn *)0))

/* An entry of an OSSL_DISPATCH. */
#define KC_ENTRY(ID, type, f)                                                                      \
	{                                                                                          \
		OSSL_FUNC_##ID, KC_FUNCTION(type, f)                                               \
	}

/* The function with this id in one of OpenSSL's tables; NULL: it has none. */
kc_function *kc_function_of(const OSSL_DISPATCH *table, int id);

/*
 * The active provider of this name in a library context; NULL: there is none. It lives as long as
 * the context, unless the application unloads it.
 */
OSSL_PROVIDER *kc_base_find_active(OSSL_LIB_CTX *ctx, const char *name);

/* The library context of the application that loads a module, of what its init gets. */
OSSL_LIB_CTX *kc_base_core_context(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *functions);

/*
 * A row's implementation: functions that the core calls, and functions that only OpenSSL's edge
 * passes on. A row has the functions of its kind; a digest's may be NULL from get_ctx_params on.
 */
struct kc_base_row {
	struct kc_base base;	      /* first: a pointer to it is a pointer to the whole */
	const OSSL_ALGORITHM *theirs; /* NULL: not looked up yet; without a name: not there */
	void *provctx;		      /* its provider's */
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
 * A process may have two copies of libcrypto, even of the same version: one that the program is
 * linked to, perhaps statically, and that loads us, and the one that we are linked to. A library
 * context of the one is nothing that the other may touch. Are @functions, which the first hands us,
 * those of the second?
 */
static inline bool kc_base_is_its(const OSSL_DISPATCH *functions)
{
	return kc_function_of(functions, OSSL_FUNC_CRYPTO_SECURE_ALLOCATED) ==
	       KC_FUNCTION(CRYPTO_secure_allocated, CRYPTO_secure_allocated);
}

extern struct kc_base_row kc_base_rows[KC_ALG_COUNT];

/* The row of an algorithm whose kc_base_get() is not NULL. */
static inline const struct kc_base_row *kc_base_row(const struct kc_alg *alg)
{
	return &kc_base_rows[alg - kc_algs];
}

/* The row of a base. */
static inline const struct kc_base_row *kc_base_outer(const struct kc_base *base)
{
	return (const struct kc_base_row *)base;
}

/*
 * Returns the names under which OpenSSL registers it, with all aliases; for a MAC row, those of its
 * MAC. Returns NULL, and may be called by one thread at a time, like kc_base_get().
 */
const char *kc_base_names(const struct kc_alg *alg);

/*
 * Returns the default provider's function with this id for a row that has names; NULL if it has
 * none.
 */
kc_function *kc_base_function(const struct kc_alg *alg, int function_id);

/*
 * Returns the argument that makes a context of a MAC fetch digests and ciphers where @provider
 * does, if that is another instance of the default provider; otherwise NULL.
 */
void *kc_base_mac_provctx(const OSSL_PROVIDER *provider);

/* Within src/base: what the files of each kind add to a row that has its provider's functions. */
/* Adds what cipher.c has for a row. */
void kc_base_fill_cipher(struct kc_base_row *row);
/* Adds what aead.c has for a row. */
void kc_base_fill_aead(struct kc_base_row *row);
/* Adds what hash.c has for a row. */
void kc_base_fill_hash(struct kc_base_row *row);
/* Adds what mac.c has for a row. */
void kc_base_fill_mac(struct kc_base_row *row);

#endif
