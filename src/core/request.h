/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key and a request, for the kernel or for the base, and the step from one request of a stream to
 * the next.
 */
#ifndef KC_CORE_REQUEST_H
#define KC_CORE_REQUEST_H

#include <stdbool.h>
#include <string.h>

#include "core/alg.h"

/* No known device takes more: virtio-crypto hangs for good at 131072 bytes. */
#define KC_MAX_REQUEST 65536 /* bytes */

/* A request has one of the first two. */
enum kc_dir { KC_DECRYPT, KC_ENCRYPT, KC_NO_DIR };

struct kc_key {
	const uint8_t *bytes;
	size_t len;	  /* bytes; a cipher's alg->key_len, 0 for a digest */
	unsigned tag_len; /* an AEAD's, bytes */
	int32_t serial;	  /* of a key in the kernel's keyring, whose bytes are NULL; 0: none */
	bool is_blocks;	  /* a digest's requests are blocks from its middle */
};

/* Compares @len bytes in constant time. */
static inline bool kc_key_is_same(const volatile uint8_t *a, const volatile uint8_t *b, size_t len)
{
	uint8_t diff = 0;

	while (len--)
		diff |= a[len] ^ b[len];
	return diff == 0;
}

/* Copies a key, an IV or a block; without a call for the usual 16 bytes. */
static inline void kc_copy_short(uint8_t *to, const uint8_t *from, size_t len)
{
	if (len == 16)
		memcpy(to, from, 16);
	else
		memcpy(to, from, len);
}

/*
 * A cipher's request transforms in to out. So does an AEAD's, with a tag over aad and ciphertext,
 * which encryption writes and decryption compares. A digest's or MAC's request reads in and writes
 * tag. A request for blocks of a digest continues from the midstate in iv over whole blocks, and
 * writes the new midstate to tag; both have alg->state_len bytes and may be the same buffer.
 */
struct kc_req {
	enum kc_dir dir;
	const uint8_t *iv; /* alg->iv_len bytes; unused if that is 0 */
	const uint8_t *in; /* any alignment; equal to @out, or no overlap */
	uint8_t *out;	   /* @len bytes */
	/*
	 * Bytes, from 1 to the session's limit; whole blocks for a cipher. May be 0 for an AEAD or
	 * MAC with a key of the keyring.
	 */
	size_t len;
	const uint8_t *aad;
	size_t aad_len; /* bytes, from 0 to KC_MAX_AAD; 0 unless an AEAD's */
	/*
	 * An AEAD's has the session's tag_len, others alg->out_len bytes. NULL for a MAC with a key
	 * of the keyring: the message continues with the session's next request.
	 */
	uint8_t *tag;
};

/* The kernel's ChaCha20 counter is 32 bits and does not carry: returns the bytes until it wraps. */
static inline uint64_t kc_bytes_to_carry(const struct kc_alg *alg, const uint8_t *iv)
{
	uint32_t counter =
		iv[0] | (uint32_t)iv[1] << 8 | (uint32_t)iv[2] << 16 | (uint32_t)iv[3] << 24;

	return (((uint64_t)1 << 32) - counter) * alg->block_len;
}

/* Returns how many of @left bytes, in whole blocks, one request from @iv may take; 0: none. */
static inline size_t kc_request_len(const struct kc_alg *alg, const uint8_t *iv, size_t left,
				    size_t limit)
{
	size_t len = left < limit ? left : kc_whole_blocks(alg, limit);

	if (alg->iv_rule == KC_IV_ADD_BLOCKS_LE && kc_bytes_to_carry(alg, iv) < len)
		len = (size_t)kc_bytes_to_carry(alg, iv);
	return len;
}

/*
 * Adds @blocks to a counter by the row's rule. A little-endian counter carries as OpenSSL's does:
 * into the second word, which is the nonce's first, and no further.
 */
void kc_add_blocks(const struct kc_alg *alg, uint8_t *counter, uint64_t blocks);

/* True if the next IV depends on input that the request may overwrite. */
static inline bool kc_iv_needs_input(const struct kc_alg *alg, enum kc_dir dir)
{
	return alg->iv_rule == KC_IV_LAST_KEYSTREAM ||
	       (alg->iv_rule == KC_IV_LAST_BLOCK && dir == KC_DECRYPT);
}

/*
 * Advances @iv from a cipher's request to the next, by the row's rule. @last: the last alg->iv_len
 * bytes of the input, if kc_iv_needs_input(); the request may have overwritten them.
 */
void kc_iv_advance(const struct kc_alg *alg, const struct kc_req *req, uint8_t *iv,
		   const uint8_t *last);

#endif
