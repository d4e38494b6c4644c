/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second provider: ciphers whose keys stay in the kernel's keyring. A key is known here by its
 * serial number and its length only. No request is done by OpenSSL's software: it lacks the key.
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

/* A wrapped key that is not in the keyring; no secret, as only a device can open it. */
struct kc_blob {
	atomic_uint holders; /* the key object, and contexts */
	size_t len;	     /* bytes */
	uint8_t bytes[];
};

/* An EVP_SKEY's. */
struct kc_kernel_key {
	int32_t serial;	      /* or 0, and */
	struct kc_blob *blob; /* the key itself */
	bool is_wrapped;      /* it is for drivers whose device unwraps it */
	size_t len;	      /* bytes; of a wrapped key, of the one inside */
	char id[];	      /* "TYPE:DESCRIPTION", or "blob" */
};

/* An instance: a library context of the application that loaded us. */
struct kc_keys {
	const OSSL_CORE_HANDLE *handle;
	OSSL_FUNC_core_get_params_fn *get_params; /* for the section of openssl.cnf; may be NULL */
	bool has_place;				  /* see provider.c */
	bool hardware_only;

	/* Under kc_process_lock(). */
	bool base_open;
	struct kc_policy *policy;     /* NULL until the first key is used */
	struct kc_candidate *wrapped; /* for wrapped keys: a list */
};

/* Raises OpenSSL's error @reason with a text. Returns NULL; refuse: 0. */
void *kc_raise(int reason, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define kc_refuse(...) (kc_raise(__VA_ARGS__) != NULL)

/*
 * The key that @name means, see keys/named.h. @len: its length, for types that do not tell; 0:
 * unknown. @is_wrapped: the kernel's bytes are a blob, and @len is the length of the key inside.
 * NULL: none, and an error has been raised.
 */
struct kc_kernel_key *kc_kernel_key_find(const char *name, size_t len, bool is_wrapped);

/* The key with this serial number. @type, @description: see core/backend.h. */
struct kc_kernel_key *kc_kernel_key_new(int32_t serial, const char *type, const char *description,
					size_t len, bool is_wrapped);

/* A blob of @n bytes, with a key of @len bytes inside. NULL: an error has been raised. */
struct kc_kernel_key *kc_wrapped_key(const void *bytes, size_t n, size_t len);

/* One holder more, or less; NULL is fine. */
struct kc_blob *kc_blob_hold(struct kc_blob *blob);
/* One holder less; the last one wipes and frees it. NULL is fine. */
void kc_blob_drop(struct kc_blob *blob);

/*
 * The candidate that does requests of @alg, after its trial. NULL: there is none, and an error has
 * been raised.
 */
struct kc_candidate *kc_keys_candidate(struct kc_keys *keys, const struct kc_alg *alg);

/* The same for wrapped keys; there is no trial. kc_wrapped_free() ends all of them. */
struct kc_candidate *kc_wrapped_candidate(struct kc_keys *keys, const struct kc_alg *alg);
void kc_wrapped_free(struct kc_keys *keys);

/* The tables for OpenSSL, ended as it wants them. */
extern const OSSL_ALGORITHM kc_keys_macs[], kc_keys_managers[], kc_keys_stores[];

/* The functions of each kind of cipher, without those that each row has of its own. */
extern const OSSL_DISPATCH kc_keyed_cipher_functions[], kc_keyed_aead_functions[];

/* NULL: memory is short. */
void *kc_keyed_cipher_new(struct kc_keys *keys, const struct kc_alg *alg);
/* The same for an AEAD. */
void *kc_keyed_aead_new(struct kc_keys *keys, const struct kc_alg *alg);

#endif
