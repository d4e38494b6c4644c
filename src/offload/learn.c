/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps costs per size class, for kernel and software, in ns per KiB. Nothing makes a request
 * appear faster than it is, but many things make it slower. So a lower time is believed at once,
 * and a higher one by a quarter, counted as at most twice the known time. One disturbed request
 * decides nothing, and a device that has become slow is recognized within a few.
 */
#include "offload/learn.h"

#include <string.h>

/* Pairs in a size class before they can move a threshold. */
#define ENOUGH 3

/*
 * The cost of a look is spread over this many times as much work: until there are enough pairs, and
 * after that.
 */
#define WHILE_NEW    8
#define WHEN_SETTLED 128

/* Bytes: while one thread looks, others go on. */
#define MEANWHILE (1024 * 1024)

/*
 * A context takes the bytes of so many requests at a time, and so touches nothing shared for most.
 */
#define IN_ADVANCE 8

static unsigned class_of(size_t len)
{
	unsigned long halves = len >> 9;
	unsigned c = halves ? 8 * sizeof(halves) - (unsigned)__builtin_clzl(halves) : 0;

	return c < KC_SIZE_CLASSES ? c : KC_SIZE_CLASSES - 1;
}

/* At least 1: 0 means unknown. */
static uint32_t per_kib(uint64_t ns, size_t len)
{
	uint64_t n = ns * 1024 / len + 1;

	return n < INT32_MAX ? (uint32_t)n : INT32_MAX;
}

static uint32_t note(_Atomic uint32_t *cost, uint32_t seen)
{
	uint32_t known = atomic_load_explicit(cost, memory_order_relaxed);
	uint32_t over = seen > known ? seen - known : 0;

	if (known && over)
		seen = known + ((over < known ? over : known) + 3) / 4;
	atomic_store_explicit(cost, seen, memory_order_relaxed);
	return seen;
}

/* @len was measured, so the threshold goes there. True: the kernel pays there. */
static bool judge(struct kc_candidate *candidate, enum kc_dir dir, size_t len, bool pays)
{
	atomic_size_t *at = &candidate->threshold[dir];
	size_t threshold = atomic_load_explicit(at, memory_order_relaxed);

	if (pays && len < threshold)
		threshold = len;
	else if (!pays && len >= threshold)
		threshold =
			len < candidate->max_request ? len + candidate->alg->block_len : SIZE_MAX;
	atomic_store_explicit(at, threshold, memory_order_relaxed);
	return pays;
}

void kc_learn_begin(struct kc_candidate *candidate, size_t bytes)
{
	memset(candidate->costs, 0, sizeof(candidate->costs));
	kc_learn_wait(candidate, bytes);
}

void kc_learn_wait(struct kc_candidate *candidate, size_t bytes)
{
	atomic_store_explicit(&candidate->before_look, bytes, memory_order_relaxed);
}

bool kc_learn_is_new(const struct kc_candidate *candidate, enum kc_dir dir, size_t len)
{
	const struct kc_costs *costs = &candidate->costs[dir];

	return !candidate->is_tuned &&
	       atomic_load_explicit(&costs->pairs[class_of(len)], memory_order_relaxed) < ENOUGH;
}

/* Returns the bytes that take @times @ns at @cost per KiB. */
static size_t bytes_for(uint64_t ns, unsigned times, uint32_t cost)
{
	uint64_t bytes = ns / cost * times * 1024 + ns % cost * times * 1024 / cost;

	return bytes < SIZE_MAX / 4 ? (size_t)bytes : SIZE_MAX / 4;
}

void kc_learn_pair(struct kc_candidate *candidate, const struct kc_pair *pair)
{
	struct kc_costs *costs = &candidate->costs[pair->dir];
	unsigned c = class_of(pair->len);
	uint32_t soft = note(&costs->soft[c], per_kib(pair->soft_ns, pair->len));
	uint32_t kernel = note(&costs->kernel[c], per_kib(pair->kernel_ns, pair->len));
	uint32_t pairs = atomic_load_explicit(&costs->pairs[c], memory_order_relaxed) + 1;
	size_t threshold =
		atomic_load_explicit(&candidate->threshold[pair->dir], memory_order_relaxed);
	unsigned times = pairs < ENOUGH ? WHILE_NEW : WHEN_SETTLED;
	/*
	 * The cost is the additional work; for a request of software's, that includes opening a
	 * session.
	 */
	size_t wait = pair->len >= threshold ?
			      bytes_for(pair->soft_ns, times, kernel) :
			      bytes_for(pair->kernel_ns, times, soft) +
				      kc_bytes_times(atomic_load(&candidate->session_bytes), times);

	if (pairs <= ENOUGH)
		atomic_store_explicit(&costs->pairs[c], pairs, memory_order_relaxed);
	if (pair->len < candidate->floor)
		return;
	if (pairs >= ENOUGH)
		judge(candidate, pair->dir, pair->len, kernel < soft);
	kc_learn_wait(candidate, wait);
}

bool kc_learn_kernel(struct kc_candidate *candidate, enum kc_dir dir, size_t len, uint64_t ns)
{
	struct kc_costs *costs = &candidate->costs[dir];
	unsigned c = class_of(len);
	uint32_t kernel = note(&costs->kernel[c], per_kib(ns, len));

	if (atomic_load_explicit(&costs->pairs[c], memory_order_relaxed) < ENOUGH ||
	    kernel < atomic_load_explicit(&costs->soft[c], memory_order_relaxed))
		return true;
	/* The machine may have been busy, not the device: the next pair shows. */
	kc_learn_wait(candidate, 0);
	return judge(candidate, dir, len, false);
}

static size_t take(struct kc_candidate *candidate, size_t want)
{
	size_t left = atomic_load_explicit(&candidate->before_look, memory_order_relaxed);

	while (!atomic_compare_exchange_weak(&candidate->before_look, &left,
					     left - (left < want ? left : want)))
		;
	return left < want ? left : want;
}

bool kc_learn_is_turn(struct kc_candidate *candidate, size_t *share, size_t len)
{
	size_t none = 0;

	if (len > *share)
		*share += take(candidate, kc_bytes_times(len, IN_ADVANCE));
	if (len <= *share) {
		*share -= len;
		return false;
	}
	*share = 0;
	/* No bytes are left: one thread looks. */
	return atomic_compare_exchange_strong(&candidate->before_look, &none, MEANWHILE);
}

void kc_learn_give(struct kc_candidate *candidate, size_t bytes)
{
	if (bytes)
		atomic_fetch_add_explicit(&candidate->before_look, bytes, memory_order_relaxed);
}
