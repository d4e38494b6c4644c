/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest's requests by software, and its midstates. Midstates are used only after a test with a
 * known answer has shown that we read and write them correctly.
 */
#include "base/midstate.h"

#include <stdatomic.h>
#include <string.h>

int kc_digest_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		    const struct kc_req *req)
{
	unsigned part = 0;
	size_t n = 0;

	if (!base->start(base, ctx))
		return 0;
	if (key->is_blocks && !base->advance(base, ctx, req->iv, base->alg->block_len))
		return 0;
	if (!base->hash_update(ctx, req->in, req->len))
		return 0;
	if (key->is_blocks)
		return base->midstate(base, ctx, req->tag, &part) && part == 0;
	return base->final(ctx, req->tag, &n, base->alg->out_len) && n == base->alg->out_len;
}

#define PART 5 /* bytes */

/* Digests two blocks, and reads the state within the second and at its end; gets the words. */
static int read_state(const struct kc_base *base, void *ctx, const uint8_t *text, uint8_t *words)
{
	size_t block = base->alg->block_len;
	unsigned part = 0;

	if (!base->start(base, ctx) || !base->hash_update(ctx, text, block))
		return 0;
	if (!base->hash_update(ctx, text, PART) || !kc_state_get(base, ctx, words, &part))
		return 0;
	if (part != PART || !base->hash_update(ctx, text + PART, block - PART))
		return 0;
	return kc_state_get(base, ctx, words, &part) && part == 0;
}

/* Digests three blocks and a part. With @other, the second block is put in as a midstate. */
static int answer(const struct kc_base *base, void *ctx, void *other, uint8_t *out)
{
	const uint8_t text[128 + 13] = { 'm', 'i', 'd' }; /* the longest block, and a part */
	size_t block = base->alg->block_len, n = 0;
	uint8_t words[KC_MAX_OUT];
	int ok = base->start(base, ctx) && base->hash_update(ctx, text, block);

	if (ok && other)
		ok = read_state(base, other, text, words) && kc_state_put(base, ctx, words, block);
	else if (ok)
		ok = base->hash_update(ctx, text, block);
	if (!ok || !base->hash_update(ctx, text, block + 13))
		return 0;
	return base->final(ctx, out, &n, KC_MAX_OUT) && n == base->alg->out_len;
}

static bool gives_same(const struct kc_base *base, void *ctx, void *other)
{
	uint8_t wanted[KC_MAX_OUT], got[KC_MAX_OUT];

	if (!answer(base, ctx, NULL, wanted) || !answer(base, ctx, other, got))
		return false;
	return memcmp(wanted, got, base->alg->out_len) == 0;
}

static bool is_right(const struct kc_base *base)
{
	void *ctx = base->newctx(base), *other = base->newctx(base);
	bool ok = ctx && other && gives_same(base, ctx, other);

	if (ctx)
		base->freectx(ctx);
	if (other)
		base->freectx(other);
	return ok;
}

/* Two threads may test at the same time, with the same result. */
static bool has_midstates(const struct kc_base *base)
{
	static atomic_uchar found[KC_ALG_COUNT];
	enum { UNKNOWN, NONE, SOME } what;
	atomic_uchar *of = &found[base->alg - kc_algs];

	what = atomic_load_explicit(of, memory_order_relaxed);
	if (what == UNKNOWN) {
		what = NONE;
		if (is_right(base))
			what = SOME;
		atomic_store_explicit(of, (unsigned char)what, memory_order_relaxed);
	}
	return what == SOME;
}

int kc_digest_midstate(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part)
{
	if (!has_midstates(base))
		return 0;
	return kc_state_get(base, ctx, words, part);
}

int kc_digest_advance(const struct kc_base *base, void *ctx, const uint8_t *words, uint64_t bytes)
{
	if (!has_midstates(base))
		return 0;
	return kc_state_put(base, ctx, words, bytes);
}
