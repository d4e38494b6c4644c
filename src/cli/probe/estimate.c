/* SPDX-License-Identifier: Apache-2.0 */
/* Each pass times a few sizes on both sides (run/times.c). passes.c draws the conclusions. */
#include "cli/probe/estimate.h"

#include <stdlib.h>

#include "cli/run/times.h"
#include "session/buffers.h"

#define FACTOR	4 /* between two sizes */
#define SIZES	KC_PASS_SIZES
#define PASSES	KC_ESTIMATE_PASSES
#define SLOW_NS 20000000 /* of one request: too long, unless slices are longer */

struct estimate {
	struct kc_timer timer;
	struct kc_scale scale;
	int measured; /* number of sizes: on a slow driver, without the longest */
};

/* The last size is the longest request that the session takes. */
static void set_sizes(struct estimate *e)
{
	size_t block = e->timer.candidate->alg->block_len, limit = e->timer.session.limit;
	size_t size = block > KC_SHORTEST_MEASURED ? block : KC_SHORTEST_MEASURED;

	for (int i = 0; i < SIZES; i++, size *= FACTOR)
		e->scale.size[i] = size < limit ? size : limit;
}

/* Returns the driver's time by its trial's prices, in ns. */
static double promised_ns(const struct estimate *e, double bytes)
{
	const struct kc_terms *terms = &e->timer.candidate->terms;

	return atomic_load(&terms->once_ns) + atomic_load(&terms->kib_ns) * bytes / 1024;
}

/*
 * Returns an upper limit for the time of a request of @size in ns: by the trial's prices, or
 * extrapolated from a request of @probe bytes, which no disturbance of the trial can have
 * lengthened.
 */
static double expected_ns(const struct estimate *e, size_t size, size_t probe,
			  const struct kc_times *t)
{
	double promised = promised_ns(e, (double)size);
	double seen = (double)t->least[0] * (double)size / (double)probe;

	if (seen < promised)
		return seen;
	return promised;
}

/* A slow driver is not measured at the longest sizes; at least two sizes make a line. */
static void count_measured(struct estimate *e)
{
	double most = e->timer.slice_ns > SLOW_NS ? (double)e->timer.slice_ns : SLOW_NS;
	struct kc_times t = KC_TIMES_NONE;
	size_t probe = e->scale.size[SIZES / 2];

	e->measured = SIZES;
	if (promised_ns(e, (double)e->scale.size[SIZES - 1]) <= most)
		return;
	kc_timer_prepare(&e->timer, KC_ENCRYPT, probe);
	for (int i = 0; i < KC_TIMES_AGREEING && e->timer.why == KC_OK; i++)
		kc_timer_slice(&e->timer, KC_BY_KERNEL, &t);
	while (e->measured > 2 && expected_ns(e, e->scale.size[e->measured - 1], probe, &t) > most)
		e->measured--;
}

static void measure(struct estimate *e, enum kc_dir dir, int size, struct kc_pass *p)
{
	struct kc_times t[KC_SIDES];

	kc_times_take(&e->timer, dir, e->scale.size[size], t);
	for (int side = 0; side < KC_SIDES; side++) {
		p->ns[KC_PREFER_THROUGHPUT][side][size] = (double)t[side].least[0];
		p->ns[KC_PREFER_CPU][side][size] = t[side].machine_ns / (t[side].requests + 1e-9);
	}
}

/* The machine's clock tells nothing about short slices, however many passes there are. */
static bool is_too_coarse(const struct estimate *e, enum kc_prefer clock)
{
	return clock == KC_PREFER_CPU &&
	       e->timer.slice_ns * KC_TIMES_AGREEING * SIZES < KC_ESTIMATE_CPU_NS;
}

static void one_pass(struct estimate *e, enum kc_dir dir, struct kc_pass *p)
{
	for (int i = e->measured - 1; i >= 0 && e->timer.why == KC_OK; i--)
		measure(e, dir, i, p);
	if (e->timer.why == KC_OK)
		kc_pass_conclude(p, &e->scale, e->measured);
}

/* Times of one request; infinite if it fails. */
struct found {
	size_t len;
	double kernel, software; /* ns */
};

static struct found look_at(struct estimate *e, enum kc_dir dir, size_t len)
{
	struct kc_times t[KC_SIDES];

	kc_times_take(&e->timer, dir, len, t);
	return (struct found){ len, (double)t[KC_BY_KERNEL].least[0],
			       (double)t[KC_BY_SOFTWARE].least[0] };
}

/* True if it pays, compared with software and with pieces of a shorter length. */
static bool pays(const struct found *at, const struct found *shorter)
{
	return at->kernel < at->software &&
	       !kc_is_beaten(at->kernel, (double)at->len, shorter->kernel, (double)shorter->len);
}

