/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request takes the kernel a fixed time plus a time per byte, and software nearly only the
 * latter, so the two lines cross at one length. (Software's time also has steps, which estimate.c
 * handles.) Above some length, a driver may leave requests to the kernel's software: there the
 * kernel no longer pays, or takes much longer than for shorter pieces. The machine's CPU time has a
 * coarse clock, but it adds up: lines are fitted through all sizes that the driver does itself.
 */
#include "cli/probe/passes.h"

#include <math.h>

#define REGRET 1.1   /* what following another pass may cost, by the figures of this one */
#define PIECES 1.125 /* what a request may take, compared with its pieces */

/* A request's time in ns: fixed, and per byte. */
struct trend {
	double start, slope;
};

/* Least squares of relative errors of wall time. */
static struct trend fit(const struct kc_scale *scale, const struct kc_pass *p, int n,
			enum kc_prefer clock, enum kc_side side)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0, slope;

	for (int i = 0; i < n || i < 2; i++) {
		double wall = p->ns[KC_PREFER_THROUGHPUT][side][i] + 1, weight = 1 / (wall * wall);
		double bytes = (double)scale->size[i], ns = p->ns[clock][side][i];

		w += weight;
		x += weight * bytes;
		y += weight * ns;
		xx += weight * bytes * bytes;
		xy += weight * bytes * ns;
	}
	slope = (w * xy - x * y) / (w * xx - x * x);
	return (struct trend){ (y - slope * x) / w, slope };
}

/*
 * Each size has its own error of the clock, a part of a slice: replaces the times by a fitted line.
 */
static void straighten(const struct kc_scale *scale, struct kc_pass *p)
{
	for (int side = 0; side < KC_SIDES; side++) {
		struct trend l = fit(scale, p, p->n, KC_PREFER_CPU, (enum kc_side)side);

		for (int i = 0; i < KC_PASS_SIZES; i++)
			p->ns[KC_PREFER_CPU][side][i] = l.start + l.slope * (double)scale->size[i];
	}
}

/* Extrapolates the sizes that were not measured from the first @n. */
static void extend(const struct kc_scale *scale, struct kc_pass *p, int n)
{
	for (int k = 0; k < KC_PREFER_COUNT * KC_SIDES; k++) {
		enum kc_prefer clock = (enum kc_prefer)(k / KC_SIDES);
		enum kc_side side = (enum kc_side)(k % KC_SIDES);
		struct trend l = fit(scale, p, n, clock, side);

		for (int i = n; i < KC_PASS_SIZES; i++)
			p->ns[clock][side][i] = l.start + l.slope * (double)scale->size[i];
	}
}

bool kc_is_beaten(double ns, double len, double piece_ns, double piece_len)
{
	return ns > PIECES * piece_ns * len / piece_len;
}

/* True if the kernel pays at this size, and not only because its own software is fast, too. */
static bool is_paying(const struct kc_scale *scale, const double (*ns)[KC_PASS_SIZES], int size)
{
	int pieces = size;

	if (kc_alg_is_whole(scale->alg))
		pieces = 0;
	for (int i = 0; i < pieces; i++)
		if (ns[KC_BY_KERNEL][i] < ns[KC_BY_SOFTWARE][i] &&
		    kc_is_beaten(ns[KC_BY_KERNEL][size], (double)scale->size[size],
				 ns[KC_BY_KERNEL][i], (double)scale->size[i]))
			return false;
	return ns[KC_BY_KERNEL][size] < ns[KC_BY_SOFTWARE][size];
}

/*
 * Returns how many sizes are left without the longest ones at which the kernel does not pay; all,
 * if it pays at none.
 */
static int count_paying(const struct kc_scale *scale, double (*ns)[KC_PASS_SIZES])
{
	int n = KC_PASS_SIZES;

	while (n && !is_paying(scale, ns, n - 1))
		n--;
	if (n)
		return n;
	return KC_PASS_SIZES;
}

/* Returns the lowest length from which on the kernel pays at each of the first @n sizes. */
static double crossing(const struct kc_scale *scale, double (*ns)[KC_PASS_SIZES], int n)
{
	int i = n;
	double loss, gain, from;

	while (i && ns[KC_BY_KERNEL][i - 1] < ns[KC_BY_SOFTWARE][i - 1])
		i--;
	if (i == 0 || i == n) {
		if (i)
			return INFINITY;
		return (double)scale->size[0];
	}
	loss = ns[KC_BY_KERNEL][i - 1] - ns[KC_BY_SOFTWARE][i - 1];
	gain = ns[KC_BY_SOFTWARE][i] - ns[KC_BY_KERNEL][i];
	from = (double)scale->size[i - 1];
	return from + ((double)scale->size[i] - from) * loss / (loss + gain);
}

