/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps costs per size class, for kernel and software, in ns per KiB. Nothing makes a request
 * appear faster than it is, but many things make it slower. So a lower time is believed at once. A
 * higher one moves the known time a quarter of the way, and counts as at most twice the known time.
 * Thus one disturbed request decides nothing, and a device that has become slow is recognized
 * within a few requests.
 */
#include "policy/learn.h"

#include "policy/longest.h"

/*
 * The budget before the next pair: so many times the pair's cost, until there are enough pairs, and
 * after that.
 */
#define WHILE_NEW    8
#define WHEN_SETTLED 128

/*
 * Requests in jobs before they can move a threshold: as many as may be in flight in most programs.
 */
#define ENOUGH_FLIGHTS 16

/* Requests that the kernel does alone after a look that almost paid. */
#define ALONE 2

static uint32_t note_cost(_Atomic uint32_t *cost, uint32_t seen)
{
	uint32_t known = KC_LOAD(cost);

	if (known && seen > known)
		seen = known + (uint32_t)(kc_min(seen - known, known) + 3) / 4;
	atomic_store_explicit(cost, seen, memory_order_relaxed);
	return seen;
}

/* Sets the threshold in jobs: to @len if such requests pay there, otherwise to that outside. */
static void set_in_jobs(struct kc_terms *t, enum kc_dir dir, size_t len, bool pays)
{
	size_t alone = kc_terms_alone(t, dir);

	if (!pays)
		kc_terms_set_threshold(t, dir, alone, alone);
	else if (len < kc_terms_threshold(t, dir))
		kc_terms_set_threshold(t, dir, len, alone);
}

/*
 * True if requests of a class from @first to @end, without @end, are known to pay, in either
 * direction.
 */
static bool some_pay(const struct kc_candidate *c, unsigned first, unsigned end)
{
	for (unsigned i = 2 * first; i < 2 * end; i++) {
		const struct kc_costs *costs = &c->terms.costs[i % 2];

		if (kc_class_is_judged(costs, i / 2) &&
		    KC_LOAD(&costs->kernel[i / 2]) < KC_LOAD(&costs->soft[i / 2]))
			return true;
	}
	return false;
}

/*
 * Returns the next threshold above @len, where the kernel does not pay; SIZE_MAX if no piece may be
 * so long.
 */
static size_t threshold_above(const struct kc_candidate *c, size_t len)
{
	size_t next = len + c->alg->block_len;

	if (len >= c->max_request || next > kc_terms_longest(&c->terms))
		return SIZE_MAX;
	return next;
}

/* Moves the threshold to @len, which was measured. */
static void judge_threshold(struct kc_candidate *c, enum kc_dir dir, size_t len, bool pays)
{
	size_t lowest = kc_terms_threshold(&c->terms, dir);
	size_t alone = kc_terms_alone(&c->terms, dir), threshold = alone;

	if (pays && len < threshold)
		threshold = len;
	else if (!pays && len >= threshold)
		threshold = threshold_above(c, len);
	/* A threshold that jobs have lowered stays there. */
	if (lowest >= alone || lowest > threshold)
		lowest = threshold;
	kc_terms_set_threshold(&c->terms, dir, lowest, threshold);
}

/*
 * For a class that does not pay: true if whole messages in it are too long, rather than too short.
 */
static bool is_class_too_long(const struct kc_candidate *c, unsigned class)
{
	if (!kc_alg_is_whole(c->alg) || !some_pay(c, 0, class))
		return false;
	return !some_pay(c, class + 1, KC_SEVERAL);
}

/* True if text in pieces of @len bytes does not pay, but in shorter ones it does. */
static bool is_text_too_long(const struct kc_candidate *c, size_t len)
{
	return !kc_alg_is_whole(c->alg) && kc_class_of(len) < KC_SEVERAL &&
	       len > kc_longest_best(c);
}

/*
 * Moves an end of the range to @len, which was measured; the upper end goes to the end of a size
 * class. A whole message that does not pay is too long if shorter ones pay and longer ones do not.
 * Text that is divided has no requests beyond the upper end, except from before the end moved
 * there.
 */
