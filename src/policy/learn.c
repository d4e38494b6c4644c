/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps costs per size class, for kernel and software, in ns per KiB. Nothing makes a request
 * appear faster than it is, but many things make it slower. So a lower time is believed at once,
 * and a higher one by a quarter, counted as at most twice the known time. One disturbed request
 * decides nothing, and a device that has become slow is recognized within a few.
 */
#include "policy/learn.h"

/* Pairs in a size class before they can move a threshold. */
#define ENOUGH 3

/*
 * The cost of a look is spread over this many times as much work: until there are enough pairs, and
 * after that.
 */
#define WHILE_NEW    8
#define WHEN_SETTLED 128

/* Requests in jobs before they can move it: as many as may be in flight in most programs. */
#define ENOUGH_FLIGHTS 16

/* Of the costs, which any thread may write: no order matters. */
#define LOAD(number) atomic_load_explicit(number, memory_order_relaxed)

/* More than one request, several of which were in flight. Software takes what it does for one. */
#define SEVERAL (KC_SIZE_CLASSES - 1)

static unsigned class_of(size_t len)
{
	unsigned long halves = len >> 9;
	unsigned c = halves ? 8 * sizeof(halves) - (unsigned)__builtin_clzl(halves) : 0;

	if (c < SEVERAL - 1)
		return c;
	return len > KC_MAX_REQUEST ? SEVERAL : SEVERAL - 1;
}

static uint32_t note(_Atomic uint32_t *cost, uint32_t seen)
{
	uint32_t known = LOAD(cost);
	uint32_t over = seen > known ? seen - known : 0;

	if (known && over)
		seen = known + ((over < known ? over : known) + 3) / 4;
	atomic_store_explicit(cost, seen, memory_order_relaxed);
	return seen;
}

/* In jobs, requests of @len bytes pay, or no shorter ones than outside. */
static void set_in_jobs(struct kc_terms *t, enum kc_dir dir, size_t len, bool pays)
{
	size_t alone = kc_terms_alone(t, dir);

	if (!pays || len < kc_terms_threshold(t, dir))
		kc_terms_set_threshold(t, dir, pays ? len : alone, alone);
}

/* @len was measured, so the threshold goes there. True: the kernel pays there. */
static bool judge(struct kc_candidate *c, enum kc_dir dir, size_t len, bool pays)
{
	size_t lowest = kc_terms_threshold(&c->terms, dir);
	size_t alone = kc_terms_alone(&c->terms, dir), threshold = alone;

	if (pays && len < threshold)
		threshold = len;
	else if (!pays && len >= threshold)
		threshold = len < c->max_request ? len + c->alg->block_len : SIZE_MAX;
	/* Where jobs have lowered it, it stays there. */
	kc_terms_set_threshold(&c->terms, dir,
			       lowest < alone && lowest < threshold ? lowest : threshold,
			       threshold);
	return pays;
}

bool kc_terms_is_new(const struct kc_candidate *c, enum kc_dir dir, size_t len, uint32_t traits)
{
	const struct kc_costs *costs = &c->terms.costs[dir];
	unsigned class = class_of(len);

	return LOAD(&costs->pairs[class]) < ENOUGH || traits & ~LOAD(&costs->traits[class]);
}

/* Returns the bytes to wait for the next look, of which this makes as many more. */
static size_t try_in_jobs(struct kc_candidate *c, const struct kc_pair *pair, size_t wait)
{
	struct kc_costs *costs = &c->terms.costs[pair->dir];

	atomic_store_explicit(&costs->flight[class_of(pair->len)], 0, memory_order_relaxed);
	atomic_store_explicit(&costs->flights[class_of(pair->len)], 0, memory_order_relaxed);
	set_in_jobs(&c->terms, pair->dir, pair->len, true);
	return kc_bytes_times(wait, ENOUGH_FLIGHTS);
}

void kc_terms_pair(struct kc_candidate *c, const struct kc_pair *pair)
{
	struct kc_costs *costs = &c->terms.costs[pair->dir];
	unsigned class = class_of(pair->len), pairs = LOAD(&costs->pairs[class]) + 1;
	unsigned times = pairs < ENOUGH ? WHILE_NEW : WHEN_SETTLED;
	uint32_t soft = note(&costs->soft[class], kc_cost_per_kib(pair->soft_ns, pair->len));
	uint32_t kernel = LOAD(&costs->kernel[class]);
	size_t wait;

	if (!pair->amid_others || !kernel)
		kernel = note(&costs->kernel[class], kc_cost_per_kib(pair->kernel_ns, pair->len));
	atomic_fetch_or_explicit(&costs->traits[class], pair->traits, memory_order_relaxed);
	if (pairs <= ENOUGH)
		atomic_store_explicit(&costs->pairs[class], pairs, memory_order_relaxed);
	if (pair->len < c->terms.floor)
		return;
	/*
	 * The cost is the additional work; for a request of software's, that includes opening a
	 * session.
	 */
	if (pair->len >= kc_terms_threshold(&c->terms, pair->dir))
		wait = kc_bytes_for(pair->soft_ns, times, kernel);
	else
		wait = kc_bytes_for(pair->kernel_ns, times, soft) +
		       kc_bytes_times(atomic_load(&c->terms.session_bytes), times);
	if (pairs >= ENOUGH && !judge(c, pair->dir, pair->len, kernel < soft) && pair->in_job)
		wait = try_in_jobs(c, pair, wait);
	kc_terms_wait_to_look(c, wait);
}

void kc_terms_flight(struct kc_candidate *c, enum kc_dir dir, size_t len, uint64_t ns)
{
	struct kc_costs *costs = &c->terms.costs[dir];
	unsigned class = class_of(len), n = LOAD(&costs->flights[class]);
	uint32_t flight = note(&costs->flight[class], kc_cost_per_kib(ns, len));

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
	bool pays = note(&costs->kernel[class], kc_cost_per_kib(ns, len)) < LOAD(&costs->soft[one]);

	if (LOAD(&costs->pairs[one]) < ENOUGH)
		return;
	if (!pays || class == SEVERAL)
		judge(c, dir, len, pays);
	if (pays)
		return;
	/* The machine may have been busy, not the device: the next pair shows. */
	kc_terms_wait_to_look(c, 0);
	stake->share = 0;
}
