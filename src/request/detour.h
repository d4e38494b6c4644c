/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a large request through the kernel and returns to the base's stream. */
#ifndef KC_REQUEST_DETOUR_H
#define KC_REQUEST_DETOUR_H

#include <string.h>

#include "request/cipher.h"

/*
 * Like the base's function @rest (update or oneshot), which does everything that the kernel does
 * not. Leaves errno as it was and adds no cancellation point.
 */
int kc_detour(struct kc_cipher *c, kc_update_fn *rest, unsigned char *out, size_t *outl,
	      size_t outsize, const unsigned char *in, size_t inl);

/* From here on: from the IV of one request to that of the next, by the row's rule. */
static inline void kc_add_blocks(uint8_t *counter, size_t len, size_t blocks)
{
	for (size_t i = len; i-- > 0 && blocks;) {
		blocks += counter[i];
		counter[i] = (uint8_t)blocks;
		blocks >>= 8;
	}
}

/* As OpenSSL carries: into the second word, which is the nonce's first, and no further. */
static inline void kc_add_blocks_le(uint8_t *counter, uint64_t blocks)
{
	for (size_t i = 0; i < 8; i++) {
		blocks += counter[i];
		counter[i] = (uint8_t)blocks;
		blocks >>= 8;
	}
}

/*
 * Before a request, which may overwrite its input: keeps in @last what kc_iv_advance() will need of
 * that. With KC_IV_LAST_KEYSTREAM this is a secret.
 */
static inline void kc_iv_keep(const struct kc_alg *alg, const struct kc_req *req, uint8_t *last)
{
	bool is_needed = alg->iv_rule == KC_IV_LAST_BLOCK ? req->dir == KC_DECRYPT :
							    alg->iv_rule == KC_IV_LAST_KEYSTREAM;

	if (is_needed)
		kc_copy_iv(last, req->in + req->len - alg->block_len, alg->block_len);
}

/* After the request: @iv is the one behind it. */
static inline void kc_iv_advance(const struct kc_alg *alg, const struct kc_req *req, uint8_t *iv,
				 const uint8_t *last)
{
	const uint8_t *out = req->out + req->len - alg->block_len;

	if (alg->iv_rule == KC_IV_LAST_BLOCK)
		kc_copy_iv(iv, req->dir == KC_DECRYPT ? last : out, alg->block_len);
	else if (alg->iv_rule == KC_IV_ADD_BLOCKS)
		kc_add_blocks(iv, alg->iv_len, req->len / alg->block_len);
	else if (alg->iv_rule == KC_IV_ADD_BLOCKS_LE)
		kc_add_blocks_le(iv, req->len / alg->block_len);
	for (size_t i = 0; alg->iv_rule == KC_IV_LAST_KEYSTREAM && i < alg->block_len; i++)
		iv[i] = last[i] ^ out[i];
}

#endif