static __attribute__((cold)) void judge_length(struct kc_candidate *c, enum kc_dir dir, size_t len,
					       bool pays)
{
	unsigned class = kc_class_of(len);
	bool is_beyond = class < KC_SEVERAL && len > kc_terms_longest(&c->terms);
	size_t longest = SIZE_MAX;

	if (pays && is_beyond && kc_alg_is_whole(c->alg)) {
		if (len <= kc_class_below(KC_SEVERAL - 1))
			longest = kc_class_below(class + 1);
		kc_terms_set_longest(&c->terms, longest);
	} else if (!pays && !is_beyond && is_class_too_long(c, class)) {
		kc_terms_set_longest(&c->terms, kc_class_below(class));
	} else if (!pays && is_text_too_long(c, len)) {
		kc_terms_set_longest(&c->terms, kc_longest_best(c));
	} else if (pays || !is_beyond) {
		judge_threshold(c, dir, len, pays);
	}
}

bool kc_terms_is_new(const struct kc_candidate *c, enum kc_dir dir, size_t len, uint32_t traits)
{
	const struct kc_costs *costs = &c->terms.costs[dir];
	unsigned class = kc_class_of(len);

	if (!kc_class_is_judged(costs, class))
		return true;
	return traits & ~KC_LOAD(&costs->traits[class]);
}

/*
 * Begins to try this length in jobs. Returns the budget before the next pair, raised for these
 * requests.
 */
static size_t try_in_jobs(struct kc_candidate *c, const struct kc_pair *pair, size_t wait)
{
	struct kc_costs *costs = &c->terms.costs[pair->dir];

	atomic_store_explicit(&costs->flight[kc_class_of(pair->len)], 0, memory_order_relaxed);
	atomic_store_explicit(&costs->flights[kc_class_of(pair->len)], 0, memory_order_relaxed);
	set_in_jobs(&c->terms, pair->dir, pair->len, true);
	return kc_bytes_times(wait, ENOUGH_FLIGHTS);
}

/* Judges a length of which there are enough pairs. Returns the budget before the next pair. */
static size_t decide_length(struct kc_candidate *c, const struct kc_pair *pair, bool pays,
			    size_t wait)
{
	judge_length(c, pair->dir, pair->len, pays);
	if (!pays && pair->in_job)
		return try_in_jobs(c, pair, wait);
	return wait;
}

/* The first verdict on a length. Returns the budget before the next pair. */
static size_t decide_first(struct kc_candidate *c, const struct kc_pair *pair, bool pays,
			   size_t wait)
{
	bool is_in_range = pair->len <= kc_terms_longest(&c->terms) &&
			   pair->len >= kc_terms_alone(&c->terms, pair->dir);

	if (is_in_range && !kc_alg_is_whole(c->alg))
		kc_terms_set_longest(&c->terms, kc_longest_after(c, pair->dir, pair->len));
	else if (!kc_alg_is_whole(c->alg))
		kc_terms_set_longest(&c->terms, kc_longest_best(c));
	/* Shorter ones are tried first. */
	if (is_in_range && pair->len > kc_terms_longest(&c->terms))
		return wait;
	return decide_length(c, pair, pays, wait);
}

/*
 * In a pair the driver's code and data are cold, because software works in between. So after a look
 * that almost paid, the kernel does a few requests of this length alone, and the last of these
 * decides: kc_terms_kernel().
 */
static void try_alone(struct kc_candidate *c, const struct kc_pair *pair)
{
	struct kc_costs *costs = &c->terms.costs[pair->dir];

	atomic_store_explicit(&costs->pairs[kc_class_of(pair->len)], KC_ENOUGH_PAIRS + ALONE,
			      memory_order_relaxed);
	kc_terms_set_threshold(&c->terms, pair->dir, pair->len, pair->len);
}

/* Sets the length that the next pair tries, or the best. Returns true if it tries one. */
static bool try_other(struct kc_candidate *c, const struct kc_pair *pair, bool pays)
{
	size_t other;

	atomic_fetch_add_explicit(&c->terms.looks, 1, memory_order_relaxed);
	other = kc_longest_to_try(c, pair->dir, pair->len, pays);
	if (!other) {
		kc_terms_set_longest(&c->terms, kc_longest_best(c));
		return false;
	}
	judge_length(c, pair->dir, pair->len, pays);
	atomic_store_explicit(&c->terms.look, other, memory_order_relaxed);
	if (other < pair->len)
		atomic_store_explicit(&c->terms.tried, other, memory_order_relaxed);
	return true;
}

/*
 * A look at a length that was judged before, at @kernel and @soft ns per KiB. Returns the
 * budget before the next pair.
 */
