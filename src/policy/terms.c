/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps costs per size class, for kernel and software, in ns per KiB. Nothing makes a request
 * appear faster than it is, but many things make it slower. So a lower time is believed at once,
 * and a higher one by a quarter, counted as at most twice the known time. One disturbed request
 * decides nothing, and a device that has become slow is recognized within a few.
 */
#include "policy/terms.h"

#include <string.h>

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

/* Bytes: while one thread looks, others go on. */
#define MEANWHILE (1024 * 1024)

/*
 * A context takes the bytes of so many requests at a time, and so touches nothing shared for most.
 */
#define IN_ADVANCE 8

/* Of the costs, which any thread may write: no order matters. */
#define LOAD(number) atomic_load_explicit(number, memory_order_relaxed)

static void wait_for(struct kc_candidate *c, size_t bytes)
{
	atomic_store_explicit(&c->terms.before_look, bytes, memory_order_relaxed);
}

/* A product of bytes that does not wrap, and that a count of bytes can reach. */
static size_t bytes_times(size_t bytes, unsigned times)
{
	return bytes > SIZE_MAX / 2 / times ? SIZE_MAX / 2 : bytes * times;
}

/* Each failure in a row doubles the bytes to wait before the next try. */
static size_t backed_off(const struct kc_candidate *c, size_t bytes)
{
	unsigned failures = atomic_load_explicit(&c->failures, memory_order_relaxed);

	return bytes_times(bytes, 1u << (failures < 8 ? failures : 8));
}

/*
 * Bytes that software must do before a session is worth its price. After kcrypto tune, the first
 * session is opened twice, once for the known answer.
 */
static size_t price(const struct kc_candidate *c)
{
	size_t cost = atomic_load_explicit(&c->terms.session_bytes, memory_order_relaxed);
	bool is_twice = atomic_load_explicit(&c->trust, memory_order_acquire) == KC_PROVEN;

	return backed_off(c, bytes_times(cost, is_twice ? 2 : 1));
}

/* If sessions outlive contexts, the bytes of all contexts count, otherwise only this one's. */
void kc_terms_wait(struct kc_candidate *c, struct kc_stake *stake, size_t len)
{
	if (c->alg->kind == KC_DIGEST)
		atomic_fetch_add_explicit(&c->terms.waited, len, memory_order_relaxed);
	else
		stake->waited += len;
}

bool kc_terms_pay(struct kc_candidate *c, struct kc_stake *stake, size_t len, bool at_once)
{
	size_t all = stake->waited + atomic_load_explicit(&c->terms.waited, memory_order_relaxed);

	if (!at_once && all < price(c)) {
		kc_terms_wait(c, stake, len);
		return false;
	}
	stake->waited = 0;
	atomic_store_explicit(&c->terms.waited, 0, memory_order_relaxed);
	return true;
}

void kc_terms_wait_for_trial(struct kc_candidate *c)
{
	wait_for(c, backed_off(c, KC_BYTES_BEFORE_TRIAL));
}

/* @lowest: in jobs, where it may be lower than @alone. */
static void set_threshold(struct kc_terms *t, enum kc_dir dir, size_t lowest, size_t alone)
{
	atomic_store_explicit(&t->threshold[dir], lowest, memory_order_relaxed);
	atomic_store_explicit(&t->alone[dir], alone > lowest ? alone : 0, memory_order_relaxed);
}

static void set_thresholds(struct kc_terms *t, size_t decrypt, size_t encrypt)
{
	set_threshold(t, KC_DECRYPT, decrypt, decrypt);
	set_threshold(t, KC_ENCRYPT, encrypt, encrypt);
}

/* The row's own configuration takes precedence over the general rule. */
void kc_terms_init(struct kc_candidate *c, const struct kc_config *config, size_t threshold)
{
	struct kc_terms *t = &c->terms;
	bool is_open = threshold == KC_THRESHOLD_MEASURED;

	if (is_open)
		threshold = config->rule == KC_RULE_ALWAYS ? 0 : c->alg->default_threshold;
	set_thresholds(t, threshold, threshold);
	t->is_fixed = !is_open || config->rule == KC_RULE_ALWAYS;
	t->floor = is_open && config->rule == KC_RULE_AUTO ? kc_alg_floor(c->alg) : SIZE_MAX;
	t->prefer = (enum kc_prefer)config->prefer;
	wait_for(c, KC_BYTES_BEFORE_TRIAL);
}

/* A session for a threshold that is configured to 0 is opened at once, whatever it costs. */
static void set_prices(struct kc_terms *t, size_t session_bytes, unsigned once_ns, unsigned kib_ns)
{
	if (!t->is_fixed || kc_terms_threshold(t, KC_ENCRYPT))
		atomic_store(&t->session_bytes, session_bytes);
	atomic_store(&t->once_ns, once_ns);
	atomic_store(&t->kib_ns, kib_ns);
}

void kc_terms_tuned(struct kc_candidate *c, size_t decrypt, size_t encrypt, size_t session_bytes,
		    unsigned once_ns, unsigned kib_ns)
{
	if (!c->terms.is_fixed)
		set_thresholds(&c->terms, decrypt, encrypt);
	set_prices(&c->terms, session_bytes, once_ns, kib_ns);
	c->terms.floor = SIZE_MAX;
	c->terms.is_tuned = true;
}

/* The time that @p->len bytes add to the fixed time of a request; ns. */
static uint64_t slope_of(const struct kc_prices *p)
{
	return p->kernel_long > p->kernel_short ? p->kernel_long - p->kernel_short : 0;
}

