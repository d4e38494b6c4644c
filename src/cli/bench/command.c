/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto bench -- COMMAND: the user's own command without and with kcrypto, in turns. */
#include "cli/bench/bench.h"

#include <math.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/run/command.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "core/clock.h"

enum { WALL, PROCESS, MACHINE, MEASURES };

static const struct {
	const char *key, *title;
} measures[MEASURES] = {
	[WALL] = { "wall_s", "wall time, s" },
	[PROCESS] = { "process_s", "CPU time of the command, s" },
	[MACHINE] = { "machine_s", "CPU time of the machine, s" },
};

/* By pair, without and with kcrypto. */
static double seconds[MEASURES][2][KC_MAX_RUNS];

struct pairs {
	char *const *argv;
	const char *file;
	const char *problem;
	int code; /* exit code of the command that failed */
	unsigned runs;
	uint64_t begin_ns;
};

static const char *const words[] = { "without", "with" };

/* Shows which run it is, and how long the rest will take. */
static void show_run(struct pairs *p, size_t with, unsigned round)
{
	unsigned done = 2 * round + (unsigned)with, all = 2 * (p->runs + 1);
	double took = (double)(kc_now_ns() - p->begin_ns) / 1e9;
	char left[40] = "";

	if (done)
		snprintf(left, sizeof(left), ", about %.0f s to go", took / done * (all - done));
	kc_progress("run %u of %u, %s kcrypto%s", done + 1, all, words[with], left);
}

/* The first pair warms up caches and loads modules; it does not count. */
static bool run_command_once(void *arg, size_t with, unsigned round)
{
	static const struct {
		enum kc_with how;
		const char *failed;
	} ways[] = {
		{ KC_WITHOUT, "the command failed, without kcrypto" },
		{ KC_WITH, "the command failed, with kcrypto" },
	};
	struct pairs *p = arg;
	struct kc_ended ended;

	show_run(p, with, round);
	p->problem = kc_command_run(p->argv, p->file, ways[with].how, true, &ended);
	if (p->problem)
		return false;
	p->code = ended.code;
	if (p->code) {
		p->problem = ways[with].failed;
		return false;
	}
	if (!round)
		return true;
	seconds[WALL][with][round - 1] = (double)ended.took.wall_ns / 1e9;
	seconds[PROCESS][with][round - 1] = (double)ended.took.process_ns / 1e9;
	seconds[MACHINE][with][round - 1] = (double)ended.took.machine_ns / 1e9;
	return true;
}

/* Adds the quartiles of a measure, and returns those of the ratios. Sorts the times. */
static struct kc_quartiles add_measure(struct json_object *report, int m, unsigned n)
{
	double(*s)[KC_MAX_RUNS] = seconds[m], ratio[KC_MAX_RUNS];
	struct kc_quartiles q;

	for (unsigned i = 0; i < n; i++)
		ratio[i] = s[1][i] / (s[0][i] + 1e-9);
	q = kc_quartiles(ratio, n);
	json_object_object_add(report, measures[m].key,
			       kc_json(NULL, "title=%s without=%g with=%g ratio=%g spread=%g",
				       measures[m].title, kc_median(s[0], n), kc_median(s[1], n),
				       q.median, q.high - q.low));
	return q;
}

/* Returns the bytes that the kernel did, over all algorithms. */
static uint64_t add_kernel(struct json_object *report)
{
	struct json_object *rows = kc_json_array(report, "by_kernel");
	uint64_t sum = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		struct kc_stats_sum done = kc_counters_of(&kc_algs[i]);

		if (done.bytes)
			kc_json(kc_json_row(rows), "algorithm=%s requests=%ju bytes=%ju",
				kc_alg_name(&kc_algs[i]), done.requests, done.bytes);
		sum += done.bytes;
	}
	return sum;
}

/* Adds how many times as fast it is, and half of the range of the pairs' middle half. */
static void add_speed(struct json_object *report, const struct kc_pairing *p)
{
	bool is_known = p->by_kernel && p->n >= KC_LEAST_PAIRS;
	double median = 1 / p->wall.median, half = (1 / p->wall.low - 1 / p->wall.high) / 2;

	kc_json(report, "speed=%g speed_spread=%g", is_known ? median : NAN, is_known ? half : NAN);
}

static const struct kc_column times[] = {
	{ "", "title" },
	{ "without", "without", .is_number = true },
	{ "with", "with", .is_number = true },
	{ "ratio", "ratio", .is_number = true },
	{ "spread", "spread", .is_number = true },
};

static const struct kc_column by_kernel[] = {
	{ "by the kernel, in all runs", "algorithm" },
	{ "requests", "requests", .is_number = true },
	{ "bytes", "bytes", .is_number = true },
};

static void print_pairs(struct json_object *report)
{
	struct json_object *rows = json_object_new_array();

	for (int m = 0; m < MEASURES; m++)
		json_object_array_add(
			rows, json_object_get(json_object_object_get(report, measures[m].key)));
	kc_table_print(stdout, times, 5, rows);
	json_object_put(rows);
	rows = json_object_object_get(report, "by_kernel");
	if (json_object_array_length(rows))
		kc_table_print(stdout, by_kernel, 3, rows);
	if (json_object_object_get(report, "speed"))
		printf("With kcrypto, it is %.2f ± %.2f times as fast, over %s pairs of runs.\n",
		       kc_bench_number(report, "speed"), kc_bench_number(report, "speed_spread"),
		       kc_json_get(report, "runs"));
	kc_wrap(stdout, 0, 0, kc_json_get(report, "verdict"));
}

static void print_report(unsigned n, bool json)
{
	struct json_object *report = kc_json(NULL, "runs=%u", n);
	struct kc_pairing pairing = { .n = n, .is_seen = kc_counters_all() };

	pairing.wall = add_measure(report, WALL, n);
	add_measure(report, PROCESS, n);
	pairing.machine = add_measure(report, MACHINE, n);
	pairing.by_kernel = add_kernel(report);
	add_speed(report, &pairing);
	kc_json(report, "verdict=%s", kc_bench_judge(&pairing));
	if (!json)
		print_pairs(report);
	kc_json_finish(stdout, report, json);
}

int kc_bench_command(const struct kc_bench *bench, char *const *argv)
{
	struct pairs p = {
		.argv = argv, .file = bench->file, .runs = bench->runs, .begin_ns = kc_now_ns()
	};
	bool ok;

	ok = kc_turns(2, bench->runs + 1, UINT64_MAX, run_command_once, &p);
	kc_progress_end();
	if (!ok && p.code)
		return kc_failure("%s: exit status %d", p.problem, p.code);
	if (!ok)
		return kc_failure("%s", p.problem);
	print_report(bench->runs, bench->json);
	return KC_EXIT_OK;
}
