/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths and counters only: which bytes go where, and which IV follows. Calls nobody. */
#include "request/split.h"

#include <string.h>

/* @num: bytes used of the current block. */
static void plan_stream(struct kc_split *p, size_t num, size_t block, size_t inl)
{
	p->head = num ? block - num : 0;
	if (p->head > inl)
		p->head = inl;
	p->head_out = p->head;
	p->body = (inl - p->head) / block * block;
	p->total_out = inl;
}

static void plan_blocks(struct kc_split *p, uint64_t fed, size_t block, size_t inl)
{
	size_t held = fed % block;

	if (p->unpad && fed && !held)
		held = block;
	/* A block that is held back whole comes out with the next one. */
	p->head = held ? (held == block ? block : block - held) : 0;
	p->head_out = held ? (held == block ? 2 * block : block) : 0;
	p->body = p->head < inl ? (inl - p->head) / block * block : 0;
	p->total_out = (held + inl) / block * block;
	if (p->unpad && p->body && (inl - p->head) % block == 0)
		p->body -= block;
	if (p->unpad && p->total_out && (held + inl) % block == 0)
		p->total_out -= block;
}

/* All or nothing. What is no multiple of the block takes ciphertext stealing, as few drivers do. */
static void plan_whole(struct kc_split *p, size_t limit, size_t block, size_t inl)
{
	p->body = inl % block == 0 && inl <= limit ? inl : 0;
	p->total_out = inl;
}

/*
 * What is before the last two blocks, of which the second may be short, is plain CBC in each of the
 * three ways to steal. A second update the base refuses.
 */
static void plan_steal(struct kc_split *p, uint64_t fed, size_t block, size_t inl)
{
	p->body = !fed && inl > 2 * block ? (inl - block - 1) / block * block : 0;
	p->total_out = inl;
}

struct kc_split kc_split_make(const struct kc_cipher *c, bool whole, size_t inl)
{
	const struct kc_alg *alg = c->base->common.alg;
	struct kc_split p = { .unpad = false };

	if (alg->iv_rule == KC_IV_WHOLE) {
		plan_whole(&p, c->gate.session.limit, alg->block_len, inl);
		return p;
	}
	if (alg->stream) {
		plan_stream(&p, (size_t)((c->place.num + c->fed) % alg->block_len), alg->block_len,
			    inl);
		return p;
	}
	if (alg->steals && !whole) {
		plan_steal(&p, c->fed, alg->block_len, inl);
		return p;
	}
	p.unpad = !whole && c->dir == KC_DECRYPT && c->place.padding;
	plan_blocks(&p, c->fed, alg->block_len, inl);
	return p;
}

bool kc_split_overlap_fits(const struct kc_split *p, const uint8_t *out, const uint8_t *in,
			   size_t inl)
{
	uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;

	if (o + p->total_out <= i || i + inl <= o)
		return true;
	return o + p->head_out == i + p->head;
}

static void add_blocks(uint8_t *counter, size_t len, size_t blocks)
{
	for (size_t i = len; i-- > 0 && blocks;) {
		blocks += counter[i];
		counter[i] = (uint8_t)blocks;
		blocks >>= 8;
	}
}

/* As OpenSSL carries: into the second word, which is the nonce's first, and no further. */
static void add_blocks_le(uint8_t *counter, uint64_t blocks)
{
	for (size_t i = 0; i < 8; i++) {
		blocks += counter[i];
		counter[i] = (uint8_t)blocks;
		blocks >>= 8;
	}
}

void kc_place_count(const struct kc_cipher *c, size_t ahead, uint8_t *iv)
{
	const struct kc_alg *alg = c->base->common.alg;

	memcpy(iv, c->iv, alg->iv_len);
	add_blocks_le(iv, (c->fed + ahead) / alg->block_len);
}

/* The kernel's counter ends with the first word: it carries nothing. */
static uint64_t bytes_to_carry(const struct kc_alg *alg, const uint8_t *iv)
{
	uint32_t counter =
		iv[0] | (uint32_t)iv[1] << 8 | (uint32_t)iv[2] << 16 | (uint32_t)iv[3] << 24;

	return (((uint64_t)1 << 32) - counter) * alg->block_len;
}

size_t kc_split_request(const struct kc_alg *alg, const uint8_t *iv, size_t left, size_t limit)
{
	size_t len = left < limit ? left : limit / alg->block_len * alg->block_len;

	if (alg->iv_rule == KC_IV_ADD_BLOCKS_LE && bytes_to_carry(alg, iv) < len)
		len = (size_t)bytes_to_carry(alg, iv);
	return len;
}

void kc_next_iv_before(const struct kc_alg *alg, const struct kc_req *req, uint8_t *next)
{
	const uint8_t *last = req->in + req->len - alg->block_len;
	bool is_kept = alg->iv_rule == KC_IV_LAST_BLOCK && req->dir == KC_DECRYPT;

	if (is_kept || alg->iv_rule == KC_IV_LAST_KEYSTREAM)
		memcpy(next, last, alg->block_len);
	else
		memcpy(next, req->iv, alg->iv_len);
	if (alg->iv_rule == KC_IV_ADD_BLOCKS)
		add_blocks(next, alg->iv_len, req->len / alg->block_len);
	if (alg->iv_rule == KC_IV_ADD_BLOCKS_LE)
		add_blocks_le(next, req->len / alg->block_len);
}

void kc_next_iv_after(const struct kc_alg *alg, const struct kc_req *req, uint8_t *next)
{
	const uint8_t *last = req->out + req->len - alg->block_len;

	if (alg->iv_rule == KC_IV_LAST_BLOCK && req->dir == KC_ENCRYPT)
		memcpy(next, last, alg->block_len);
	for (size_t i = 0; alg->iv_rule == KC_IV_LAST_KEYSTREAM && i < alg->block_len; i++)
		next[i] ^= last[i];
}
