/* SPDX-License-Identifier: Apache-2.0 */
/* kcrypto bench -- COMMAND: the user's own command without and with kcrypto, in turns. */
#include "cli/bench/bench.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "cli/run/command.h"
#include "cli/run/counters.h"
#include "cli/screen.h"
#include "cli/table.h"

enum { WALL, PROCESS, MACHINE, MEASURES };

static const struct {
	const char *key, *title;
} measures[MEASURES] = {
	[WALL] = { "wall_s", "wall time, s" },
	[PROCESS] = { "process_s", "CPU time of the command, s" },
	[MACHINE] = { "machine_s", "CPU time of the machine, s" },
};

/* By pair: seconds without and with kcrypto, and their ratio. */
struct pair {
	double with[2], ratio;
};

struct pairs {
	struct pair *pair[MEASURES];
	double *sorted;
	unsigned n;
};

static void take(struct pairs *p, unsigned i, int with, const struct kc_meter *took)
{
	const double seconds[MEASURES] = { [WALL] = (double)took->wall_ns / 1e9,
					   [PROCESS] = (double)took->process_ns / 1e9,
					   [MACHINE] = (double)took->machine_ns / 1e9 };

	for (int m = 0; m < MEASURES; m++) {
		struct pair *pair = &p->pair[m][i];

		pair->with[with] = seconds[m];
		pair->ratio = pair->with[1] / (pair->with[0] + 1e-9);
	}
}

/*
 * The first pair warms up caches and loads modules, and does not count. Returns NULL, or an error.
 */
static const char *run_pairs(struct pairs *p, char *const *argv, const char *file)
{
	for (unsigned i = 0; i < 2 * (p->n + 1); i++) {
		int with = (int)((i + i / 2) % 2);
		struct kc_ended ended;
		const char *problem =
			kc_command_run(argv, file, with ? KC_WITH : KC_WITHOUT, true, &ended);

		if (problem)
			return problem;
		if (ended.code)
			return with ? "the command failed, with kcrypto" :
				      "the command failed, without kcrypto";
		if (i >= 2)
			take(p, i / 2 - 1, with, &ended.took);
	}
	return NULL;
}

/* @offset: of the member of a pair. Leaves the values in ascending order. */
static double median_of(struct pairs *p, int m, size_t offset)
{
	for (unsigned i = 0; i < p->n; i++)
		p->sorted[i] = *(double *)((char *)&p->pair[m][i] + offset);
	return kc_median(p->sorted, p->n);
}

static struct kc_ratio report_measure(struct json_object *report, struct pairs *p, int m)
{
	struct json_object *o = json_object_new_object();
	struct kc_ratio r;

	kc_json_real(o, "without", median_of(p, m, offsetof(struct pair, with[0])));
	kc_json_real(o, "with", median_of(p, m, offsetof(struct pair, with[1])));
	r.median = median_of(p, m, offsetof(struct pair, ratio));
	r.low = kc_quantile(p->sorted, p->n, 0.25);
	r.high = kc_quantile(p->sorted, p->n, 0.75);
	kc_json_real(o, "ratio", r.median);
	kc_json_real(o, "spread", r.high - r.low);
	kc_json_add(report, measures[m].key, o);
	return r;
}

/* Returns the bytes that the kernel did, over all algorithms. */
static uint64_t report_kernel(struct json_object *report)
{
	struct json_object *rows = kc_json_array(report, "by_kernel");
	uint64_t sum = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		uint64_t bytes = kc_counters_bytes(&kc_algs[i]);
		char name[KC_ALG_NAME_SIZE];
		struct json_object *o;

		if (!bytes)
			continue;
		o = json_object_new_object();
		kc_json_text(o, "algorithm", kc_alg_name(&kc_algs[i], name, sizeof(name)));
		kc_json_int(o, "requests", (int64_t)kc_counters_requests(&kc_algs[i]));
		kc_json_int(o, "bytes", (int64_t)bytes);
		json_object_array_add(rows, o);
		sum += bytes;
	}
	return sum;
}

static void print_text(struct json_object *report)
{
	static const struct kc_column columns[] = {
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
	struct json_object *rows = json_object_new_array();

	for (int m = 0; m < MEASURES; m++) {
		struct json_object *shown = json_object_object_get(report, measures[m].key);

		kc_json_text(shown, "title", measures[m].title);
		json_object_array_add(rows, json_object_get(shown));
	}
	kc_table_print(stdout, columns, 5, rows);
	json_object_put(rows);
	rows = json_object_object_get(report, "by_kernel");
	if (json_object_array_length(rows))
		kc_table_print(stdout, by_kernel, 3, rows);
	kc_wrap(stdout, 0, 0, kc_json_get(report, "verdict"));
}

static void print_report(struct pairs *p, bool json)
{
	struct json_object *report = json_object_new_object();
	struct kc_pairing pairing = { .n = p->n, .is_seen = kc_counters_seen() };

	kc_json_int(report, "runs", p->n);
	pairing.wall = report_measure(report, p, WALL);
	report_measure(report, p, PROCESS);
	pairing.machine = report_measure(report, p, MACHINE);
	pairing.by_kernel = report_kernel(report);
	kc_json_text(report, "verdict", kc_bench_judge(&pairing));
	if (json)
		kc_json_print(stdout, report);
	else
		print_text(report);
	if (!json)
		json_object_put(report);
}

int kc_bench_command(const struct kc_bench *bench, char *const *argv)
{
	struct pair *all = calloc(bench->runs, MEASURES * sizeof(*all));
	struct pairs p = { .n = bench->runs, .sorted = calloc(bench->runs, sizeof(double)) };
	const char *problem = "not enough memory to measure";

	for (int m = 0; m < MEASURES; m++)
		p.pair[m] = all + (size_t)m * p.n;
	if (all && p.sorted)
		problem = run_pairs(&p, argv, bench->file);
	if (!problem)
		print_report(&p, bench->json);
	free(p.sorted);
	free(all);
	return problem ? kc_failure(problem) : KC_EXIT_OK;
}
