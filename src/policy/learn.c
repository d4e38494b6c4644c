/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps costs per size class, for kernel and software, in ns per KiB. Nothing makes a request
 * appear faster than it is, but many things make it slower. So a lower time is believed at once. A
 * higher one moves the known time a quarter of the way, and counts as at most twice the known time.
 * Thus one disturbed request decides nothing, and a device that has become slow is recognized
 * within a few requests.
 */
#include "policy/learn.h"

/* Pairs of a size class before they can move a threshold. */
#define ENOUGH 3

/*
 * The budget before the next pair: so many times the pair's cost, until there are enough pairs, and
 * after that.
 */
#define WHILE_NEW    8
#define WHEN_SETTLED 128

/*
 * A driver that is slower than software by more than this factor has not left a request to
 * software.
 */
#define TIMES_SLOW 4

/*
 * Requests in jobs before they can move a threshold: as many as may be in flight in most programs.
 */
#define ENOUGH_FLIGHTS 16

/* Requests that the kernel does alone after a look that almost paid. */
#define ALONE 2

/* Any thread may write costs; no order matters. */
#define LOAD(number) atomic_load_explicit(number, memory_order_relaxed)

/* The class of several requests in flight. For software it uses the cost of one request. */
#define SEVERAL (KC_SIZE_CLASSES - 1)

static unsigned class_of(size_t len)
{
	unsigned long halves = (unsigned long)(len - 1) >> 6 | 1; /* of the first class */
	unsigned c = 8 * sizeof(halves) - 1 - (unsigned)__builtin_clzl(halves);

	return (unsigned)kc_min(c, SEVERAL);
}

/* Returns the longest request of the classes below @class, in bytes. */
static size_t below_class(unsigned class)
{
	if (!class)
		return 0;
	return (size_t)64 << class;
}

static uint32_t note_cost(_Atomic uint32_t *cost, uint32_t seen)
{
	uint32_t known = LOAD(cost);

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

static bool is_judged(const struct kc_costs *costs, unsigned class)
{
	return LOAD(&costs->pairs[class]) >= ENOUGH;
}

/*
 * True if requests of a class from @first to @end, without @end, are known to pay, in either
 * direction.
 */
static bool some_pay(const struct kc_candidate *c, unsigned first, unsigned end)
{
	for (unsigned i = 2 * first; i < 2 * end; i++) {
		const struct kc_costs *costs = &c->terms.costs[i % 2];

		if (is_judged(costs, i / 2) &&
		    LOAD(&costs->kernel[i / 2]) < LOAD(&costs->soft[i / 2]))
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
	return !some_pay(c, class + 1, SEVERAL);
}

/*
 * Moves an end of the range to @len, which was measured; the upper end goes to the end of a size
 * class. A whole message that does not pay is too long if shorter ones pay and longer ones do not.
 * Text that is divided has no requests beyond the upper end, except from before the end moved
 * there.
 */
static void judge_length(struct kc_candidate *c, enum kc_dir dir, size_t len, bool pays)
{
	unsigned class = class_of(len);
	bool is_beyond = class < SEVERAL && len > kc_terms_longest(&c->terms);
	size_t longest = SIZE_MAX;

	if (pays && is_beyond && kc_alg_is_whole(c->alg)) {
		if (len <= below_class(SEVERAL - 1))
			longest = below_class(class + 1);
		kc_terms_set_longest(&c->terms, longest);
	} else if (!pays && !is_beyond && is_class_too_long(c, class)) {
		kc_terms_set_longest(&c->terms, below_class(class));
	} else if (pays || !is_beyond) {
		judge_threshold(c, dir, len, pays);
	}
}

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
		uint32_t kernel = LOAD(&costs->kernel[class]);

		if (is_judged(costs, class) && kernel < LOAD(&costs->soft[class]) && kernel < cost)
			cost = kernel;
	}
	return cost;
}

static bool is_known(const struct kc_candidate *c, unsigned class)
{
	return is_judged(&c->terms.costs[KC_DECRYPT], class) ||
	       is_judged(&c->terms.costs[KC_ENCRYPT], class);
}

/* Returns the longest request that costs hardly more than the best pieces of the same text. */
static size_t best_longest(const struct kc_candidate *c)
{
	uint32_t best = UINT32_MAX;
	bool is_limit = false;

	for (unsigned i = 0; i < SEVERAL; i++)
		best = (uint32_t)kc_min(best, paying_cost(c, i));
	for (unsigned i = SEVERAL; best < UINT32_MAX && i--;) {
		uint32_t cost = paying_cost(c, i);

		bool is_good = cost < UINT32_MAX && cost - best <= best / 8;

		if (is_good && is_limit)
			return below_class(i + 1);
		if (is_good)
			return SIZE_MAX;
		is_limit |= is_known(c, i);
	}
	return SIZE_MAX;
}

/*
 * The first verdict on requests of this length, for text that may be divided. If the trial promises
 * more of shorter ones, the driver may leave longer ones to the kernel's software, which may be
 * faster or slower than OpenSSL. So it tries pieces half as long, and then shorter ones, until they
 * promise nothing. Then it takes the best.
 */
static void find_longest(struct kc_candidate *c, const struct kc_pair *pair)
{
	const struct kc_costs *costs = &c->terms.costs[pair->dir];
	unsigned class = class_of(pair->len);
	uint32_t soft = LOAD(&costs->soft[class]), kernel = LOAD(&costs->kernel[class]);
	size_t shorter = below_class(class);
	bool is_new = class && !is_known(c, class - 1);
	bool may_be_left = is_new && kernel / TIMES_SLOW <= soft &&
			   shorter >= kc_terms_alone(&c->terms, pair->dir);

	if (may_be_left && promise(c, shorter, (uint32_t)kc_min(kernel, soft)))
		kc_terms_set_longest(&c->terms, shorter);
	else
		kc_terms_set_longest(&c->terms, best_longest(c));
}

