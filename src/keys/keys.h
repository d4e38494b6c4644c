/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second provider: ciphers and MACs whose keys stay in the kernel's keyring. It knows only a
 * key's serial number and length. OpenSSL's software does no request, because it lacks the key.
 */
#ifndef KC_KEYS_KEYS_H
#define KC_KEYS_KEYS_H

#include <openssl/err.h>
#include <openssl/proverr.h>

#include "base/base.h"
#include "keys/named.h"
#include "policy/policy.h"

#define KC_KEYS_PROPERTY "provider=kcrypto-keys"
#define KC_KEYS_MANAGER	 "KERNEL-KEY"

/* A wrapped key that is not in the keyring. It is no secret: only a device can open it. */
struct kc_blob {
	atomic_uint holders; /* the key object, and contexts */
	size_t len;	     /* bytes */
	uint8_t bytes[];
};

/* The data of an EVP_SKEY. */
struct kc_kernel_key {
	int32_t serial;	      /* in the keyring; 0: ->blob is the key */
	struct kc_blob *blob; /* bytes of a wrapped key, or NULL */
	bool is_wrapped;      /* for drivers whose device unwraps it */
	size_t len;	      /* bytes; of a wrapped key, the length of the key inside */
	char id[];	      /* "TYPE:DESCRIPTION", or "blob" */
};

/* An instance, one per library context of an application that loads us. */
struct kc_keys {
	const OSSL_CORE_HANDLE *handle;
	OSSL_FUNC_core_get_params_fn *get_params; /* for the section of openssl.cnf; may be NULL */
	bool has_place;				  /* see provider.c */
	bool hardware_only;

	/* Under kc_process_lock(). */
	bool base_open;
	struct kc_policy *policy;     /* NULL until the first key is used */
	struct kc_candidate *wrapped; /* a list, for wrapped keys */
};

/* Raises OpenSSL's error @reason with a text. Returns NULL; kc_refuse() returns 0. */
void *kc_raise(int reason, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define kc_refuse(...) (kc_raise(__VA_ARGS__) != NULL)

/*
 * Finds the key that @name means, see keys/named.h. @len: its length in bytes, for types that do
 * not tell it; 0: unknown. @is_wrapped: the kernel's bytes are a blob, and @len is the length of
 * the key inside. NULL: there is none, and an error has been raised.
 */
struct kc_kernel_key *kc_kernel_key_find(const char *name, size_t len, bool is_wrapped);

/*
 * Returns an object for the key with this serial number; NULL: an error has been raised, or memory
 * is short. @type, @description: see core/backend.h.
 */
struct kc_kernel_key *kc_kernel_key_new(int32_t serial, const char *type, const char *description,
					size_t len, bool is_wrapped);

/* Returns an object for a blob of @n bytes, with a key of @len bytes inside. NULL as above. */
struct kc_kernel_key *kc_wrapped_key(const void *bytes, size_t n, size_t len);

/* Adds a holder, and returns @blob. NULL is fine. */
struct kc_blob *kc_blob_hold(struct kc_blob *blob);
/* Removes a holder; the last one frees the blob. NULL is fine. */
void kc_blob_drop(struct kc_blob *blob);

/*
 * Returns the candidate that does requests of @alg, after its trial. NULL: there is none, and an
 * error has been raised.
 */
struct kc_candidate *kc_keys_candidate(struct kc_keys *keys, const struct kc_alg *alg);

/* The same for wrapped keys, without a trial. kc_wrapped_free() frees all of these candidates. */
struct kc_candidate *kc_wrapped_candidate(struct kc_keys *keys, const struct kc_alg *alg);
void kc_wrapped_free(struct kc_keys *keys);

/* The tables for OpenSSL, ended by an empty entry. */
extern const OSSL_ALGORITHM kc_keys_macs[], kc_keys_managers[], kc_keys_stores[];

/* The functions of each kind of cipher, except those that each row has of its own. */
extern const OSSL_DISPATCH kc_keyed_cipher_functions[], kc_keyed_aead_functions[];

/* Returns a cipher's context; NULL if memory is short. */
void *kc_keyed_cipher_new(struct kc_keys *keys, const struct kc_alg *alg);
/* Returns an AEAD's context; NULL if memory is short. */
void *kc_keyed_aead_new(struct kc_keys *keys, const struct kc_alg *alg);

#endif
