/* SPDX-License-Identifier: Apache-2.0 */
/* The thresholds that kcrypto list measures. */
#include "timed.h"

#include "cli/estimate.h"

static void the_threshold_is_where_the_lines_cross(void **state)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	(void)state;
	assert_int_equal(kc_estimate_run(c, &timed), KC_OK);
	for (int dir = 0; dir < 2; dir++)
		assert_int_equal(c->threshold[dir], CROSSING + CROSSING / 8);
	kernel.once = soft.per_kib * LIMIT / 1024;
	assert_int_equal(kc_estimate_run(c, &timed), KC_SLOWER);
}

/* The numbers are beyond 32 bits on the way. */
static void the_speed_is_right_whatever_a_size_t_holds(void **state)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	(void)state;
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

static void noise_moves_no_threshold_by_much(void **state)
{
	static unsigned (*const noises[])(unsigned) = { mostly, at_first,
							all_else_but_one_in_five };

	(void)state;
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

static void it_ends_where_no_two_runs_agree(void **state)
{
	struct kc_candidate *c = prepare("AES-128-CBC");

	(void)state;
	disturbance = ever_more;
	kc_estimate_run(c, &timed);
	assert_in_range(standin.requests, 20, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_threshold_is_where_the_lines_cross),
		cmocka_unit_test(the_speed_is_right_whatever_a_size_t_holds),
		cmocka_unit_test(noise_moves_no_threshold_by_much),
		cmocka_unit_test(it_ends_where_no_two_runs_agree),
	};

	return cmocka_run_group_tests_name("estimate", tests, open_base, close_base);
}
