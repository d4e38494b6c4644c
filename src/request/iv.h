/* SPDX-License-Identifier: Apache-2.0 */
/* From the IV of one request to that of the next, by the row's rule; and how long one may be. */
#ifndef KC_REQUEST_IV_H
#define KC_REQUEST_IV_H

#include <string.h>

#include "core/request.h"

/* The kernel's counter ends with the first word: it carries nothing. */
static inline uint64_t kc_bytes_to_carry(const struct kc_alg *alg, const uint8_t *iv)
{
	uint32_t counter =
		iv[0] | (uint32_t)iv[1] << 8 | (uint32_t)iv[2] << 16 | (uint32_t)iv[3] << 24;

	return (((uint64_t)1 << 32) - counter) * alg->block_len;
}

/* How much of @left bytes of whole blocks one request from @iv on may take. 0: none fits. */
static inline size_t kc_request_len(const struct kc_alg *alg, const uint8_t *iv, size_t left,
				    size_t limit)
{
	size_t len = left < limit ? left : kc_whole_blocks(alg, limit);

	if (alg->iv_rule == KC_IV_ADD_BLOCKS_LE && kc_bytes_to_carry(alg, iv) < len)
		len = (size_t)kc_bytes_to_carry(alg, iv);
	return len;
}

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
