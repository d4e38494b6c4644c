/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver whose failures made a process wait rests: after a failure of a second, or after the
 * second one in a row, of which the first may have been too early to be timed. So a driver that
 * hangs costs a process two waits in its first minute, whenever it is given up. A quick failure
 * made nobody wait: then only the price of a session decides when the driver is asked again, so
 * that nothing depends on the clock. The driver rests, not the candidate: another row or backend
 * would wait for the same device.
 */
#include "policy/terms.h"

#include <string.h>

#define NS_PER_MS 1000000
#define QUICK_MS  100  /* a failure that took less was quick */
#define LONG_MS	  1000 /* the driver rests after one failure that took that long */
#define PARTS	  8    /* the rest is so many times what the request took */
#define MINUTE_MS (60u * 1000)
#define HOUR_MS	  (60 * MINUTE_MS)

/* Returns the clock in ms. Wraps after 49 days; never 0. */
static unsigned now_ms(void)
{
	return (unsigned)(kc_now_ns() / NS_PER_MS) | 1;
}

/* Returns the next candidate with the driver of @of after @c; NULL for @c: the first one. */
static struct kc_candidate *next_with(const struct kc_candidate *of, struct kc_candidate *c)
{
	size_t row = 0;

	if (c && c->blocks)
		return c->blocks;
	if (c && c->whole)
		c = c->whole;
	if (c) {
		row = (size_t)(c->alg - kc_algs);
		c = c->next;
	} else {
		c = of->rows[0];
	}
	for (;;) {
		for (; c; c = c->next)
			if (strcmp(c->driver, of->driver) == 0)
				return c;
		if (++row == KC_ALG_COUNT)
			return NULL;
		c = of->rows[row];
	}
}

/* The same if the driver has a name; without a name, there is only @of. */
static struct kc_candidate *next_of(struct kc_candidate *of, struct kc_candidate *c)
{
	if (of->rows && of->driver[0])
		return next_with(of, c);
	if (c)
		return NULL;
	return of;
}

/*
 * Returns how long the driver rests after a failure that took @ms, in ms; 0: it does not, or rests
 * already because a concurrent request failed.
 */
static unsigned rest_after(struct kc_candidate *c, unsigned ms)
{
	unsigned rest = 2 * atomic_load_explicit(&c->rest_ms, memory_order_relaxed);
	unsigned least = LONG_MS;

	if (atomic_load_explicit(&c->failures, memory_order_relaxed))
		least = QUICK_MS;
	if (ms < least || kc_candidate_let_rest(c))
		return 0;
	if (!rest)
		rest = ms * PARTS;
	rest = (unsigned)kc_min(kc_max(rest, MINUTE_MS), HOUR_MS);
	atomic_store_explicit(&c->rest_ms, rest, memory_order_relaxed);
	return rest;
}

void kc_rest_begin(struct kc_candidate *candidate, uint64_t ns)
{
	unsigned rest = rest_after(candidate, (unsigned)(ns / NS_PER_MS));
	unsigned ends = (now_ms() + rest) | 1;
	struct kc_candidate *c = NULL;

	atomic_fetch_add(&candidate->failures, 1);
	while ((c = next_of(candidate, c))) {
		atomic_store_explicit(&c->has_failed, true, memory_order_relaxed);
		atomic_store_explicit(&c->is_suspect, true, memory_order_relaxed);
		if (rest)
			atomic_store_explicit(&c->rest_ends, ends, memory_order_relaxed);
	}
}

void kc_rest_forget(struct kc_candidate *candidate)
{
	atomic_store_explicit(&candidate->failures, 0, memory_order_relaxed);
	atomic_store_explicit(&candidate->rest_ms, 0, memory_order_relaxed);
}

void kc_rest_refuse(struct kc_candidate *candidate)
{
	struct kc_candidate *c = NULL;

	while ((c = next_of(candidate, c))) {
		if (c->backend != candidate->backend)
			continue;
		atomic_store(&c->trust, KC_REFUSED);
		atomic_store(&c->has_failed, true);
	}
}

bool kc_rest_expire(struct kc_candidate *candidate)
{
	unsigned ends = atomic_load_explicit(&candidate->rest_ends, memory_order_relaxed);

	if ((int)(ends - now_ms()) > 0)
		return true;
	atomic_store_explicit(&candidate->rest_ends, 0, memory_order_relaxed);
	return false;
}