/* True if the longest request still pays if it begins within a page, and so has one page more. */
static bool pays_anywhere(struct estimate *e, enum kc_dir dir)
{
	struct found start, within;

	if (e->timer.candidate->backend->copies || kc_alg_is_whole(e->timer.base->alg))
		return true;
	start = look_at(e, dir, e->timer.session.limit);
	e->timer.within = e->timer.base->alg->block_len;
	within = look_at(e, dir, e->timer.session.limit);
	e->timer.within = 0;
	return pays(&within, &start);
}

/*
 * Returns the longest request that pays, if the first @sizes of the sizes do: the last of these, or
 * one between that and the next. Most limits are in pages.
 */
static size_t longest_of(struct estimate *e, enum kc_dir dir, int sizes)
{
	size_t page = kc_page_size(), unit = kc_alg_floor(e->timer.base->alg), high, middle;
	struct found low, at;

	if (e->measured < SIZES)
		return SIZE_MAX;
	if (sizes == SIZES) {
		if (pays_anywhere(e, dir))
			return SIZE_MAX;
		return e->timer.session.limit;
	}
	low = look_at(e, dir, e->scale.size[sizes - 1]);
	high = e->scale.size[sizes];
	unit = high > page ? page : unit > KC_SHORTEST_MEASURED ? unit : KC_SHORTEST_MEASURED;
	while (high - low.len > unit && e->timer.why == KC_OK && !kc_timer_is_up(&e->timer)) {
		middle = (low.len + (high - low.len) / 2 + unit - 1) / unit * unit;
		if (middle >= high)
			break;
		at = look_at(e, dir, middle);
		if (pays(&at, &low))
			low = at;
		else
			high = middle;
	}
	return low.len;
}

/* Sets the cost of the kernel's requests, to compare it with another backend's. */
static void set_price(struct estimate *e, const struct kc_pass *p)
{
	struct kc_price price = kc_pass_price(p, &e->scale);

	atomic_store(&e->timer.candidate->terms.once_ns, price.once_ns);
	atomic_store(&e->timer.candidate->terms.kib_ns, price.kib_ns);
}

/* Programs get what was found by the candidate's own clock. */
static void take(struct estimate *e, enum kc_dir dir, const struct kc_ranges *found)
{
	struct kc_terms *terms = &e->timer.candidate->terms;

	if (found->threshold[KC_PREFER_THROUGHPUT][dir] != KC_UNSETTLED)
		atomic_store(&terms->threshold[dir], found->threshold[KC_PREFER_THROUGHPUT][dir]);
	atomic_store(&terms->longest, found->longest);
}

/* Returns what @n passes tell, by @clock; *@sizes: see kc_passes_settle(). */
static size_t conclude(const struct estimate *e, const struct kc_pass *passes, int n,
		       enum kc_prefer clock, int *sizes)
{
	*sizes = passes->n;
	if (e->timer.slice_ns && is_too_coarse(e, clock))
		return KC_UNSETTLED;
	if (e->timer.slice_ns)
		return kc_passes_settle(passes, n, &e->scale, clock, sizes);
	return kc_pass_threshold(&e->scale, passes->crossing[clock], passes->n);
}

/* A driver's limit applies to both directions, so the shorter one counts. */
static void find_longest(struct estimate *e, enum kc_dir dir, int sizes, size_t *longest)
{
	size_t here = longest_of(e, dir, sizes);

	*longest = here < *longest ? here : *longest;
}

/*
 * Software's speed has steps: OpenSSL's AES has another method for long texts, and takes twice as
 * long for 384 bytes as for 512. So up to this length, where such methods begin, one length in each
 * eighth of a power of two is tried; the threshold is above all those at which the kernel does not
 * pay.
 */
#define STEPS_END 4096

static size_t next_rung(const struct estimate *e, size_t len)
{
	size_t block = e->scale.alg->block_len, power = e->scale.size[0];

	while (2 * power <= len)
		power *= 2;
	if (power / 8 < block)
		return len + block;
	return len + power / 8 / block * block;
}

/* Adds kcrypto's own cost of a request, which no time here includes. */
static double with_ours(double ns)
{
	return ns * 17 / 16;
}

/* A single time may be disturbed: a length that loses by it is timed for a whole slice. */
static bool loses(struct estimate *e, enum kc_dir dir, size_t len, uint64_t software)
{
	struct found at;

	if (with_ours((double)kc_times_glance(&e->timer, dir, len, KC_BY_KERNEL)) <
	    (double)software)
		return false;
	at = look_at(e, dir, len);
	return with_ours(at.kernel) >= at.software;
}

/* By the clock of the machine's CPU time, which is too coarse for one length. */
static bool loses_cpu(const struct estimate *e, const struct kc_pass *passes, int n, size_t len,
		      uint64_t software)
{
	for (int i = 0; i < n; i++)
		if (with_ours(kc_pass_cpu(&passes[i], &e->scale, len)) < (double)software)
			return false;
	return true;
}

/* True if lengths below @next, the rung above, are too short for the kernel. */
static bool is_below(size_t threshold, size_t next)
{
	return threshold >= KC_UNSETTLED || next <= threshold;
}

