/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each pass times a few sizes on both sides. The lowest wall time of several requests counts, since
 * no disturbance makes one faster. passes.c draws the conclusions.
 */
#include "cli/estimate.h"

#include <stdlib.h>

#include "cli/run/meter.h"
#include "offload/answers.h"
#include "session/buffers.h"
#include "session/request.h"

#define FACTOR	   4 /* between two sizes */
#define SIZES	   KC_PASS_SIZES
#define PASSES	   KC_ESTIMATE_PASSES
#define AGREEING   KC_ESTIMATE_ROUNDS /* lowest times: two may be wrong in the same way by chance */
#define MAX_ROUNDS 16
#define CPU_NS	   100000000 /* of a pass and side: ten ticks of the machine's clock */
#define SLOW_NS	   20000000  /* of one request: too long, unless slices are longer */

/* Requests of one size. */
struct times {
	uint64_t least[AGREEING]; /* ns of one, lowest first */
	double machine_ns, requests;
};

struct estimate {
	struct kc_candidate *candidate;
	const struct kc_base *base;
	void *base_ctx; /* for the timed requests */
	struct kc_answers answers;
	struct kc_session session;
	struct kc_req req;
	struct kc_scale scale;
	uint64_t slice_ns, until_ns;
	bool is_slow;  /* a request takes longer than a slice */
	int measured;  /* sizes: on a slow driver, not the longest */
	size_t within; /* bytes from a page's start to the output */
	enum kc_reason why;
};

/* The last one is the longest request that the session takes. */
static void set_sizes(struct estimate *e)
{
	size_t block = e->candidate->alg->block_len, limit = e->session.limit;
	size_t size = block > KC_SHORTEST_MEASURED ? block : KC_SHORTEST_MEASURED;

	for (int i = 0; i < SIZES; i++, size *= FACTOR)
		e->scale.size[i] = size < limit ? size : limit;
}

/* What the driver takes by its trial's prices; ns. */
static double promised_ns(const struct estimate *e, double bytes)
{
	const struct kc_terms *terms = &e->candidate->terms;

	return atomic_load(&terms->once_ns) + atomic_load(&terms->kib_ns) * bytes / 1024;
}

static void note(struct times *t, uint64_t ns)
{
	for (int i = 0; i < AGREEING; i++) {
		uint64_t was = t->least[i];

		t->least[i] = ns < was ? ns : was;
		ns = ns < was ? was : ns;
	}
}

/* Without a disturbance, all runs of the same work take the same time. */
static bool is_steady(const struct times *t)
{
	return t->least[AGREEING - 1] - t->least[0] <= t->least[0] / 8;
}

static bool once(struct estimate *e, enum kc_side side)
{
	if (side == KC_BY_KERNEL)
		return kc_session_run(&e->session, e->candidate, &e->req) == 0;
	return e->base->whole(e->base, e->base_ctx, &e->answers.key, &e->req) > 0;
}

static void slice(struct estimate *e, enum kc_side side, struct times *t)
{
	struct kc_meter from = { 0 };
	uint64_t start, was, now;

	if (e->slice_ns)
		from = kc_meter_read();
	start = now = kc_terms_clock(&e->candidate->terms);
	do {
		was = now;
		if (!once(e, side))
			e->why = KC_REQUEST_FAILED;
		now = kc_terms_clock(&e->candidate->terms);
		note(t, now - was);
		t->requests++;
		e->is_slow |= t->least[0] > e->slice_ns;
	} while (e->why == KC_OK && now - start < e->slice_ns);
	if (e->slice_ns)
		t->machine_ns += (double)kc_meter_since(&from).machine_ns;
}

/* One request is checked, and leaves its buffers for the timed ones. */
static void prepare(struct estimate *e, enum kc_dir dir, size_t len)
{
	struct kc_answers *a = &e->answers;

	e->req = kc_answers_req(a, dir, len);
	e->req.out += e->within;
	e->req.aad_len = e->base->alg->kind == KC_AEAD ? KC_RECORD_AAD : 0;
	e->why = kc_answers_same(a, e->req, e->req.out);
	if (dir == KC_DECRYPT && e->base->alg->kind == KC_AEAD)
		e->req.in = a->want;
}

/*
 * The time of a request of @size, at most: as the trial has it, or as much longer than one of
 * @probe bytes takes, which no disturbance of the trial can have lengthened; ns.
 */
static double expected_ns(const struct estimate *e, size_t size, size_t probe,
			  const struct times *t)
{
	double promised = promised_ns(e, (double)size);
	double seen = (double)t->least[0] * (double)size / (double)probe;

	if (seen < promised)
		return seen;
	return promised;
}