/*
 * The kernel takes a fixed time plus a time per byte, software only the latter. Returns the length
 * where the two lines cross, plus an eighth. The process's own requests will show whether it is
 * right.
 */
static size_t crossing(const struct kc_candidate *c, const struct kc_prices *p)
{
	uint64_t slope = slope_of(p);
	size_t block = c->alg->block_len;
	uint64_t n;

	if (p->soft_long <= slope)
		return SIZE_MAX;
	n = p->kernel_short * p->len / (p->soft_long - slope);
	n += n / 8;
	if (n > c->max_request)
		return SIZE_MAX;
	n = (n + block - 1) / block * block;
	return n < c->terms.floor ? c->terms.floor : (size_t)n;
}

/* At least 1: 0 means unknown. */
static uint32_t per_kib(uint64_t ns, size_t len)
{
	uint64_t n = ns * 1024 / len + 1;

	return n < INT32_MAX ? (uint32_t)n : INT32_MAX;
}

/* Returns the bytes that take @times @ns at @cost per KiB. */
static size_t bytes_for(uint64_t ns, unsigned times, uint32_t cost)
{
	uint64_t bytes = ns / cost * times * 1024 + ns % cost * times * 1024 / cost;

	return bytes < SIZE_MAX / 4 ? (size_t)bytes : SIZE_MAX / 4;
}

void kc_terms_tried(struct kc_candidate *c, const struct kc_prices *prices, uint64_t open_ns,
		    uint64_t trial_ns)
{
	const struct kc_prices *p = &prices[KC_ENCRYPT];
	uint32_t soft = per_kib(p->soft_long, p->len);

	/* A hash has only one direction. */
	if (c->terms.floor != SIZE_MAX)
		set_thresholds(&c->terms,
			       crossing(c, kc_alg_is_hash(c->alg) ? p : &prices[KC_DECRYPT]),
			       crossing(c, p));
	set_prices(&c->terms, bytes_for(open_ns, 1, soft), (unsigned)p->kernel_short,
		   (unsigned)(slope_of(p) * 1024 / p->len));
	memset(c->terms.costs, 0, sizeof(c->terms.costs));
	/* Until the first pair, software does enough work to make the trial an eighth of it. */
	wait_for(c, bytes_for(trial_ns, 8, soft));
}

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
		set_threshold(t, dir, pays ? len : alone, alone);
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
	set_threshold(&c->terms, dir, lowest < alone && lowest < threshold ? lowest : threshold,
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
	return bytes_times(wait, ENOUGH_FLIGHTS);
}

void kc_terms_pair(struct kc_candidate *c, const struct kc_pair *pair)
{
	struct kc_costs *costs = &c->terms.costs[pair->dir];
	unsigned class = class_of(pair->len), pairs = LOAD(&costs->pairs[class]) + 1;
	unsigned times = pairs < ENOUGH ? WHILE_NEW : WHEN_SETTLED;
	uint32_t soft = note(&costs->soft[class], per_kib(pair->soft_ns, pair->len));
	uint32_t kernel = LOAD(&costs->kernel[class]);
	size_t wait;

	if (!pair->amid_others || !kernel)
		kernel = note(&costs->kernel[class], per_kib(pair->kernel_ns, pair->len));
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
		wait = bytes_for(pair->soft_ns, times, kernel);
	else
		wait = bytes_for(pair->kernel_ns, times, soft) +
		       bytes_times(atomic_load(&c->terms.session_bytes), times);
	if (pairs >= ENOUGH && !judge(c, pair->dir, pair->len, kernel < soft) && pair->in_job)
		wait = try_in_jobs(c, pair, wait);
	wait_for(c, wait);
}

void kc_terms_flight(struct kc_candidate *c, enum kc_dir dir, size_t len, uint64_t ns)
{
	struct kc_costs *costs = &c->terms.costs[dir];
	unsigned class = class_of(len), n = LOAD(&costs->flights[class]);
	uint32_t flight = note(&costs->flight[class], per_kib(ns, len));

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
	bool pays = note(&costs->kernel[class], per_kib(ns, len)) < LOAD(&costs->soft[one]);

	if (LOAD(&costs->pairs[one]) < ENOUGH)
		return;
	if (!pays || class == SEVERAL)
		judge(c, dir, len, pays);
	if (pays)
		return;
	/* The machine may have been busy, not the device: the next pair shows. */
	wait_for(c, 0);
	stake->share = 0;
}

static size_t take(struct kc_candidate *c, size_t want)
{
	size_t left = atomic_load_explicit(&c->terms.before_look, memory_order_relaxed);

	while (!atomic_compare_exchange_weak(&c->terms.before_look, &left,
					     left - (left < want ? left : want)))
		;
	return left < want ? left : want;
}

bool kc_terms_is_turn(struct kc_candidate *c, struct kc_stake *stake, size_t len)
{
	size_t none = 0;

	if (len > stake->share)
		stake->share += take(c, bytes_times(len, IN_ADVANCE));
	if (len <= stake->share) {
		stake->share -= len;
		return false;
	}
	stake->share = 0;
	/* No bytes are left: one thread looks. */
	return atomic_compare_exchange_strong(&c->terms.before_look, &none, MEANWHILE);
}

void kc_terms_give(struct kc_candidate *c, struct kc_stake *stake)
{
	if (stake->share)
		atomic_fetch_add_explicit(&c->terms.before_look, stake->share,
					  memory_order_relaxed);
	stake->share = 0;
}