bool kc_terms_is_new(const struct kc_candidate *c, enum kc_dir dir, size_t len, uint32_t traits)
{
	const struct kc_costs *costs = &c->terms.costs[dir];
	unsigned class = class_of(len);

	if (!is_judged(costs, class))
		return true;
	return traits & ~LOAD(&costs->traits[class]);
}

/*
 * Begins to try this length in jobs. Returns the budget before the next pair, raised for these
 * requests.
 */
static size_t try_in_jobs(struct kc_candidate *c, const struct kc_pair *pair, size_t wait)
{
	struct kc_costs *costs = &c->terms.costs[pair->dir];

	atomic_store_explicit(&costs->flight[class_of(pair->len)], 0, memory_order_relaxed);
	atomic_store_explicit(&costs->flights[class_of(pair->len)], 0, memory_order_relaxed);
	set_in_jobs(&c->terms, pair->dir, pair->len, true);
	return kc_bytes_times(wait, ENOUGH_FLIGHTS);
}

/* Judges a length of which there are enough pairs. Returns the budget before the next pair. */
static size_t decide_length(struct kc_candidate *c, const struct kc_pair *pair, bool pays,
			    bool is_first, size_t wait)
{
	bool is_in_range = pair->len <= kc_terms_longest(&c->terms) &&
			   pair->len >= kc_terms_alone(&c->terms, pair->dir);
	bool may_divide = is_first && is_in_range && !kc_alg_is_whole(c->alg);

	if (may_divide)
		find_longest(c, pair);
	/* Shorter ones are tried first. */
	if (may_divide && pair->len > kc_terms_longest(&c->terms))
		return wait;
	judge_length(c, pair->dir, pair->len, pays);
	if (!pays && pair->in_job)
		return try_in_jobs(c, pair, wait);
	return wait;
}

/*
 * In a pair the driver's code and data are cold, because software works in between. So after a look
 * that almost paid, the kernel does a few requests of this length alone, and the last of these
 * decides: kc_terms_kernel().
 */
static void try_alone(struct kc_candidate *c, const struct kc_pair *pair)
{
	struct kc_costs *costs = &c->terms.costs[pair->dir];

	atomic_store_explicit(&costs->pairs[class_of(pair->len)], ENOUGH + ALONE,
			      memory_order_relaxed);
	kc_terms_set_threshold(&c->terms, pair->dir, pair->len, pair->len);
}

void kc_terms_pair(struct kc_candidate *c, const struct kc_pair *pair)
{
	struct kc_costs *costs = &c->terms.costs[pair->dir];
	unsigned class = class_of(pair->len), pairs = LOAD(&costs->pairs[class]) + 1;
	unsigned times = pairs < ENOUGH ? WHILE_NEW : WHEN_SETTLED;
	uint32_t soft = note_cost(&costs->soft[class], kc_cost_per_kib(pair->soft_ns, pair->len));
	uint32_t kernel = LOAD(&costs->kernel[class]);
	bool is_near;
	size_t wait;

	if (!pair->amid_others || !kernel)
		kernel = note_cost(&costs->kernel[class],
				   kc_cost_per_kib(pair->kernel_ns, pair->len));
	atomic_fetch_or_explicit(&costs->traits[class], pair->traits, memory_order_relaxed);
	if (pairs <= ENOUGH)
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
	is_near = kernel >= soft && kernel - soft <= soft / 2 &&
		  pair->len < kc_terms_threshold(&c->terms, pair->dir) && !pair->in_job;
	if (pairs > ENOUGH && is_near)
		try_alone(c, pair);
	else if (pairs >= ENOUGH)
		wait = decide_length(c, pair, kernel < soft, pairs == ENOUGH, wait);
	kc_terms_wait_to_look(c, wait);
}

void kc_terms_flight(struct kc_candidate *c, enum kc_dir dir, size_t len, uint64_t ns)
{
	struct kc_costs *costs = &c->terms.costs[dir];
	unsigned class = class_of(len), n = LOAD(&costs->flights[class]);
	uint32_t flight = note_cost(&costs->flight[class], kc_cost_per_kib(ns, len));

	if (n < ENOUGH_FLIGHTS)
		atomic_store_explicit(&costs->flights[class], n + 1, memory_order_relaxed);
	else if (LOAD(&costs->pairs[class]) >= ENOUGH)
		set_in_jobs(&c->terms, dir, len, flight < LOAD(&costs->soft[class]));
}

void kc_terms_kernel(struct kc_candidate *c, struct kc_stake *stake, enum kc_dir dir, size_t len,
		     uint64_t ns)
{
	struct kc_costs *costs = &c->terms.costs[dir];
	unsigned class = class_of(len), one = class == SEVERAL ? SEVERAL - 1 : class;
	bool pays = note_cost(&costs->kernel[class], kc_cost_per_kib(ns, len)) <
		    LOAD(&costs->soft[one]);
	unsigned pairs = LOAD(&costs->pairs[one]);
	bool is_tried = pairs > ENOUGH;

	if (is_tried)
		atomic_store_explicit(&costs->pairs[one], --pairs, memory_order_relaxed);
	if (pairs != ENOUGH)
		return;
	if (!pays || class == SEVERAL)
		judge_length(c, dir, len, pays);
	if (pays || is_tried)
		return;
	/* Perhaps the machine was busy, not the device: the next pair will tell. */
	kc_terms_wait_to_look(c, 0);
	stake->share = 0;
}