/* @passes: all @n of them. */
static void rise_above_steps(struct estimate *e, enum kc_dir dir, const struct kc_pass *passes,
			     int n, struct kc_ranges *found)
{
	size_t *wall = &found->threshold[KC_PREFER_THROUGHPUT][dir];
	size_t *cpu = &found->threshold[KC_PREFER_CPU][dir], next;
	size_t end = found->longest < STEPS_END ? found->longest : STEPS_END;
	uint64_t software;

	for (size_t len = e->scale.size[0]; len < end && e->timer.why == KC_OK; len = next) {
		if (kc_timer_is_up(&e->timer))
			break;
		next = next_rung(e, len);
		if (is_below(*wall, next) && is_below(*cpu, next))
			continue;
		software = kc_times_glance(&e->timer, dir, len, KC_BY_SOFTWARE);
		if (!is_below(*wall, next) && loses(e, dir, len, software))
			*wall = next;
		if (!is_below(*cpu, next) && loses_cpu(e, passes, n, len, software))
			*cpu = next;
	}
}

static void one_direction(struct estimate *e, enum kc_dir dir, struct kc_ranges *found)
{
	struct kc_pass passes[PASSES];
	bool is_settled = false;
	int sizes[KC_PREFER_COUNT] = { SIZES }, n;

	for (n = 1; n <= PASSES && e->timer.why == KC_OK && !is_settled; n++) {
		if (n > 1 && kc_timer_is_up(&e->timer))
			break;
		one_pass(e, dir, &passes[n - 1]);
		is_settled = true;
		for (int i = 0; i < KC_PREFER_COUNT; i++) {
			enum kc_prefer clock = (enum kc_prefer)i;
			size_t *at = &found->threshold[i][dir];

			*at = conclude(e, passes, n, clock, &sizes[i]);
			if (*at < e->timer.candidate->terms.least)
				*at = e->timer.candidate->terms.least;
			is_settled &= *at != KC_UNSETTLED || is_too_coarse(e, clock);
		}
	}
	if (e->timer.why == KC_OK && found->threshold[KC_PREFER_THROUGHPUT][dir] < KC_UNSETTLED)
		find_longest(e, dir, sizes[KC_PREFER_THROUGHPUT], &found->longest);
	if (e->timer.slice_ns)
		rise_above_steps(e, dir, passes, n - 1, found);
	if (e->timer.why != KC_OK)
		return;
	take(e, dir, found);
	set_price(e, passes);
	found->gain = kc_pass_gain(passes);
	if (!e->timer.slice_ns || is_too_coarse(e, KC_PREFER_CPU))
		found->gain.cpu = 0;
}

static enum kc_reason in_session(struct estimate *e, struct kc_ranges *found)
{
	enum kc_dir first = kc_answers_first_dir(e->timer.base->alg);
	bool is_used = false;

	if (kc_session_open(&e->timer.session, e->timer.candidate, &e->timer.answers.key) != 0)
		return KC_OPEN_FAILED;
	e->scale.alg = e->timer.base->alg;
	set_sizes(e);
	count_measured(e);
	for (int dir = first; dir <= KC_ENCRYPT && e->timer.why == KC_OK; dir++) {
		one_direction(e, (enum kc_dir)dir, found);
		is_used |= found->threshold[KC_PREFER_THROUGHPUT][dir] != KC_NEVER_PAYS;
	}
	kc_session_close(&e->timer.session);
	if (e->timer.why == KC_OK && !is_used)
		return KC_SLOWER;
	return e->timer.why;
}

enum kc_reason kc_estimate_run(struct kc_candidate *candidate, const struct kc_base *base,
			       uint64_t slice_ns, uint64_t until_ns, struct kc_ranges *found)
{
	const size_t page = kc_page_size();
	const size_t each = (KC_ANSWERS_EACH(KC_MAX_REQUEST) + page - 1) / page * page;
	struct estimate e = { .timer.candidate = candidate,
			      .timer.base = base,
			      .timer.slice_ns = slice_ns,
			      .timer.until_ns = until_ns,
			      .timer.why = KC_OK };
	uint8_t *mem = kc_pages_new(KC_MAX_REQUEST + 3 * each);
	enum kc_reason why = KC_NO_MEMORY;

	for (int i = 0; i < KC_PREFER_COUNT * 2; i++)
		found->threshold[i / 2][i % 2] = KC_NEVER_PAYS;
	found->longest = SIZE_MAX;
	found->gain = (struct kc_gain){ 0 };
	if (!mem)
		return why;
	kc_session_init(&e.timer.session);
	kc_answers_init(&e.timer.answers, candidate, base, mem, mem + KC_MAX_REQUEST, each);
	e.timer.answers.session = &e.timer.session;
	e.timer.base_ctx = base->newctx(base);
	if (e.timer.base_ctx) {
		why = in_session(&e, found);
		base->freectx(e.timer.base_ctx);
	}
	free(mem);
	return why;
}