/* Returns the time of a text of this size if it goes where @choice says, by the figures of @p. */
static double following(const struct kc_scale *scale, const struct kc_pass *p, enum kc_prefer clock,
			const struct kc_pass *choice, int size)
{
	int piece = (int)kc_min((size_t)size, (size_t)choice->n - 1);
	double part = (double)scale->size[piece];
	bool is_too_long = piece < size && kc_alg_is_whole(scale->alg);

	if (part < choice->crossing[clock] || is_too_long)
		return p->ns[clock][KC_BY_SOFTWARE][size];
	return p->ns[clock][KC_BY_KERNEL][piece] * (double)scale->size[size] / part;
}

/* True if following another pass costs little more, by these figures. */
static bool bears(const struct kc_scale *scale, const struct kc_pass *p, enum kc_prefer clock,
		  const struct kc_pass *other)
{
	for (int i = 0; i < KC_PASS_SIZES; i++)
		if (following(scale, p, clock, other, i) >
		    REGRET * following(scale, p, clock, p, i))
			return false;
	return true;
}

/*
 * Returns the least threshold in bytes: nothing shorter was measured, and a shorter hash is not
 * worth a buffer.
 */
static size_t floor_of(const struct kc_scale *scale)
{
	if (kc_alg_is_hash(scale->alg))
		return kc_alg_floor(scale->alg);
	return scale->size[0];
}

/* Adds an eighth as a margin, and rounds up to whole blocks. */
size_t kc_pass_threshold(const struct kc_scale *scale, double n, int sizes)
{
	size_t block = scale->alg->block_len, floor = floor_of(scale), bytes;

	if (isinf(n) || n + n / 8 > (double)scale->size[sizes - 1])
		return KC_NEVER_PAYS;
	bytes = ((size_t)(n + n / 8) + block - 1) / block * block;
	if (bytes < floor)
		return floor;
	return bytes;
}

size_t kc_passes_settle(const struct kc_pass *p, int n, const struct kc_scale *scale,
			enum kc_prefer clock, int *sizes)
{
	for (int i = 1; i < n; i++) {
		for (int k = 0; k < i; k++) {
			double a = p[i].crossing[clock], b = p[k].crossing[clock];

			*sizes = (int)kc_max((size_t)p[i].n, (size_t)p[k].n);
			if (bears(scale, &p[i], clock, &p[k]) && bears(scale, &p[k], clock, &p[i]))
				return kc_pass_threshold(scale, (a + b) / 2, *sizes);
		}
	}
	return KC_UNSETTLED;
}

void kc_pass_conclude(struct kc_pass *p, const struct kc_scale *scale, int measured)
{
	extend(scale, p, measured);
	p->n = count_paying(scale, p->ns[KC_PREFER_THROUGHPUT]);
	straighten(scale, p);
	for (int clock = 0; clock < KC_PREFER_COUNT; clock++)
		p->crossing[clock] = crossing(scale, p->ns[clock], p->n);
}

/* A line through times may begin below zero. */
static unsigned whole_ns(double ns)
{
	if (ns > 0)
		return (unsigned)ns;
	return 0;
}

struct kc_price kc_pass_price(const struct kc_pass *p, const struct kc_scale *scale)
{
	struct trend l = fit(scale, p, p->n, KC_PREFER_THROUGHPUT, KC_BY_KERNEL);

	return (struct kc_price){ whole_ns(l.start), whole_ns(l.slope * 1024) };
}

/* The times are on a straight line already. */
double kc_pass_cpu(const struct kc_pass *p, const struct kc_scale *scale, size_t len)
{
	const double *ns = p->ns[KC_PREFER_CPU][KC_BY_KERNEL];
	double slope = (ns[1] - ns[0]) / (double)(scale->size[1] - scale->size[0]);

	return ns[0] + slope * ((double)len - (double)scale->size[0]);
}

/* At least 1, because 0 means unknown. */
static unsigned per_cent(double of, double what)
{
	double share;

	if (what <= 0)
		return 0;
	share = 100 * of / what + 0.5;
	if (share >= UINT16_MAX)
		return 0;
	if (share < 1)
		return 1;
	return (unsigned)share;
}

struct kc_gain kc_pass_gain(const struct kc_pass *p)
{
	const double(*wall)[KC_PASS_SIZES] = p->ns[KC_PREFER_THROUGHPUT];
	const double(*cpu)[KC_PASS_SIZES] = p->ns[KC_PREFER_CPU];
	int i = p->n - 1;

	return (struct kc_gain){ per_cent(wall[KC_BY_SOFTWARE][i], wall[KC_BY_KERNEL][i]),
				 per_cent(cpu[KC_BY_KERNEL][i], cpu[KC_BY_SOFTWARE][i]) };
}
