/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel takes a fixed time plus a time per byte, software nearly only the latter, so there is
 * at most one length where they cross. For wall time, a binary search over powers of two finds it,
 * in three passes, whose median counts: a brief disturbance of the machine changes the verdict on
 * one size, and so of one pass only. CPU time comes in coarser units, but it adds up: there, lines
 * are fitted through all measurements.
 */
#include "cli/tune/crossover.h"

#include <math.h>

#define SMALLEST 64
#define SIZES	 11 /* 64 bytes to 64 KiB */
#define PASSES	 KC_CROSSOVER_PASSES

/* Seconds per request. */
struct point {
	bool is_known;
	double software[KC_PREFER_COUNT], kernel[KC_PREFER_COUNT];
};

struct search {
	const struct kc_field *field;
	struct kc_task task;
	const struct kc_load *load;
	struct point points[SIZES];
	int last; /* index of the largest one that goes to the kernel whole */
	bool failed;
};

static size_t size_of(int i)
{
	return (size_t)SMALLEST << i;
}

static void take(double seconds[KC_PREFER_COUNT], const struct kc_result *r, size_t size)
{
	seconds[KC_PREFER_THROUGHPUT] = (double)size / 1e6 / r->mb_per_s;
	seconds[KC_PREFER_CPU] = (double)size / 1e9 * r->machine_s_per_gb;
}

static const struct point *point(struct search *s, int i)
{
	struct kc_result r[2];
	struct point *p = &s->points[i];

	if (p->is_known || s->failed)
		return p;
	s->task.size = size_of(i);
	if (!kc_compare(s->field->contender, 2, &s->task, s->load, r) || !r[0].is_known ||
	    !kc_result_is_kernels(&r[1], &s->task)) {
		s->failed = true;
		return p;
	}
	p->is_known = true;
	take(p->software, &r[0], s->task.size);
	take(p->kernel, &r[1], s->task.size);
	return p;
}

static bool pays(struct search *s, int i)
{
	const struct point *p = point(s, i);

	return p->kernel[KC_PREFER_THROUGHPUT] < p->software[KC_PREFER_THROUGHPUT];
}

/* Interpolates between a size that does not pay and the next one, which does. */
static double meet(struct search *s, int wins)
{
	const struct point *a = point(s, wins - 1), *b = point(s, wins);
	double loss = a->kernel[KC_PREFER_THROUGHPUT] - a->software[KC_PREFER_THROUGHPUT];
	double gain = b->software[KC_PREFER_THROUGHPUT] - b->kernel[KC_PREFER_THROUGHPUT];
	double step = (double)(size_of(wins) - size_of(wins - 1));

	return (double)size_of(wins - 1) + step * loss / (loss + gain);
}

/* INFINITY if it never pays. */
static double cross(struct search *s)
{
	int loses = -1, wins = s->last;

	if (!pays(s, wins))
		return INFINITY;
	while (wins - loses > 1) {
		int middle = loses + (wins - loses) / 2;

		if (pays(s, middle))
			wins = middle;
		else
			loses = middle;
	}
	return wins ? meet(s, wins) : SMALLEST;
}

/* Least squares, with weighted points. */
struct line {
	double w, x, y, xx, xy; /* sums */
};

static void add(struct line *l, double x, double y, double weight)
{
	l->w += weight;
	l->x += weight * x;
	l->y += weight * y;
	l->xx += weight * x * x;
	l->xy += weight * x * y;
}

static double slope(const struct line *l)
{
	return (l->w * l->xy - l->x * l->y) / (l->w * l->xx - l->x * l->x);
}

static double start(const struct line *l)
{
	return (l->y - slope(l) * l->x) / l->w;
}

/*
 * The clock is off by a part of a slice: the more requests are in a slice, the smaller the error in
 * each.
 */
static double cross_by_cpu(const struct search *passes)
{
	struct line software = { 0 }, kernel = { 0 };
	double gain, loss, n;

	for (int i = 0; i < PASSES * SIZES; i++) {
		const struct point *p = &passes[i / SIZES].points[i % SIZES];
		double a = p->software[KC_PREFER_THROUGHPUT], b = p->kernel[KC_PREFER_THROUGHPUT];

		if (!p->is_known)
			continue;
		add(&software, (double)size_of(i % SIZES), p->software[KC_PREFER_CPU], 1 / (a * a));
		add(&kernel, (double)size_of(i % SIZES), p->kernel[KC_PREFER_CPU], 1 / (b * b));
	}
	gain = slope(&software) - slope(&kernel);
	loss = start(&kernel) - start(&software);
	n = gain > 0 ? loss / gain : INFINITY;
	if (loss <= 0)
		n = gain >= 0 ? SMALLEST : INFINITY;
	return n <= (double)size_of(passes->last) ? n : INFINITY;
}

/* Also measures the sizes that the lines need, wherever the search goes. */
static double pass(struct search *s)
{
	for (int i = s->last; i >= 0; i -= 3)
		point(s, i);
	return cross(s);
}

static double middle_of(const double n[PASSES])
{
	double low = n[0] < n[1] ? n[0] : n[1], high = n[0] < n[1] ? n[1] : n[0];

	return n[2] < low ? low : n[2] > high ? high : n[2];
}

/* Adds an eighth as a margin; whole blocks. */
static size_t threshold(double n, const struct kc_alg *alg)
{
	size_t bytes;

	if (isinf(n))
		return KC_NEVER_PAYS;
	bytes = (size_t)(n + n / 8);
	bytes = (bytes + alg->block_len - 1) / alg->block_len * alg->block_len;
	return bytes < kc_alg_floor(alg) ? kc_alg_floor(alg) : bytes;
}

bool kc_crossover_find(const struct kc_field *field, const struct kc_alg *alg, enum kc_dir dir,
		       size_t limit, const struct kc_load *load, struct kc_crossover *crossover)
{
	struct search passes[PASSES];
	double n[PASSES];

	for (int i = 0; i < PASSES; i++) {
		struct search *s = &passes[i];

		*s = (struct search){
			.field = field, .task = { alg, dir, 0 }, .load = load, .last = SIZES - 1
		};
		while (s->last && size_of(s->last) > limit)
			s->last--;
		n[i] = pass(s);
		if (s->failed)
			return false;
	}
	crossover->bytes[KC_PREFER_THROUGHPUT] = threshold(middle_of(n), alg);
	crossover->bytes[KC_PREFER_CPU] = threshold(cross_by_cpu(passes), alg);
	return true;
}
