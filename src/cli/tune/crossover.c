/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel takes a fixed time and so much per byte, software only the latter: so there is one
 * length where they cross, if any. Powers of two are tried by halving what is left, and between the
 * last two the crossing is where straight lines meet.
 */
#include "cli/tune/crossover.h"

#include <string.h>

#define SMALLEST 64
#define SIZES	 11 /* 64 bytes to 64 KiB */

/* Seconds that a request takes. */
struct point {
	bool is_known;
	double software[KC_PREFER_COUNT], kernel[KC_PREFER_COUNT];
};

struct search {
	const struct kc_field *field;
	struct kc_task task;
	const struct kc_load *load;
	struct point points[SIZES];
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

static bool pays(struct search *s, int i, enum kc_prefer prefer)
{
	const struct point *p = point(s, i);

	return p->kernel[prefer] < p->software[prefer];
}

/* Between a size that does not pay and the next one, which does; and an eighth more, to be sure. */
static size_t meet(struct search *s, int wins, enum kc_prefer prefer, size_t block)
{
	const struct point *a = point(s, wins - 1), *b = point(s, wins);
	double loss = a->kernel[prefer] - a->software[prefer];
	double gain = b->software[prefer] - b->kernel[prefer];
	double step = (double)(size_of(wins) - size_of(wins - 1));
	size_t n = size_of(wins - 1) + (size_t)(step * loss / (loss + gain));

	n += n / 8;
	return (n + block - 1) / block * block;
}

static size_t cross(struct search *s, int last, enum kc_prefer prefer, size_t block)
{
	int loses = -1, wins = last;

	if (!pays(s, last, prefer))
		return KC_NEVER_PAYS;
	while (wins - loses > 1) {
		int middle = loses + (wins - loses) / 2;

		if (pays(s, middle, prefer))
			wins = middle;
		else
			loses = middle;
	}
	return wins ? meet(s, wins, prefer, block) : SMALLEST;
}

bool kc_crossover_find(const struct kc_field *field, const struct kc_alg *alg, enum kc_dir dir,
		       size_t limit, const struct kc_load *load, struct kc_crossover *crossover)
{
	struct search s = { .field = field, .task = { alg, dir, 0 }, .load = load };
	int last = SIZES - 1;

	while (last && size_of(last) > limit)
		last--;
	for (int prefer = 0; prefer < KC_PREFER_COUNT; prefer++) {
		size_t n = cross(&s, last, (enum kc_prefer)prefer, alg->block_len);

		if (n < alg->default_threshold)
			n = alg->default_threshold;
		crossover->bytes[prefer] = n;
	}
	return !s.failed;
}
