/* SPDX-License-Identifier: Apache-2.0 */
/* The gate of a context, before and after a request, shows what did it. */
#include "request/counted.h"

#include "request/aead.h"
#include "request/cipher.h"
#include "core/clock.h"
#include "request/hash.h"
#include "stats/stats.h"

static bool is_below(const struct kc_gate *gate, enum kc_dir dir, uint64_t len)
{
	return len <
	       atomic_load_explicit(&gate->candidate->terms.threshold[dir], memory_order_relaxed);
}

void kc_counted_begin(struct kc_counted *k, const struct kc_gate *gate, enum kc_dir dir, size_t len)
{
	k->is_short = is_below(gate, dir, len);
	k->before = gate->done;
	k->start = !k->is_short || kc_stats_times_short(gate->first->alg) ? kc_now_ns() : 0;
}

/* Notes the part of @len bytes, done in @ns, that software did. */
static void note(const struct kc_counted *k, const struct kc_gate *gate, const struct kc_alg *alg,
		 size_t len, uint64_t ns)
{
	size_t by_kernel = gate->done.bytes - k->before.bytes;

	if (gate->done.failed != k->before.failed)
		kc_stats_soft(alg, KC_SOFT_REDONE, len - by_kernel, by_kernel ? 0 : ns);
	else if (!by_kernel)
		kc_stats_soft(alg, k->is_short ? KC_SOFT_SMALL : KC_SOFT_NO_SESSION, len, ns);
}

void kc_counted_end(const struct kc_counted *k, const struct kc_gate *gate, size_t len)
{
	note(k, gate, gate->first->alg, len, k->start ? kc_now_ns() - k->start : 0);
}

static int update(kc_update_fn *f, const struct kc_gate *gate, enum kc_dir dir, void *ctx,
		  unsigned char *out, size_t *outl, size_t outsize, const unsigned char *in,
		  size_t inl)
{
	struct kc_counted k;
	int ok;

	if (!in || !out || !inl)
		return f(ctx, out, outl, outsize, in, inl);
	kc_counted_begin(&k, gate, dir, inl);
	ok = f(ctx, out, outl, outsize, in, inl);
	kc_counted_end(&k, gate, inl);
	return ok;
}

int kc_counted_cipher_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			     const unsigned char *in, size_t inl)
{
	const struct kc_cipher *c = ctx;

	return update(kc_cipher_update, &c->gate, c->dir, ctx, out, outl, outsize, in, inl);
}

int kc_counted_cipher_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			      const unsigned char *in, size_t inl)
{
	const struct kc_cipher *c = ctx;

	return update(kc_cipher_oneshot, &c->gate, c->dir, ctx, out, outl, outsize, in, inl);
}

int kc_counted_aead_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			   const unsigned char *in, size_t inl)
{
	const struct kc_aead *c = ctx;

	return update(kc_aead_update, &c->gate, c->dir, ctx, out, outl, outsize, in, inl);
}

int kc_counted_aead_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			    const unsigned char *in, size_t inl)
{
	const struct kc_aead *c = ctx;

	return update(kc_aead_oneshot, &c->gate, c->dir, ctx, out, outl, outsize, in, inl);
}

int kc_counted_hash_update(void *ctx, const unsigned char *in, size_t len)
{
	struct kc_hash *h = ctx;
	uint64_t start = kc_now_ns();
	int ok = kc_hash_update(ctx, in, len);

	h->seen += len;
	h->seen_ns += kc_now_ns() - start;
	return ok;
}

/* A message counts at its end. A MAC may not have a key yet that the kernel could take. */
int kc_counted_hash_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_hash *h = ctx;
	struct kc_counted k = { .before = h->gate.done, .start = kc_now_ns() };
	int ok = kc_hash_final(ctx, out, outl, outsize);

	k.is_short = h->gate.candidate && is_below(&h->gate, KC_ENCRYPT, h->seen);
	note(&k, &h->gate, h->base->common.alg, (size_t)h->seen,
	     h->seen_ns + kc_now_ns() - k.start);
	h->seen = 0;
	h->seen_ns = 0;
	return ok;
}
