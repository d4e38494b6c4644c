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

/* The IV behind a request. Both have to be called: before it, as it may overwrite its input. */
static inline void kc_next_iv_before(const struct kc_alg *alg, const struct kc_req *req,
				     uint8_t *next)
{
	const uint8_t *last = req->in + req->len - alg->block_len;
	bool is_kept = alg->iv_rule == KC_IV_LAST_BLOCK && req->dir == KC_DECRYPT;

	if (is_kept || alg->iv_rule == KC_IV_LAST_KEYSTREAM)
		memcpy(next, last, alg->block_len);
	else
		memcpy(next, req->iv, alg->iv_len);
	if (alg->iv_rule == KC_IV_ADD_BLOCKS)
		kc_add_blocks(next, alg->iv_len, req->len / alg->block_len);
	if (alg->iv_rule == KC_IV_ADD_BLOCKS_LE)
		kc_add_blocks_le(next, req->len / alg->block_len);
}

static inline void kc_next_iv_after(const struct kc_alg *alg, const struct kc_req *req,
				    uint8_t *next)
{
	const uint8_t *last = req->out + req->len - alg->block_len;

	if (alg->iv_rule == KC_IV_LAST_BLOCK && req->dir == KC_ENCRYPT)
		memcpy(next, last, alg->block_len);
	for (size_t i = 0; alg->iv_rule == KC_IV_LAST_KEYSTREAM && i < alg->block_len; i++)
		next[i] ^= last[i];
}

#endif
