/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a long message, by the kernel from the base's midstate, or by the base itself. */
#include "request/stream.h"

#include <string.h>

/* Keeps the counters, which are the context's. */
static void switch_gate(struct kc_hash *h, struct kc_candidate *first)
{
	struct kc_gate_done done = h->gate.done;

	kc_gate_end(&h->gate);
	kc_gate_init(&h->gate, first);
	h->gate.done = done;
}

static enum kc_trust trust_of(const struct kc_candidate *c)
{
	return (enum kc_trust)atomic_load_explicit(&c->trust, memory_order_relaxed);
}

struct kc_candidate *kc_stream_candidate(const struct kc_hash *h)
{
	if (!h->base->midstate)
		return NULL;
	return kc_candidate_in_blocks(h->gate.first);
}

/*
 * Returns the bytes of the next request: whole blocks, and at least one, so that each step
 * advances.
 */
static size_t chunk_of(const struct kc_hash *h)
{
	size_t whole = kc_whole_blocks(h->base->alg, kc_hash_limit(h->gate.candidate));

	if (!whole)
		return h->base->alg->block_len;
	return whole;
}

bool kc_stream_begin(struct kc_hash *h)
{
	struct kc_candidate *blocks = kc_stream_candidate(h);
	size_t block = h->base->alg->block_len;
	uint8_t words[KC_MAX_OUT];
	unsigned part = 0;
	bool ok;

	if (!blocks)
		return false;
	ok = h->base->midstate(h->base, h->base_ctx, words, &part);
	explicit_bzero(words, sizeof(words));
	if (!ok)
		return false;
	h->lead = (unsigned)((block - part) % block);
	switch_gate(h, blocks);
	kc_gate_renew(&h->gate, KC_ENCRYPT);
	if (h->gate.entry <= chunk_of(h))
		return true;
	kc_stream_end(h);
	return false;
}

void kc_stream_end(struct kc_hash *h)
{
	const struct kc_candidate *blocks = h->gate.first;

	if (blocks && blocks->whole)
		switch_gate(h, blocks->rows[blocks->alg - kc_algs]);
}

static bool blocks_by_kernel(struct kc_hash *h, const uint8_t *words, const uint8_t *in, size_t len,
			     uint8_t *after)
{
	const struct kc_key key = { .is_blocks = true };
	const struct kc_req req = {
		.dir = KC_ENCRYPT, .iv = words, .in = in, .len = len, .tag = after
	};

	if (len < h->gate.entry || kc_gate_stay(&h->gate, len))
		return false;
	if (len > kc_gate_open(&h->gate, h->base, KC_ENCRYPT, &key, len))
		return false;
	return kc_gate_run(&h->gate, h->base, &key, &req) == 0;
}

/* Does @len bytes of whole blocks. If anything fails, the base does them. */
static int do_blocks(struct kc_hash *h, const uint8_t *in, size_t len)
{
	uint8_t words[KC_MAX_OUT], after[KC_MAX_OUT];
	unsigned part = 0;
	int ok = h->base->midstate(h->base, h->base_ctx, words, &part) && part == 0;

	if (ok)
		ok = blocks_by_kernel(h, words, in, len, after);
	if (ok)
		ok = h->base->advance(h->base, h->base_ctx, after, len);
	explicit_bzero(words, sizeof(words));
	explicit_bzero(after, sizeof(after));
	if (ok)
		return 1;
	return h->hash_update(h->base_ctx, in, len);
}

/*
 * Returns true if the base is known to be better at this: it does the rest of the message. The
 * first request of each message still counts towards the next measurement, and may be the one that
 * is measured.
 */
static bool stay_with_base(struct kc_hash *h, size_t len)
{
	enum kc_trust trust = trust_of(h->gate.candidate);

	if (trust == KC_REFUSED || kc_hash_limit(h->gate.candidate) < len)
		return true;
	if (trust != KC_TRUSTED || kc_gate_is_open(&h->gate))
		return false;
	if (kc_terms_threshold(&h->gate.candidate->terms, KC_ENCRYPT) <= len)
		return false;
	return kc_gate_stay(&h->gate, len);
}

/* Does the whole blocks in the buffer, in requests of at most @chunk bytes. */
static int empty(struct kc_hash *h, size_t chunk)
{
	size_t whole = kc_whole_blocks(h->base->alg, h->used), at = 0, n;

	for (; at < whole; at += n) {
		n = kc_min(whole - at, chunk);
		if (!do_blocks(h, h->buf + at, n))
			return 0;
	}
	memmove(h->buf, h->buf + whole, h->used - whole);
	explicit_bzero(h->buf + h->used - whole, whole);
	h->used -= whole;
	return 1;
}

int kc_stream_flush(struct kc_hash *h)
{
	return empty(h, chunk_of(h));
}

/* Feeds the base up to the end of its block. Returns the bytes taken. */
static size_t lead(struct kc_hash *h, const unsigned char *in, size_t len, int *ok)
{
	size_t n = kc_min(h->lead, len);

	if (n)
		*ok = h->hash_update(h->base_ctx, in, n);
	h->lead -= (unsigned)n;
	return n;
}

/* Does one request, or fills the buffer. Returns the bytes taken. */
static size_t step(struct kc_hash *h, const unsigned char *in, size_t len, size_t chunk, int *ok)
{
	size_t n;

	if (h->used >= chunk)
		*ok = empty(h, chunk);
	/* Straight from the caller's memory, if that has enough. */
	if (!h->used && len >= chunk) {
		*ok = *ok && do_blocks(h, in, chunk);
		return chunk;
	}
	n = kc_min(chunk - h->used, len);
	memcpy(h->buf + h->used, in, n);
	h->used += n;
	return n;
}

int kc_stream_update(struct kc_hash *h, const unsigned char *in, size_t len, size_t *done)
{
	int ok = 1;
	size_t n = lead(h, in, len, &ok), chunk = chunk_of(h);

	while (ok && n < len && !stay_with_base(h, chunk)) {
		n += step(h, in + n, len - n, chunk, &ok);
		chunk = chunk_of(h);
	}
	*done = n;
	return ok;
}
