/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request takes the kernel a fixed time plus a time per byte, and software nearly only the
 * latter, so there is at most one length where they cross. Each pass times a few sizes on both
 * sides. The lowest wall time of several requests counts, since no disturbance makes one faster.
 * The machine's CPU time has a coarse clock, but it adds up: lines are fitted through all sizes.
 */
#include "cli/estimate.h"

#include <math.h>
#include <stdlib.h>

#include "cli/run/meter.h"
#include "offload/answers.h"
#include "session/buffers.h"
#include "session/request.h"

#define SMALLEST   64
#define FACTOR	   4 /* between two sizes */
#define SIZES	   KC_ESTIMATE_SIZES
#define PASSES	   KC_ESTIMATE_PASSES
#define AGREEING   KC_ESTIMATE_ROUNDS /* lowest times: two may be wrong in the same way by chance */
#define MAX_ROUNDS 16
#define REGRET	   1.1	     /* what following another pass may cost, by the figures of this one */
#define CPU_NS	   100000000 /* of a pass and side: ten ticks of the machine's clock */

enum side { SOFTWARE, KERNEL, SIDES };

/* Requests of one size. */
struct times {
	uint64_t least[AGREEING]; /* ns of one, lowest first */
	double machine_ns, requests;
};

/* What one pass says of one direction: ns of a request, by clock, side and size. */
struct pass {
	double ns[KC_PREFER_COUNT][SIDES][SIZES];
	double crossing[KC_PREFER_COUNT]; /* bytes; INFINITY: it never pays */
};

struct estimate {
	struct kc_candidate *candidate;
	const struct kc_base *base;
	void *base_ctx; /* for the timed requests */
	struct kc_answers answers;
	struct kc_session session;
	struct kc_req req;
	uint64_t slice_ns;
	enum kc_reason why;
};

/* The last one is the longest request that the session takes. */
static size_t size_of(const struct estimate *e, int i)
{
	size_t size = SMALLEST;

	while (i--)
		size *= FACTOR;
	return size < e->session.limit ? size : e->session.limit;
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

static bool once(struct estimate *e, enum side side)
{
	if (side == KERNEL)
		return kc_session_run(&e->session, e->candidate, &e->req) == 0;
	return e->base->whole(e->base, e->base_ctx, &e->answers.key, &e->req) > 0;
}

static void slice(struct estimate *e, enum side side, struct times *t)
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
	} while (e->why == KC_OK && now - start < e->slice_ns);
	if (e->slice_ns)
		t->machine_ns += (double)kc_meter_since(&from).machine_ns;
}

/* One request is checked, and leaves its buffers for the timed ones. */
static void prepare(struct estimate *e, enum kc_dir dir, size_t len)
{
	struct kc_answers *a = &e->answers;

	e->req = kc_answers_req(a, dir, len);
	e->why = kc_answers_same(a, e->req, a->got);
	if (dir == KC_DECRYPT && e->base->alg->kind == KC_AEAD)
		e->req.in = a->want;
}

/* Each round begins with the other side, so that none always follows the same one. */
static void measure(struct estimate *e, enum kc_dir dir, int size, struct pass *p)
{
	struct times t[SIDES] = { { { UINT64_MAX, UINT64_MAX, UINT64_MAX }, 0, 0 },
				  { { UINT64_MAX, UINT64_MAX, UINT64_MAX }, 0, 0 } };

	prepare(e, dir, size_of(e, size));
	for (int i = 0; e->why == KC_OK && i < 2 * MAX_ROUNDS; i++) {
		enum side side = (i + i / 2) % 2 ? KERNEL : SOFTWARE;

		if (i >= 2 * AGREEING && is_steady(&t[SOFTWARE]) && is_steady(&t[KERNEL]))
			break;
		slice(e, side, &t[side]);
	}
	for (int side = 0; side < SIDES; side++) {
		p->ns[KC_PREFER_THROUGHPUT][side][size] = (double)t[side].least[0];
		p->ns[KC_PREFER_CPU][side][size] = t[side].machine_ns / (t[side].requests + 1e-9);
	}
}

/* A straight line through what one side takes: least squares of relative errors of wall time. */
struct line {
	double start, slope; /* ns, ns per byte */
};

static struct line fit(const struct estimate *e, const struct pass *p, enum kc_prefer clock,
		       enum side side)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0, slope;

	for (int i = 0; i < SIZES; i++) {
		double wall = p->ns[KC_PREFER_THROUGHPUT][side][i] + 1, weight = 1 / (wall * wall);
		double n = (double)size_of(e, i), ns = p->ns[clock][side][i];

		w += weight;
		x += weight * n;
		y += weight * ns;
		xx += weight * n * n;
		xy += weight * n * ns;
	}
	slope = (w * xy - x * y) / (w * xx - x * x);
	return (struct line){ (y - slope * x) / w, slope };
}

/* The clock is off by a part of a slice, and each size by another. */
static void straighten(const struct estimate *e, struct pass *p)
{
	for (int side = 0; side < SIDES; side++) {
		struct line l = fit(e, p, KC_PREFER_CPU, (enum side)side);

		for (int i = 0; i < SIZES; i++)
			p->ns[KC_PREFER_CPU][side][i] = l.start + l.slope * (double)size_of(e, i);
	}
}

