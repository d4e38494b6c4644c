/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The length at which kcrypto tune sees software and kernel cross, on a simulated machine: the time
 * of a request is a straight line, and some measurements are disturbed.
 */
#include "unit/check.h"

#include "cli/tune/crossover.h"

/* Nanoseconds of a request: by wall time they cross at 8 KiB, by CPU time at 2 KiB. */
#define SOFTWARE(n)   (100 + 4.0 * (n))
#define KERNEL(n)     (24676 + 1.0 * (n))
#define KERNEL_CPU(n) (2148 + 3.0 * (n))

static unsigned calls;
static unsigned disturbed_from, disturbed_to; /* these calls, from 1 */
static double cpu_error;		      /* in parts, now up, now down */

static struct kc_result result(double ns, double cpu_ns, size_t size)
{
	return (struct kc_result){ .is_known = true,
				   .mb_per_s = (double)size / ns * 1e3,
				   .machine_s_per_gb = cpu_ns / (double)size };
}

int kc_compare(const struct kc_contender *contenders, size_t n, const struct kc_task *task,
	       const struct kc_load *load, struct kc_result *results)
{
	double size = (double)task->size, wrong = ++calls % 2 ? cpu_error : -cpu_error;
	bool disturbed = calls >= disturbed_from && calls <= disturbed_to;

	(void)contenders;
	(void)load;
	assert_int_equal(n, 2);
	results[0] = result(SOFTWARE(size), SOFTWARE(size) * (1 + wrong), task->size);
	results[1] = result(KERNEL(size) * (disturbed ? 100 : 1), KERNEL_CPU(size) * (1 - wrong),
			    task->size);
	return 1;
}

bool kc_result_is_kernels(const struct kc_result *r, const struct kc_task *task)
{
	(void)task;
	return r->is_known;
}

static struct kc_crossover find(size_t limit)
{
	const struct kc_load load = { .processes = 1, .threads = 1, .rounds = 1, .slice_ms = 1 };
	const struct kc_field field = { .n = 2 };
	struct kc_crossover found;
	const struct kc_alg *alg = NULL;

	calls = 0;
	for (size_t i = 0; i < KC_ALG_COUNT && !alg; i++)
		if (kc_algs[i].kind == KC_CIPHER && kc_algs[i].default_threshold <= 1536)
			alg = &kc_algs[i];
	assert_non_null(alg);
	assert_true(kc_crossover_find(&field, alg, KC_ENCRYPT, limit, &load, &found));
	return found;
}

/* An eighth is added on purpose. */
static void assert_near(size_t found, double at)
{
	if ((double)found < at || (double)found > at * 1.4)
		fail_msg("%zu instead of %g", found, at);
}

TEST(undisturbed_it_is_where_they_cross)
{
	struct kc_crossover c = find(65536);

	assert_near(c.bytes[KC_PREFER_THROUGHPUT], 8192);
	assert_near(c.bytes[KC_PREFER_CPU], 2048);
}

TEST(one_disturbed_measurement_decides_nothing)
{
	unsigned n;

	find(65536);
	n = calls;
	for (disturbed_from = 1; disturbed_from <= n; disturbed_from++) {
		disturbed_to = disturbed_from;
		assert_near(find(65536).bytes[KC_PREFER_THROUGHPUT], 8192);
	}
	disturbed_from = disturbed_to = 0;
}

TEST(coarse_cpu_time_is_made_up_for_by_many_sizes)
{
	for (cpu_error = -0.15; cpu_error < 0.2; cpu_error += 0.3) {
		size_t n = find(65536).bytes[KC_PREFER_CPU];

		if (n < 1536 || n > 3600)
			fail_msg("%zu instead of 2048, an eighth more", n);
	}
	cpu_error = 0;
}

TEST(beyond_what_the_kernel_takes_it_never_pays)
{
	struct kc_crossover c = find(4096);

	assert_true(c.bytes[KC_PREFER_THROUGHPUT] == KC_NEVER_PAYS);
	assert_near(c.bytes[KC_PREFER_CPU], 2048);
}
