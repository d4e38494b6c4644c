/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the kernel, and of the base where both do the same: a key, and a request. */
#ifndef KC_CORE_REQUEST_H
#define KC_CORE_REQUEST_H

#include <stdbool.h>

#include "core/alg.h"

/* No device was seen to stand more: virtio-crypto hangs for good at 131072 bytes. */
#define KC_MAX_REQUEST 65536 /* bytes */

enum kc_dir { KC_DECRYPT, KC_ENCRYPT };

struct kc_key {
	const uint8_t *bytes;
	size_t len;	  /* bytes; a cipher's alg->key_len, 0 for a digest */
	unsigned tag_len; /* of an AEAD, bytes */
};

/* Compares @len bytes; how long that takes says nothing about them. */
static inline bool kc_key_is_same(const volatile uint8_t *a, const volatile uint8_t *b, size_t len)
{
	uint8_t diff = 0;

	while (len--)
		diff |= a[len] ^ b[len];
	return diff == 0;
}

/*
 * A cipher's: in to out. An AEAD's: the same, and a tag over aad and ciphertext, which encryption
 * writes and decryption compares. A digest's or MAC's: of in, to tag.
 */
struct kc_req {
	enum kc_dir dir;
	const uint8_t *iv; /* alg->iv_len bytes; unused where that is 0 */
	const uint8_t *in; /* any alignment; the same as @out, or no overlap */
	uint8_t *out;	   /* @len bytes */
	size_t len;	   /* bytes: 1 … the session's limit; a cipher's of whole blocks */
	const uint8_t *aad;
	size_t aad_len; /* bytes: 0 … KC_MAX_AAD; 0 where it is no AEAD's */
	uint8_t *tag;	/* an AEAD's: the session's tag_len; else alg->out_len bytes */
};

#endif
