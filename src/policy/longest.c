/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/longest.h"

/*
 * A driver that is slower than software by more than this factor has not left a request to
 * software.
 */
#define TIMES_SLOW 4

/* Bytes: drivers' limits are seldom lower, and the trial's prices are those of a page. */
#define SHORTEST_PIECE 4096

/* One look of so many tries a longer length. */
#define LOOKS_AGAIN 4

/* True if by the trial's prices, requests of @len bytes cost at least a quarter less than @cost. */
static bool promise(const struct kc_candidate *c, size_t len, uint32_t cost)
{
	uint64_t once = atomic_load(&c->terms.once_ns), kib = atomic_load(&c->terms.kib_ns);

	if (!len || !(once + kib))
		return false;
	return (once + kib * len / 1024) * 4 <= (uint64_t)cost * len / 1024 * 3;
}

/* Returns the kernel's cost in a class, in its cheaper direction; UINT32_MAX: it does not pay. */
static uint32_t paying_cost(const struct kc_candidate *c, unsigned class)
{
	uint32_t cost = UINT32_MAX;

	for (int dir = KC_DECRYPT; dir <= KC_ENCRYPT; dir++) {
		const struct kc_costs *costs = &c->terms.costs[dir];
		uint32_t kernel = KC_LOAD(&costs->kernel[class]);

		if (kc_class_is_judged(costs, class) && kernel < KC_LOAD(&costs->soft[class]) &&
		    kernel < cost)
			cost = kernel;
	}
	return cost;
}

static bool is_known(const struct kc_candidate *c, unsigned class)
{
	return kc_class_is_judged(&c->terms.costs[KC_DECRYPT], class) ||
	       kc_class_is_judged(&c->terms.costs[KC_ENCRYPT], class);
}

size_t kc_longest_best(const struct kc_candidate *c)
{
	uint32_t best = UINT32_MAX;
	bool is_limit = false;

	for (unsigned i = 0; i < KC_SEVERAL; i++)
		best = (uint32_t)kc_min(best, paying_cost(c, i));
	for (unsigned i = KC_SEVERAL; best < UINT32_MAX && i--;) {
		uint32_t cost = paying_cost(c, i);

		bool is_good = cost < UINT32_MAX && cost - best <= best / 8;

		if (is_good && is_limit)
			return kc_class_below(i + 1);
		if (is_good)
			return SIZE_MAX;
		is_limit |= is_known(c, i);
	}
	return SIZE_MAX;
}

/* Returns the longest request shorter than @len's class of which nothing is known, in bytes. */
static size_t longest_unknown(const struct kc_candidate *c, size_t len)
{
	unsigned class = kc_class_of(len);

	while (class && is_known(c, class - 1))
		class -= 1;
	return kc_class_below(class);
}

/* True if the driver may have left such requests to the kernel's software. */
static bool may_be_left(const struct kc_candidate *c, enum kc_dir dir, unsigned class)
{
	const struct kc_costs *costs = &c->terms.costs[dir];

	return KC_LOAD(&costs->kernel[class]) / TIMES_SLOW <= KC_LOAD(&costs->soft[class]);
}

size_t kc_longest_after(const struct kc_candidate *c, enum kc_dir dir, size_t len)
{
	const struct kc_costs *costs = &c->terms.costs[dir];
	unsigned class = kc_class_of(len);
	uint32_t soft = KC_LOAD(&costs->soft[class]), kernel = KC_LOAD(&costs->kernel[class]);
	size_t shorter = longest_unknown(c, len);

	if (may_be_left(c, dir, class) && shorter >= kc_terms_alone(&c->terms, dir) &&
	    promise(c, shorter, (uint32_t)kc_min(soft, kernel)))
		return shorter;
	return kc_longest_best(c);
}

/* Returns the next shorter length that no look has tried, or 0. */
static size_t shorter_to_try(const struct kc_candidate *c, enum kc_dir dir, size_t len, bool pays)
{
	size_t tried = KC_LOAD(&c->terms.tried);
	size_t shorter = longest_unknown(c, tried ? kc_min(len, tried) : len);
	size_t least = pays ? kc_terms_alone(&c->terms, dir) : 0;

	if (!may_be_left(c, dir, kc_class_of(len)) || shorter < kc_max(least, SHORTEST_PIECE))
		return 0;
	return shorter;
}

/* Returns the next longer length, or 0 if this look was not at the longest, or tries none. */
static size_t longer_to_try(const struct kc_candidate *c, size_t len)
{
	size_t longest = kc_terms_longest(&c->terms);

	if (longest == SIZE_MAX || len < longest / 2 || KC_LOAD(&c->terms.looks) % LOOKS_AGAIN)
		return 0;
	if (longest >= kc_class_below(KC_SEVERAL - 1))
		return SIZE_MAX;
	return kc_class_below(kc_class_of(longest) + 2);
}

size_t kc_longest_to_try(const struct kc_candidate *c, enum kc_dir dir, size_t len, bool pays)
{
	size_t shorter = shorter_to_try(c, dir, len, pays);

	return shorter ? shorter : longer_to_try(c, len);
}
