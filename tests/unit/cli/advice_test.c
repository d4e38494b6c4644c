/* SPDX-License-Identifier: Apache-2.0 */
/* The advice for TLS records: nothing is recommended that was not measured. */
#include "unit/check.h"

#include <string.h>

#include "cli/bench/bench.h"

/* CPU seconds per GB; 0: not measured. */
static struct kc_result took(double cpu)
{
	return (struct kc_result){
		.is_known = cpu != 0, .mb_per_s = 50, .machine_s_per_gb = cpu, .spread = 0.1
	};
}

static struct kc_advice advise(double software, double kcrypto, double ktls)
{
	const struct kc_result results[KC_WAYS] = { took(software), took(kcrypto), took(ktls) };

	return kc_bench_advise(results);
}

TEST(the_least_cpu_time_is_best)
{
	struct kc_advice a = advise(40, 20, 10);

	assert_int_equal(a.best, KC_BY_KTLS);
	assert_string_equal(a.command, "kcrypto config enable --ktls");
	assert_true(a.cpu == 0.25 && a.speed == 1);
	a = advise(40, 10, 20);
	assert_int_equal(a.best, KC_BY_KCRYPTO);
	assert_string_equal(a.command, "kcrypto config enable");
	assert_int_equal(advise(40, 0, 20).best, KC_BY_KTLS);
	assert_int_equal(advise(40, 20, 0).best, KC_BY_KCRYPTO);
}

TEST(software_is_best_unless_another_way_gains)
{
	struct kc_advice a = advise(40, 39, 41);

	assert_int_equal(a.best, KC_BY_SOFTWARE);
	assert_string_equal(a.command, "");
	assert_int_equal(advise(40, 60, 0).best, KC_BY_SOFTWARE);
}

TEST(nothing_is_advised_that_was_not_measured)
{
	assert_int_equal(advise(40, 0, 0).best, -1);
	assert_int_equal(advise(0, 20, 10).best, -1);
	assert_int_equal(advise(-1, 20, 10).best, -1);
	assert_string_equal(advise(40, 0, 0).command, "");
}

TEST(results_that_vary_are_no_advice)
{
	struct kc_result results[KC_WAYS] = { took(40), took(20), took(10) };

	for (int way = 0; way < KC_WAYS; way++) {
		results[way].spread = 0.3;
		assert_int_equal(kc_bench_advise(results).best, -1);
		results[way].spread = 0.1;
	}
	assert_int_equal(kc_bench_advise(results).best, KC_BY_KTLS);
}

TEST(a_quantile_lies_between_the_nearest_values)
{
	double two[] = { 1.76, 1.175 }, five[] = { 5, 1, 4, 2, 3 };

	assert_true(kc_median(two, 2) > 1.46 && kc_median(two, 2) < 1.47);
	assert_true(kc_median(five, 5) == 3 && kc_quantile(five, 5, 0.25) == 2);
	assert_true(kc_quantile(five, 5, 0) == 1 && kc_quantile(five, 5, 1) == 5);
	assert_true(kc_quantile(five, 1, 0.75) == 1);
}

static const struct {
	struct kc_pairing p;
	const char *said;
} pairings[] = {
	/* 2.1 times the time, with 96 % of the bytes in the kernel */
	{ { 5, { 2.0, 2.1, 2.2 }, { 2, 2.1, 2.2 }, 1 << 30, true }, "it is slower with kcrypto: " },
	{ { 5, { 2.0, 2.1, 2.2 }, { 0.4, 0.5, 0.6 }, 1 << 30, true },
	  "slower with kcrypto, but takes" },
	/* two runs, 1.175 s and 1.760 s */
	{ { 2, { 0.8, 0.9, 1.0 }, { 1, 1, 1 }, 1 << 30, true }, "too few runs" },
	{ { 2, { 0.1, 0.2, 0.3 }, { 1, 1, 1 }, 1 << 30, true }, "too few runs" },
	{ { 3, { 0.1, 0.2, 0.3 }, { 1, 1, 1 }, 1 << 30, true }, "it is faster with kcrypto" },
	{ { 5, { 0.5, 0.8, 1.1 }, { 1, 1, 1 }, 1 << 30, true }, "differ too much" },
	{ { 5, { 0.9, 1.4, 1.6 }, { 1, 1, 1 }, 1 << 30, true }, "differ too much" },
	{ { 5, { 0.99, 1, 1.01 }, { 0.7, 0.8, 0.9 }, 1 << 30, true },
	  "no faster with kcrypto, but" },
	{ { 5, { 0.99, 1, 1.01 }, { 0.7, 0.8, 1.1 }, 1 << 30, true }, "neither faster nor slower" },
	{ { 5, { 0.5, 0.6, 0.7 }, { 1, 1, 1 }, 0, true }, "every request was shorter" },
	{ { 5, { 0.5, 0.6, 0.7 }, { 1, 1, 1 }, 0, false }, "does not use this system's libcrypto" },
};

TEST(a_command_is_judged_by_enough_runs_that_agree)
{
	for (size_t i = 0; i < sizeof(pairings) / sizeof(pairings[0]); i++)
		assert_non_null(strstr(kc_bench_judge(&pairings[i].p), pairings[i].said));
}