static size_t look_again(struct kc_candidate *c, const struct kc_pair *pair, uint32_t kernel,
			 uint32_t soft, size_t wait)
{
	bool is_near = kernel >= soft && kernel - soft <= soft / 2 &&
		       pair->len < kc_terms_threshold(&c->terms, pair->dir) && !pair->in_job;
	bool may_divide = !kc_alg_is_whole(c->alg) && !pair->in_job;

	if (may_divide && try_other(c, pair, kernel < soft))
		return wait / (WHEN_SETTLED / WHILE_NEW);
	/* Text that is too long for a request is not too short for the kernel. */
	if (may_divide && pair->len > kc_terms_longest(&c->terms))
		return wait;
	if (!is_near)
		return decide_length(c, pair, kernel < soft, wait);
	try_alone(c, pair);
	return wait;
}

__attribute__((cold)) void kc_terms_pair(struct kc_candidate *c, const struct kc_pair *pair)
{
	struct kc_costs *costs = &c->terms.costs[pair->dir];
	unsigned class = kc_class_of(pair->len), pairs = KC_LOAD(&costs->pairs[class]) + 1;
	unsigned times = pairs < KC_ENOUGH_PAIRS ? WHILE_NEW : WHEN_SETTLED;
	uint32_t soft = note_cost(&costs->soft[class], kc_cost_per_kib(pair->soft_ns, pair->len));
	uint32_t kernel = KC_LOAD(&costs->kernel[class]);
	size_t wait;

	if (!pair->amid_others || !kernel)
		kernel = note_cost(&costs->kernel[class],
				   kc_cost_per_kib(pair->kernel_ns, pair->len));
	atomic_fetch_or_explicit(&costs->traits[class], pair->traits, memory_order_relaxed);
	if (pairs <= KC_ENOUGH_PAIRS)
		atomic_store_explicit(&costs->pairs[class], pairs, memory_order_relaxed);
	if (pair->len < kc_terms_floor(&c->terms))
		return;
	/*
	 * The cost is the additional work; if software had the request anyway, that includes
	 * opening a session.
	 */
	if (pair->len >= kc_terms_threshold(&c->terms, pair->dir))
		wait = kc_bytes_for(pair->soft_ns, times, kernel);
	else
		wait = kc_bytes_for(pair->kernel_ns, times, soft) +
		       kc_bytes_times(atomic_load(&c->terms.session_bytes), times);
	if (pairs > KC_ENOUGH_PAIRS)
		wait = look_again(c, pair, kernel, soft, wait);
	else if (pairs == KC_ENOUGH_PAIRS)
		wait = decide_first(c, pair, kernel < soft, wait);
	kc_terms_wait_to_look(c, wait);
}

void kc_terms_flight(struct kc_candidate *c, enum kc_dir dir, size_t len, uint64_t ns)
{
	struct kc_costs *costs = &c->terms.costs[dir];
	unsigned class = kc_class_of(len), n = KC_LOAD(&costs->flights[class]);
	uint32_t flight = note_cost(&costs->flight[class], kc_cost_per_kib(ns, len));

	if (n < ENOUGH_FLIGHTS)
		atomic_store_explicit(&costs->flights[class], n + 1, memory_order_relaxed);
	else if (KC_LOAD(&costs->pairs[class]) >= KC_ENOUGH_PAIRS)
		set_in_jobs(&c->terms, dir, len, flight < KC_LOAD(&costs->soft[class]));
}

void kc_terms_kernel(struct kc_candidate *c, struct kc_stake *stake, enum kc_dir dir, size_t len,
		     uint64_t ns)
{
	struct kc_costs *costs = &c->terms.costs[dir];
	unsigned class = kc_class_of(len), one = class == KC_SEVERAL ? KC_SEVERAL - 1 : class;
	bool pays = note_cost(&costs->kernel[class], kc_cost_per_kib(ns, len)) <
		    KC_LOAD(&costs->soft[one]);
	unsigned pairs = KC_LOAD(&costs->pairs[one]);
	bool is_tried = pairs > KC_ENOUGH_PAIRS;

	if (is_tried)
		atomic_store_explicit(&costs->pairs[one], --pairs, memory_order_relaxed);
	if (pairs != KC_ENOUGH_PAIRS)
		return;
	if (!pays || class == KC_SEVERAL)
		judge_length(c, dir, len, pays);
	if (pays || is_tried)
		return;
	/* Perhaps the machine was busy, not the device: the next pair will tell. */
	kc_terms_wait_to_look(c, 0);
	stake->share = 0;
}