/* On a slow driver, not the longest; at least two make a line. */
static void count_measured(struct estimate *e)
{
	double most = e->slice_ns > SLOW_NS ? (double)e->slice_ns : SLOW_NS;
	struct times t = { .least = { UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	size_t probe = e->scale.size[SIZES / 2];

	e->measured = SIZES;
	if (promised_ns(e, (double)e->scale.size[SIZES - 1]) <= most)
		return;
	prepare(e, KC_ENCRYPT, probe);
	for (int i = 0; i < AGREEING && e->why == KC_OK; i++)
		slice(e, KC_BY_KERNEL, &t);
	while (e->measured > 2 && expected_ns(e, e->scale.size[e->measured - 1], probe, &t) > most)
		e->measured--;
}

/* Because of slow requests: a busy machine gets the time that it needs. */
static bool is_time_up(const struct estimate *e)
{
	return e->is_slow && kc_now_ns() >= e->until_ns;
}

/* Each round begins with the other side, so that none always follows the same one. */
static void take_times(struct estimate *e, enum kc_dir dir, size_t len, struct times t[KC_SIDES])
{
	t[KC_BY_SOFTWARE] = t[KC_BY_KERNEL] =
		(struct times){ .least = { UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	prepare(e, dir, len);
	for (int i = 0; e->why == KC_OK && i < 2 * MAX_ROUNDS; i++) {
		enum kc_side side = (i + i / 2) % 2 ? KC_BY_KERNEL : KC_BY_SOFTWARE;

		if (i >= 2 * AGREEING && is_steady(&t[KC_BY_SOFTWARE]) &&
		    is_steady(&t[KC_BY_KERNEL]))
			break;
		if (i >= 2 && is_time_up(e))
			break;
		slice(e, side, &t[side]);
	}
}

static void measure(struct estimate *e, enum kc_dir dir, int size, struct kc_pass *p)
{
	struct times t[KC_SIDES];

	take_times(e, dir, e->scale.size[size], t);
	for (int side = 0; side < KC_SIDES; side++) {
		p->ns[KC_PREFER_THROUGHPUT][side][size] = (double)t[side].least[0];
		p->ns[KC_PREFER_CPU][side][size] = t[side].machine_ns / (t[side].requests + 1e-9);
	}
}

/* The machine's clock says nothing of short slices, however many passes there are. */
static bool is_too_coarse(const struct estimate *e, enum kc_prefer clock)
{
	return clock == KC_PREFER_CPU && e->slice_ns * AGREEING * SIZES < CPU_NS;
}

static void one_pass(struct estimate *e, enum kc_dir dir, struct kc_pass *p)
{
	for (int i = e->measured - 1; i >= 0 && e->why == KC_OK; i--)
		measure(e, dir, i, p);
	if (e->why == KC_OK)
		kc_pass_conclude(p, &e->scale, e->measured);
}

/* Times of one request; infinite if it fails. */
struct found {
	size_t len;
	double kernel, software; /* ns */
};

static struct found look_at(struct estimate *e, enum kc_dir dir, size_t len)
{
	struct times t[KC_SIDES];

	take_times(e, dir, len, t);
	return (struct found){ len, (double)t[KC_BY_KERNEL].least[0],
			       (double)t[KC_BY_SOFTWARE].least[0] };
}

/* Does it pay, beside software and beside pieces of a shorter length? */
static bool pays(const struct found *at, const struct found *shorter)
{
	return at->kernel < at->software &&
	       !kc_is_beaten(at->kernel, (double)at->len, shorter->kernel, (double)shorter->len);
}

/* Does the longest request of all still pay if it begins within a page, and so has one more? */
static bool pays_anywhere(struct estimate *e, enum kc_dir dir)
{
	struct found start, within;

	if (e->candidate->backend->copies || kc_alg_is_whole(e->base->alg))
		return true;
	start = look_at(e, dir, e->session.limit);
	e->within = e->base->alg->block_len;
	within = look_at(e, dir, e->session.limit);
	e->within = 0;
	return pays(&within, &start);
}

/*
 * The longest request that pays, where the first @sizes of the sizes do: the last of these, or one
 * between that and the next. Most limits are of pages.
 */
static size_t longest_of(struct estimate *e, enum kc_dir dir, int sizes)
{
	size_t page = kc_page_size(), unit = kc_alg_floor(e->base->alg), high, middle;
	struct found low, at;

	if (e->measured < SIZES)
		return SIZE_MAX;
	if (sizes == SIZES) {
		if (pays_anywhere(e, dir))
			return SIZE_MAX;
		return e->session.limit;
	}
	low = look_at(e, dir, e->scale.size[sizes - 1]);
	high = e->scale.size[sizes];
	unit = high > page ? page : unit > KC_SHORTEST_MEASURED ? unit : KC_SHORTEST_MEASURED;
	while (high - low.len > unit && e->why == KC_OK && !is_time_up(e)) {
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

/* What the kernel's requests take, to compare it with another backend's. */
static void set_price(struct estimate *e, const struct kc_pass *p)
{
	struct kc_trend l = kc_pass_line(p, &e->scale);

	atomic_store(&e->candidate->terms.once_ns, (unsigned)(l.start > 0 ? l.start : 0));
	atomic_store(&e->candidate->terms.kib_ns, (unsigned)(l.slope > 0 ? l.slope * 1024 : 0));
}

/* Programs get what was found by the candidate's own clock. */
static void take(struct estimate *e, enum kc_dir dir, const struct kc_ranges *found)
{
	struct kc_terms *terms = &e->candidate->terms;

	if (found->threshold[KC_PREFER_THROUGHPUT][dir] != KC_UNSETTLED)
		atomic_store(&terms->threshold[dir], found->threshold[KC_PREFER_THROUGHPUT][dir]);
	atomic_store(&terms->longest, found->longest);
}

/* What @n passes say, by @clock; *@sizes: see settle(). */
static size_t conclude(const struct estimate *e, const struct kc_pass *passes, int n,
		       enum kc_prefer clock, int *sizes)
{
	*sizes = passes->n;
	if (e->slice_ns && is_too_coarse(e, clock))
		return KC_UNSETTLED;
	if (e->slice_ns)
		return kc_passes_settle(passes, n, &e->scale, clock, sizes);
	return kc_pass_threshold(&e->scale, passes->crossing[clock], passes->n);
}

/* A driver's limit is of both directions, and so the shorter one. */
static void find_longest(struct estimate *e, enum kc_dir dir, int sizes, size_t *longest)
{
	size_t here = longest_of(e, dir, sizes);

	*longest = here < *longest ? here : *longest;
}

static void one_direction(struct estimate *e, enum kc_dir dir, struct kc_ranges *found)
{
	struct kc_pass passes[PASSES];
	bool is_settled = false;
	int sizes[KC_PREFER_COUNT] = { SIZES };

	for (int n = 1; n <= PASSES && e->why == KC_OK && !is_settled; n++) {
		if (n > 1 && is_time_up(e))
			break;
		one_pass(e, dir, &passes[n - 1]);
		is_settled = true;
		for (int i = 0; i < KC_PREFER_COUNT; i++) {
			enum kc_prefer clock = (enum kc_prefer)i;
			size_t *at = &found->threshold[i][dir];

			*at = conclude(e, passes, n, clock, &sizes[i]);
			if (*at < e->candidate->terms.least)
				*at = e->candidate->terms.least;
			is_settled &= *at != KC_UNSETTLED || is_too_coarse(e, clock);
		}
	}
	if (e->why == KC_OK && found->threshold[KC_PREFER_THROUGHPUT][dir] < KC_UNSETTLED)
		find_longest(e, dir, sizes[KC_PREFER_THROUGHPUT], &found->longest);
	if (e->why != KC_OK)
		return;
	take(e, dir, found);
	set_price(e, passes);
	found->gain = kc_pass_gain(passes);
	if (!e->slice_ns || is_too_coarse(e, KC_PREFER_CPU))
		found->gain.cpu = 0;
}

static enum kc_reason in_session(struct estimate *e, struct kc_ranges *found)
{
	enum kc_dir first = kc_answers_first_dir(e->base->alg);
	bool is_used = false;

	if (kc_session_open(&e->session, e->candidate, &e->answers.key) != 0)
		return KC_OPEN_FAILED;
	e->scale.alg = e->base->alg;
	set_sizes(e);
	count_measured(e);
	for (int dir = first; dir <= KC_ENCRYPT && e->why == KC_OK; dir++) {
		one_direction(e, (enum kc_dir)dir, found);
		is_used |= found->threshold[KC_PREFER_THROUGHPUT][dir] != KC_NEVER_PAYS;
	}
	kc_session_close(&e->session);
	if (e->why == KC_OK && !is_used)
		return KC_SLOWER;
	return e->why;
}

enum kc_reason kc_estimate_run(struct kc_candidate *candidate, const struct kc_base *base,
			       uint64_t slice_ns, uint64_t until_ns, struct kc_ranges *found)
{
	const size_t page = kc_page_size();
	const size_t each = (KC_ANSWERS_EACH(KC_MAX_REQUEST) + page - 1) / page * page;
	struct estimate e = { .candidate = candidate,
			      .base = base,
			      .slice_ns = slice_ns,
			      .until_ns = until_ns,
			      .why = KC_OK };
	uint8_t *mem = kc_pages_new(KC_MAX_REQUEST + 3 * each);
	enum kc_reason why = KC_NO_MEMORY;

	for (int i = 0; i < KC_PREFER_COUNT * 2; i++)
		found->threshold[i / 2][i % 2] = KC_NEVER_PAYS;
	found->longest = SIZE_MAX;
	found->gain = (struct kc_gain){ 0 };
	if (!mem)
		return why;
	kc_session_init(&e.session);
	kc_answers_init(&e.answers, candidate, base, mem, mem + KC_MAX_REQUEST, each);
	e.answers.session = &e.session;
	e.base_ctx = base->newctx(base);
	if (e.base_ctx) {
		why = in_session(&e, found);
		base->freectx(e.base_ctx);
	}
	free(mem);
	return why;
}
