/* SPDX-License-Identifier: Apache-2.0 */
/* Tells by a context's gate, before and after a request, whether the kernel did it. */
#include "request/counted.h"

#include "request/aead/aead.h"
#include "request/cipher.h"
#include "core/clock.h"
#include "request/hash.h"
#include "stats/stats.h"

static bool is_below(const struct kc_gate *gate, enum kc_dir dir, uint64_t len)
{
	return len < kc_terms_threshold(&gate->candidate->terms, dir);
}

/* Counts software's part of @len bytes, which took @ns. */
static void note(const struct kc_gate *gate, const struct kc_alg *alg, struct kc_gate_done before,
		 size_t len, bool is_short, uint64_t ns)
{
	size_t by_kernel = gate->done.bytes - before.bytes;
	bool has_failed = gate->done.failed != before.failed;

	if (has_failed && by_kernel)
		kc_stats_soft(alg, KC_SOFT_REDONE, len - by_kernel, 0);
	else if (has_failed)
		kc_stats_soft(alg, KC_SOFT_REDONE, len, ns);
	else if (!by_kernel && is_short)
		kc_stats_soft(alg, KC_SOFT_SMALL, len, ns);
	else if (!by_kernel)
		kc_stats_soft(alg, KC_SOFT_NO_SESSION, len, ns);
}

/*
 * A request that is too short for the kernel may still be measured by the gate, and is not always
 * timed here.
 */
int kc_counted(kc_update_fn *f, void *ctx, unsigned char *out, size_t *outl, size_t outsize,
	       const unsigned char *in, size_t inl)
{
	const struct kc_context *c = ctx;
	const struct kc_gate *gate = &c->gate;
	const struct kc_alg *alg = gate->first->alg;
	struct kc_gate_done before = gate->done;
	bool is_short = is_below(gate, c->dir, inl);
	uint64_t start = 0, ns = 0;
	int ok;

	if (!in || !out || !inl)
		return f(ctx, out, outl, outsize, in, inl);
	if (!is_short || kc_stats_times_short(alg))
		start = kc_now_ns();
	ok = f(ctx, out, outl, outsize, in, inl);
	if (start)
		ns = kc_now_ns() - start;
	note(gate, alg, before, inl, is_short, ns);
	return ok;
}

static bool is_aead(const struct kc_context *c)
{
	return c->base->alg->kind == KC_AEAD;
}

int kc_counted_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		      const unsigned char *in, size_t inl)
{
	kc_update_fn *update = is_aead(ctx) ? kc_aead_update : kc_cipher_update;

	return kc_counted(update, ctx, out, outl, outsize, in, inl);
}

int kc_counted_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		       const unsigned char *in, size_t inl)
{
	kc_update_fn *oneshot = is_aead(ctx) ? kc_aead_oneshot : kc_cipher_oneshot;

	return kc_counted(oneshot, ctx, out, outl, outsize, in, inl);
}

int kc_counted_hash_update(void *ctx, const unsigned char *in, size_t len)
{
	struct kc_hash *h = ctx;
	size_t before = h->gate.done.bytes;
	uint64_t start = kc_now_ns();
	int ok = kc_hash_update(ctx, in, len);

	/*
	 * stream.c counts what the kernel has done of a stream, which may be more than this piece.
	 */
	h->seen += len;
	h->seen -= h->gate.done.bytes - before;
	if (h->gate.done.bytes == before)
		h->seen_ns += kc_now_ns() - start;
	return ok;
}

/* Counts a message at its end. A MAC may have no candidate yet. */
int kc_counted_hash_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_hash *h = ctx;
	struct kc_gate_done before = h->gate.done;
	uint64_t start = kc_now_ns();
	int ok = kc_hash_final(ctx, out, outl, outsize);
	bool is_short = h->gate.candidate && is_below(&h->gate, KC_ENCRYPT, h->seen);

	note(&h->gate, h->base->alg, before, (size_t)h->seen, is_short,
	     h->seen_ns + kc_now_ns() - start);
	h->seen = 0;
	h->seen_ns = 0;
	return ok;
}
