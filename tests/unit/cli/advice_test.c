/* SPDX-License-Identifier: Apache-2.0 */
/* The advice for TLS records: nothing is recommended that was not measured. */
#include "unit/check.h"

#include "cli/bench/advice.h"

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
