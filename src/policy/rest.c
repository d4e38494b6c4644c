/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver whose failure took long rests, and the longer it took, the longer: one that hangs costs
 * a process its time limit twice. After a quick failure, the price of a session alone says when the
 * driver is asked again: nobody waited, and what follows must not depend on the clock. It is the
 * driver that rests: another row or backend would wait for the same device.
 */
#include "policy/terms.h"

#include <string.h>

#define LONG_NS	  1000000000 /* a failure that took less was quick */
#define PARTS	  8	     /* rests so many times as long as the failure took */
#define DOUBLES	  8	     /* at most so often */
#define NS_PER_MS 1000000
#define LONGEST	  (60u * 60 * 1000) /* ms */

/* Wraps after 49 days; never 0. */
static unsigned now_ms(void)
{
	return (unsigned)(kc_now_ns() / NS_PER_MS) | 1;
}

/* The next candidate with the driver of @of, behind @c; the first one after NULL. */
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

/* The same, if the driver has a name; without one, it is alone. */
static struct kc_candidate *next_of(struct kc_candidate *of, struct kc_candidate *c)
{
	if (of->rows && of->driver[0])
		return next_with(of, c);
	if (c)
		return NULL;
	return of;
}

void kc_rest_begin(struct kc_candidate *candidate, uint64_t ns)
{
	unsigned failures = atomic_fetch_add(&candidate->failures, 1);
	uint64_t ms = (ns * PARTS << kc_min(failures, DOUBLES)) / NS_PER_MS;
	unsigned ends = now_ms() + (ms < LONGEST ? (unsigned)ms : LONGEST);

	for (struct kc_candidate *c = next_of(candidate, NULL); c; c = next_of(candidate, c)) {
		atomic_store_explicit(&c->is_timed, true, memory_order_relaxed);
		atomic_store_explicit(&c->is_suspect, true, memory_order_relaxed);
		if (ns >= LONG_NS)
			atomic_store_explicit(&c->rest_ends, ends | 1, memory_order_relaxed);
	}
}

void kc_rest_refuse(struct kc_candidate *candidate)
{
	for (struct kc_candidate *c = next_of(candidate, NULL); c; c = next_of(candidate, c))
		if (c->backend == candidate->backend)
			atomic_store(&c->trust, KC_REFUSED);
}

bool kc_rest_goes_on(struct kc_candidate *candidate)
{
	unsigned ends = atomic_load_explicit(&candidate->rest_ends, memory_order_relaxed);

	if ((int)(ends - now_ms()) > 0)
		return true;
	atomic_store_explicit(&candidate->rest_ends, 0, memory_order_relaxed);
	return false;
}
