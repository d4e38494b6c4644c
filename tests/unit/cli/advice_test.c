/* SPDX-License-Identifier: Apache-2.0 */
/* The advice for TLS records: nothing is recommended that was not measured. */
#include "unit/check.h"

#include <math.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/table.h"

/* CPU seconds per GB of each way; 0: not measured. */
static const struct {
	double software, kcrypto, ktls, both;
	const char *best, *command, *cpu;
} advised[] = {
	{ 40, 20, 10, 0, "kTLS", "kcrypto config enable --ktls", "0.25" },
	{ 40, 10, 20, 0, "kcrypto", "kcrypto config enable", "0.25" },
	{ 40, 0, 20, 0, "kTLS", "kcrypto config enable --ktls", "0.5" },
	{ 40, 20, 0, 0, "kcrypto", "kcrypto config enable", "0.5" },
	/* both do more than each alone; or no more than noise */
	{ 40, 20, 30, 10, "both", "kcrypto config enable --ktls", "0.25" },
	{ 40, 30, 10, 9.9, "kTLS", "kcrypto config enable --ktls", "0.25" },
	/* a gain that may be noise; and none */
	{ 40, 39, 41, 0, "software", "-", "1" },
	{ 40, 60, 0, 0, "software", "-", "1" },
	/* nothing to compare with */
	{ 40, 0, 0, 0, "-", "-", "-" },
	{ 0, 20, 10, 0, "-", "-", "-" },
	{ -1, 20, 10, 0, "-", "-", "-" },
};

/* The advice. @varies: the way whose turns differ, or -1. */
static struct json_object *advise(double software, double kcrypto, double ktls, double both,
				  int varies)
{
	static const char *const lines[] = { "software", "kcrypto", "kTLS", "both" };
	const double took[] = { software, kcrypto, ktls, both };
	struct json_object *report = json_object_new_object(), *advice, *o;
	struct json_object *rows = kc_json_array(report, "rows");

	for (int i = 0; i < 4; i++)
		kc_json(kc_json_row(rows),
			"algorithm=%s line=%s size=%d mb_per_s=%g machine_s_per_gb=%g spread=%g",
			"AES-128-GCM", lines[i], 16384, took[i] ? 50 : NAN, took[i] ? took[i] : NAN,
			i == varies ? 0.3 : 0.1);
	advice = kc_json_array(report, "advice");
	kc_bench_advise(advice, rows);
	o = json_object_get(json_object_array_get_idx(advice, 0));
	json_object_put(report);
	return o;
}

TEST(the_least_cpu_time_is_best_if_it_was_measured_and_gains)
{
	for (size_t i = 0; i < sizeof(advised) / sizeof(advised[0]); i++) {
		struct json_object *o = advise(advised[i].software, advised[i].kcrypto,
					       advised[i].ktls, advised[i].both, -1);

		assert_string_equal(kc_json_get(o, "best"), advised[i].best);
		assert_string_equal(kc_json_get(o, "command"), advised[i].command);
		assert_string_equal(kc_json_get(o, "cpu"), advised[i].cpu);
		assert_string_equal(kc_json_get(o, "speed"), *advised[i].cpu == '-' ? "-" : "1");
		assert_string_equal(kc_json_get(o, "algorithm"), "AES-128-GCM");
		assert_string_equal(kc_json_get(o, "size"), "16384");
		json_object_put(o);
	}
}

TEST(results_that_vary_are_no_advice)
{
	for (int way = 0; way < 4; way++) {
		struct json_object *o = advise(40, 20, 10, 9, way);

		assert_string_equal(kc_json_get(o, "best"), "-");
		assert_string_equal(kc_json_get(o, "text"), "the results vary too much to tell");
		json_object_put(o);
	}
}

