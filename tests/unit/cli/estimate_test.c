/* SPDX-License-Identifier: Apache-2.0 */
/* The thresholds that kcrypto list measures. */
#include "unit/offload/timed.h"

#include "cli/estimate.h"

TEST(the_threshold_is_where_the_lines_cross)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	assert_int_equal(kc_estimate_run(c, &timed), KC_OK);
	for (int dir = 0; dir < 2; dir++)
		assert_int_equal(c->threshold[dir], CROSSING + CROSSING / 8);
	kernel.once = soft.per_kib * LIMIT / 1024;
	assert_int_equal(kc_estimate_run(c, &timed), KC_SLOWER);
}

/* The numbers are beyond 32 bits on the way. */
TEST(the_speed_is_right_whatever_a_size_t_holds)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	soft.per_kib *= 4;
	kernel = (struct price){ .once = MS };
	assert_int_equal(kc_estimate_run(c, &timed), KC_OK);
	assert_int_equal(c->speed, LIMIT - 1);
}

static unsigned mostly(unsigned i)
{
	static const unsigned percent[] = { 300, 170, 40, 900, 3, 260, 80, 1, 400, 5, 90 };

	return percent[i % COUNT(percent)];
}

static unsigned at_first(unsigned i)
{
	return i < 24 ? 700 - 25 * i : 0;
}

static unsigned all_else_but_one_in_five(unsigned i)
{
	return i % 5 == 2 ? 0 : 150 + i * 37 % 500;
}

TEST(noise_moves_no_threshold_by_much)
{
	static unsigned (*const noises[])(unsigned) = { mostly, at_first,
							all_else_but_one_in_five };

	for (size_t i = 0; i < 20 * COUNT(noises); i++) {
		struct kc_candidate *c = prepare("AES-128-CBC");

		disturbance = noises[i / 20];
		disturbed = (unsigned)i % 20;
		assert_int_equal(kc_estimate_run(c, &timed), KC_OK);
		for (int dir = 0; dir < 2; dir++)
			assert_in_range(c->threshold[dir], CROSSING, CROSSING * 3 / 2);
	}
}

/* Each request takes longer than the one before: no two are ever alike. */
static unsigned ever_more(unsigned i)
{
	return i * i * 20;
}

TEST(it_ends_where_no_two_runs_agree)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	disturbance = ever_more;
	kc_estimate_run(c, &timed);
	assert_in_range(standin.requests, 20, 100);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