/* The lowest length from which on the kernel pays at every size. */
static double crossing(const struct estimate *e, double (*ns)[SIZES])
{
	int i = SIZES;
	double loss, gain, from;

	while (i && ns[KERNEL][i - 1] < ns[SOFTWARE][i - 1])
		i--;
	if (i == 0 || i == SIZES)
		return i ? INFINITY : SMALLEST;
	loss = ns[KERNEL][i - 1] - ns[SOFTWARE][i - 1];
	gain = ns[SOFTWARE][i] - ns[KERNEL][i];
	from = (double)size_of(e, i - 1);
	return from + ((double)size_of(e, i) - from) * loss / (loss + gain);
}

/*
 * Would following another pass cost little more by these figures? Only sizes that it gives to the
 * other side matter.
 */
static bool bears(const struct estimate *e, const struct pass *p, enum kc_prefer clock,
		  double other)
{
	for (int i = 0; i < SIZES; i++) {
		double size = (double)size_of(e, i);
		enum side ours = size >= p->crossing[clock] ? KERNEL : SOFTWARE;
		enum side its = size >= other ? KERNEL : SOFTWARE;

		if (p->ns[clock][its][i] > REGRET * p->ns[clock][ours][i])
			return false;
	}
	return true;
}

/* Adds an eighth as a margin; whole blocks. */
static size_t threshold(const struct estimate *e, double n)
{
	size_t block = e->base->alg->block_len, floor = kc_alg_floor(e->base->alg), bytes;

	if (isinf(n) || n + n / 8 > (double)e->session.limit)
		return KC_NEVER_PAYS;
	bytes = ((size_t)(n + n / 8) + block - 1) / block * block;
	return bytes < floor ? floor : bytes;
}

/* The machine's clock says nothing of short slices, however many passes there are. */
static bool is_too_coarse(const struct estimate *e, enum kc_prefer clock)
{
	return clock == KC_PREFER_CPU && e->slice_ns * AGREEING * SIZES < CPU_NS;
}

/* The mean of two passes that agree. */
static size_t settle(const struct estimate *e, const struct pass *p, int n, enum kc_prefer clock)
{
	if (is_too_coarse(e, clock))
		return KC_UNSETTLED;
	for (int i = 1; i < n; i++) {
		for (int k = 0; k < i; k++) {
			double a = p[i].crossing[clock], b = p[k].crossing[clock];

			if (bears(e, &p[i], clock, b) && bears(e, &p[k], clock, a))
				return threshold(e, (a + b) / 2);
		}
	}
	return KC_UNSETTLED;
}

static void one_pass(struct estimate *e, enum kc_dir dir, struct pass *p)
{
	for (int i = SIZES - 1; i >= 0 && e->why == KC_OK; i--)
		measure(e, dir, i, p);
	straighten(e, p);
	for (int clock = 0; clock < KC_PREFER_COUNT; clock++)
		p->crossing[clock] = crossing(e, p->ns[clock]);
}

/* What the kernel's requests take, to compare it with another backend's. */
static void set_price(struct estimate *e, const struct pass *p)
{
	struct line l = fit(e, p, KC_PREFER_THROUGHPUT, KERNEL);

	atomic_store(&e->candidate->terms.once_ns, (unsigned)(l.start > 0 ? l.start : 0));
	atomic_store(&e->candidate->terms.kib_ns, (unsigned)(l.slope > 0 ? l.slope * 1024 : 0));
}

static void one_direction(struct estimate *e, enum kc_dir dir, kc_thresholds found)
{
	struct pass passes[PASSES];
	bool is_settled = false;

	for (int n = 1; n <= PASSES && e->why == KC_OK && !is_settled; n++) {
		one_pass(e, dir, &passes[n - 1]);
		is_settled = true;
		for (int i = 0; i < KC_PREFER_COUNT; i++) {
			enum kc_prefer clock = (enum kc_prefer)i;

			found[i][dir] = e->slice_ns ? settle(e, passes, n, clock) :
						      threshold(e, passes->crossing[i]);
			is_settled &= found[i][dir] != KC_UNSETTLED || is_too_coarse(e, clock);
		}
	}
	if (e->why != KC_OK)
		return;
	if (found[KC_PREFER_THROUGHPUT][dir] != KC_UNSETTLED)
		atomic_store(&e->candidate->terms.threshold[dir], found[KC_PREFER_THROUGHPUT][dir]);
	set_price(e, passes);
}

static enum kc_reason in_session(struct estimate *e, kc_thresholds found)
{
	enum kc_dir first = kc_answers_first_dir(e->base->alg);
	bool pays = false;

	if (kc_session_open(&e->session, e->candidate, &e->answers.key) != 0)
		return KC_OPEN_FAILED;
	for (int dir = first; dir <= KC_ENCRYPT && e->why == KC_OK; dir++) {
		one_direction(e, (enum kc_dir)dir, found);
		pays |= found[KC_PREFER_THROUGHPUT][dir] != KC_NEVER_PAYS;
	}
	kc_session_close(&e->session);
	return e->why == KC_OK && !pays ? KC_SLOWER : e->why;
}

enum kc_reason kc_estimate_run(struct kc_candidate *candidate, const struct kc_base *base,
			       uint64_t slice_ns, kc_thresholds found)
{
	const size_t each = KC_ANSWERS_EACH(KC_MAX_REQUEST);
	struct estimate e = {
		.candidate = candidate, .base = base, .slice_ns = slice_ns, .why = KC_OK
	};
	uint8_t *mem = kc_pages_new(KC_MAX_REQUEST + 3 * each);
	enum kc_reason why = KC_NO_MEMORY;

	for (int i = 0; i < KC_PREFER_COUNT * 2; i++)
		found[i / 2][i % 2] = KC_NEVER_PAYS;
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
