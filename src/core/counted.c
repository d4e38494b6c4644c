/* SPDX-License-Identifier: Apache-2.0 */
/* Who did a request is seen from its context's route, before it and after it. */
#include "core/counted.h"

#include "core/aead.h"
#include "core/cipher.h"
#include "core/clock.h"
#include "core/hash.h"
#include "core/stats.h"

static bool is_below(const struct kc_route *route, enum kc_dir dir, uint64_t len)
{
	return len < atomic_load_explicit(&route->choice->threshold[dir], memory_order_relaxed);
}

void kc_counted_begin(struct kc_counted *k, const struct kc_route *route, enum kc_dir dir,
		      size_t len)
{
	k->is_short = is_below(route, dir, len);
	k->before = route->done;
	k->start = !k->is_short || kc_stats_short_is_timed(route->first->alg) ? kc_now_ns() : 0;
}

/* @len bytes in all, in @ns: what software did of them. */
static void note(const struct kc_counted *k, const struct kc_route *route, const struct kc_alg *alg,
		 size_t len, uint64_t ns)
{
	size_t by_kernel = route->done.bytes - k->before.bytes;

	if (route->done.failed != k->before.failed)
		kc_stats_soft(alg, KC_SOFT_REDONE, 1, len - by_kernel, by_kernel ? 0 : ns);
	else if (!by_kernel && k->is_short)
		kc_stats_short(alg, len, ns);
	else if (!by_kernel)
		kc_stats_soft(alg, KC_SOFT_NO_SESSION, 1, len, ns);
}

void kc_counted_end(const struct kc_counted *k, const struct kc_route *route, size_t len)
{
	note(k, route, route->first->alg, len, k->start ? kc_now_ns() - k->start : 0);
}

static int update(kc_update_fn *f, const struct kc_route *route, enum kc_dir dir, void *ctx,
		  unsigned char *out, size_t *outl, size_t outsize, const unsigned char *in,
		  size_t inl)
{
	struct kc_counted k;
	int ok;

	if (!in || !out || !inl)
		return f(ctx, out, outl, outsize, in, inl);
	kc_counted_begin(&k, route, dir, inl);
	ok = f(ctx, out, outl, outsize, in, inl);
	kc_counted_end(&k, route, inl);
	return ok;
}

int kc_counted_cipher_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			     const unsigned char *in, size_t inl)
{
	const struct kc_cipher *c = ctx;

	return update(kc_cipher_update, &c->route, c->dir, ctx, out, outl, outsize, in, inl);
}

int kc_counted_cipher_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			      const unsigned char *in, size_t inl)
{
	const struct kc_cipher *c = ctx;

	return update(kc_cipher_oneshot, &c->route, c->dir, ctx, out, outl, outsize, in, inl);
}

int kc_counted_aead_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			   const unsigned char *in, size_t inl)
{
	const struct kc_aead *c = ctx;

	return update(kc_aead_update, &c->route, c->dir, ctx, out, outl, outsize, in, inl);
}

int kc_counted_aead_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			    const unsigned char *in, size_t inl)
{
	const struct kc_aead *c = ctx;

	return update(kc_aead_oneshot, &c->route, c->dir, ctx, out, outl, outsize, in, inl);
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

/* A message counts at its end. A MAC may have no key yet that the kernel could take. */
int kc_counted_hash_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_hash *h = ctx;
	struct kc_counted k = { .before = h->route.done, .start = kc_now_ns() };
	int ok = kc_hash_final(ctx, out, outl, outsize);

	k.is_short = h->route.choice && is_below(&h->route, KC_ENCRYPT, h->seen);
	note(&k, &h->route, h->base->common.alg, (size_t)h->seen,
	     h->seen_ns + kc_now_ns() - k.start);
	h->seen = 0;
	h->seen_ns = 0;
	return ok;
}
