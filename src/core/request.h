/* SPDX-License-Identifier: Apache-2.0 */
/* The work given to the kernel, or to the base when both do the same: a key, and a request. */
#ifndef KC_CORE_REQUEST_H
#define KC_CORE_REQUEST_H

#include <stdbool.h>
#include <string.h>

#include "core/alg.h"

/* No device is known to take more: virtio-crypto hangs for good at 131072 bytes. */
#define KC_MAX_REQUEST 65536 /* bytes */

enum kc_dir { KC_DECRYPT, KC_ENCRYPT };

struct kc_key {
	const uint8_t *bytes;
	size_t len;	  /* bytes; a cipher's alg->key_len, 0 for a digest */
	unsigned tag_len; /* an AEAD's, bytes */
	int32_t serial;	  /* of a key in the kernel's keyring, and bytes is NULL; 0: none */
};

/* Compares @len bytes; how long that takes says nothing about them. */
static inline bool kc_key_is_same(const volatile uint8_t *a, const volatile uint8_t *b, size_t len)
{
	uint8_t diff = 0;

	while (len--)
		diff |= a[len] ^ b[len];
	return diff == 0;
}

/* Copies an IV, or a block that becomes one: without a call where it is as long as most. */
static inline void kc_copy_iv(uint8_t *to, const uint8_t *from, size_t len)
{
	if (len == KC_MAX_IV)
		memcpy(to, from, KC_MAX_IV);
	else
		memcpy(to, from, len);
}

/*
 * A cipher's request transforms in to out. An AEAD's does the same, with a tag over aad and
 * ciphertext that encryption writes and decryption compares. A digest's or MAC's reads in and
 * writes tag.
 */
struct kc_req {
	enum kc_dir dir;
	const uint8_t *iv; /* alg->iv_len bytes; unused if that is 0 */
	const uint8_t *in; /* any alignment; equal to @out, or no overlap */
	uint8_t *out;	   /* @len bytes */
	/*
	 * Bytes: from 1 to the session's limit; whole blocks for a cipher. Can be 0 with an AEAD or
	 * MAC whose key is the kernel's.
	 */
	size_t len;
	const uint8_t *aad;
	size_t aad_len; /* bytes: from 0 to KC_MAX_AAD; 0 unless an AEAD's */
	/*
	 * An AEAD's: the session's tag_len; otherwise alg->out_len bytes. NULL, for a MAC whose key
	 * is the kernel's: the message goes on with the session's next request.
	 */
	uint8_t *tag;
};

#endif