TEST(a_quartile_lies_between_the_nearest_values)
{
	double two[] = { 1.76, 1.175 }, five[] = { 5, 1, 4, 2, 3 };
	struct kc_quartiles q = kc_quartiles(two, 2);

	assert_true(q.median > 1.46 && q.median < 1.47);
	q = kc_quartiles(five, 5);
	assert_true(q.low == 2 && q.median == 3 && q.high == 4);
	q = kc_quartiles(five, 1);
	assert_true(q.low == 1 && q.median == 1 && q.high == 1);
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

/* MB/s at 64, 1024 and 16384 bytes, of software and of two contenders; 0: not measured. */
static const struct {
	double software[3], kernel[3], other[3];
	const char *said;
} concluded[] = {
	{ { 100, 100, 100 },
	  { 50, 101, 210 },
	  { 0 },
	  "one is faster than software at 16384 bytes; with 16384 bytes, it reaches 2.1 times" },
	{ { 100, 100, 100 },
	  { 50, 110, 210 },
	  { 0 },
	  "one is faster than software from 1024 bytes on" },
	{ { 100, 100, 100 },
	  { 150, 110, 210 },
	  { 0 },
	  "one is faster than software at every length" },
	{ { 100, 100, 100 },
	  { 50, 110, 90 },
	  { 0 },
	  "one is faster than software at 1 of 3 lengths; with 16384 bytes, it reaches 0.9 times" },
	{ { 100, 100, 100 }, { 50, 60, 90 }, { 0 }, "software is as fast as one or faster" },
	{ { 100, 100, 100 },
	  { 50, 60, 90 },
	  { 50, 120, 130 },
	  "two is faster than software from 1024 bytes on" },
	{ { 100, 100, 100 },
	  { 50, 110, 0 },
	  { 0 },
	  "one is faster than software at 1024 bytes; with 1024 bytes, it reaches 1.1 times" },
	{ { 100, 100, 100 }, { 0 }, { 0 }, "there is only software to measure" },
	{ { 0 }, { 100, 100, 100 }, { 0 }, "there is only software to measure" },
};

static void add_rates(struct json_object *rows, const double rate[3][3], double spread)
{
	static const char *const lines[] = { "software", "one", "two" };

	for (int size = 0; size < 3; size++)
		for (int line = 0; line < 3; line++) {
			double figure = rate[line][size] ? rate[line][size] : NAN;

			kc_json(kc_json_row(rows),
				"algorithm=%s line=%s kind=%s size=%d mb_per_s=%g "
				"machine_s_per_gb=%g spread=%g",
				"AES-128-CBC", lines[line], line ? "hardware" : "", 64 << 4 * size,
				figure, 1000 / figure, line == 1 ? spread : 0.1);
		}
}

/* The sentence. Rows of another algorithm precede the tested ones. */
static void expect_conclusion(const double rate[3][3], double spread, const char *said)
{
	struct json_object *report = json_object_new_object(), *o;
	struct json_object *rows = kc_json_array(report, "rows");
	struct json_object *conclusions = kc_json_array(report, "conclusions");

	add_rates(rows, (const double[3][3]){ { 1, 1, 1 }, { 9, 9, 9 }, { 9, 9, 9 } }, 0);
	add_rates(rows, rate, spread);
	kc_bench_conclude(conclusions, rows, 3, 3);
	o = json_object_array_get_idx(conclusions, 0);
	assert_string_equal(kc_json_get(o, "algorithm"), "AES-128-CBC");
	if (strncmp(kc_json_get(o, "text"), said, strlen(said)) != 0)
		fail_msg("'%s', not '%s'", kc_json_get(o, "text"), said);
	json_object_put(report);
}

TEST(a_table_ends_in_what_it_shows)
{
	for (size_t i = 0; i < sizeof(concluded) / sizeof(concluded[0]); i++) {
		double rate[3][3];

		memcpy(rate[0], concluded[i].software, sizeof(rate[0]));
		memcpy(rate[1], concluded[i].kernel, sizeof(rate[1]));
		memcpy(rate[2], concluded[i].other, sizeof(rate[2]));
		expect_conclusion((const double(*)[3])rate, 0.1, concluded[i].said);
	}
}

TEST(a_table_that_varies_has_no_conclusion)
{
	expect_conclusion((const double[3][3]){ { 100, 100, 100 }, { 50, 110, 210 }, { 0, 0, 0 } },
			  0.3, "the results vary too much to tell");
}
