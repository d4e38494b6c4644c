/* SPDX-License-Identifier: Apache-2.0 */
/* From the IV of one request of a stream to the next one's. */
#include "core/request.h"

void kc_add_blocks(const struct kc_alg *alg, uint8_t *counter, uint64_t blocks)
{
	bool is_little = alg->iv_rule == KC_IV_ADD_BLOCKS_LE;
	size_t len = is_little ? 8 : alg->iv_len;

	for (size_t i = 0; i < len && blocks; i++) {
		uint8_t *byte = &counter[is_little ? i : len - 1 - i];

		blocks += *byte;
		*byte = (uint8_t)blocks;
		blocks >>= 8;
	}
}

/* A block has 8 or 16 bytes where its text is the next IV. */
static void copy_block(uint8_t *to, const uint8_t *from, size_t len)
{
	memcpy(to, from, 8);
	if (len == 16)
		memcpy(to + 8, from + 8, 8);
}

void kc_iv_advance(const struct kc_alg *alg, const struct kc_req *req, uint8_t *iv,
		   const uint8_t *last)
{
	const uint8_t *out = req->out + req->len - alg->block_len;

	switch (alg->iv_rule) {
	case KC_IV_LAST_BLOCK:
		copy_block(iv, req->dir == KC_DECRYPT ? last : out, alg->block_len);
		break;
	case KC_IV_ADD_BLOCKS:
	case KC_IV_ADD_BLOCKS_LE:
		kc_add_blocks(alg, iv, req->len / alg->block_len);
		break;
	case KC_IV_LAST_KEYSTREAM:
		for (size_t i = 0; i < alg->block_len; i++)
			iv[i] = last[i] ^ out[i];
		break;
	default:
		break;
	}
}
