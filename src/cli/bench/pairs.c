/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto bench -- COMMAND: the user's own command without and with kcrypto, in turns, and, if it
 * was no faster, one sentence on the reason.
 */
#include "cli/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run/command.h"
#include "cli/run/counters.h"

#define GAIN 0.95 /* of the time without kcrypto: a smaller gain may be noise */

enum { WALL, PROCESS, MACHINE, MEASURES };

static const struct {
	const char *key, *title;
} measures[MEASURES] = {
	[WALL] = { "wall_s", "wall time, s" },
	[PROCESS] = { "process_s", "CPU time of the command, s" },
	[MACHINE] = { "machine_s", "CPU time of the machine, s" },
};

/* For each measure: without and with kcrypto, and the ratios of the pairs. */
struct pairs {
	double *seconds[MEASURES][2];
	double *ratio[MEASURES];
	unsigned n;
};

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(double *v, unsigned n, unsigned percent)
{
	qsort(v, n, sizeof(*v), by_size);
	return v[(n - 1) * percent / 100];
}

static void take(struct pairs *p, unsigned i, int with, const struct kc_meter *took)
{
	p->seconds[WALL][with][i] = (double)took->wall_ns / 1e9;
	p->seconds[PROCESS][with][i] = (double)took->process_ns / 1e9;
	p->seconds[MACHINE][with][i] = (double)took->machine_ns / 1e9;
}

/*
 * The first pair warms up caches and loads modules, and does not count. Returns NULL, or an error.
 */
static const char *run_pairs(struct pairs *p, char *const *argv, const char *file)
{
	for (unsigned i = 0; i <= p->n; i++) {
		for (unsigned k = 0; k < 2; k++) {
			int with = (int)((k + i) % 2);
			struct kc_ended ended;
			const char *problem = kc_command_run(
				argv, file, with ? KC_WITH : KC_WITHOUT, true, &ended);

			if (problem)
				return problem;
			if (ended.code)
				return with ? "the command failed, with kcrypto" :
					      "the command failed, without kcrypto";
			if (i)
				take(p, i - 1, with, &ended.took);
		}
	}
	for (int m = 0; m < MEASURES; m++)
		for (unsigned i = 0; i < p->n; i++)
			p->ratio[m][i] = p->seconds[m][1][i] / (p->seconds[m][0][i] + 1e-9);
	return NULL;
}

static struct json_object *number(double value, const char *format)
{
	char text[32];

	snprintf(text, sizeof(text), format, value);
	return json_object_new_double_s(value, text);
}

static void report_measure(struct json_object *report, struct pairs *p, int m)
{
	struct json_object *o = json_object_new_object();
	double low = quantile(p->ratio[m], p->n, 25), high = quantile(p->ratio[m], p->n, 75);

	json_object_object_add(o, "without", number(quantile(p->seconds[m][0], p->n, 50), "%.3f"));
	json_object_object_add(o, "with", number(quantile(p->seconds[m][1], p->n, 50), "%.3f"));
	json_object_object_add(o, "ratio", number(quantile(p->ratio[m], p->n, 50), "%.3f"));
	json_object_object_add(o, "spread", number(high - low, "%.3f"));
	json_object_object_add(report, measures[m].key, o);
}

/* Returns the bytes that the kernel did, over all algorithms. */
static uint64_t report_kernel(struct json_object *report)
{
	struct json_object *rows = json_object_new_array();
	uint64_t sum = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		uint64_t bytes = kc_counters_bytes(&kc_algs[i]);
		char name[KC_ALG_NAME_SIZE];
		struct json_object *o;

		if (!bytes)
			continue;
		o = json_object_new_object();
		kc_alg_name(&kc_algs[i], name, sizeof(name));
		json_object_object_add(o, "algorithm", json_object_new_string(name));
		json_object_object_add(
			o, "requests",
			json_object_new_int64((int64_t)kc_counters_requests(&kc_algs[i])));
		json_object_object_add(o, "bytes", json_object_new_int64((int64_t)bytes));
		json_object_array_add(rows, o);
		sum += bytes;
	}
	json_object_object_add(report, "by_kernel", rows);
	return sum;
}

static const char *verdict(double wall, double machine, uint64_t bytes)
{
	if (wall <= GAIN && bytes)
		return "it is faster with kcrypto";
	if (machine <= GAIN && bytes)
		return "it is no faster with kcrypto, but takes less of the machine's CPU time";
	if (!kc_counters_seen())
		return "nothing went to the kernel: the command does not use this system's "
		       "libcrypto, uses none of the ciphers that this machine accelerates, or does "
		       "not take its configuration from OPENSSL_CONF";
	if (!bytes)
		return "nothing went to the kernel: every request was shorter than the length from "
		       "which the kernel pays, or there were too few to find that length";
	return "requests went to the kernel, but this command spends little of its time on ciphers";
}

static void print_text(struct json_object *report)
{
	struct json_object *rows = json_object_object_get(report, "by_kernel");

	printf("%-28s %10s %10s %8s %8s\n", "", "without", "with", "ratio", "spread");
	for (int m = 0; m < MEASURES; m++) {
		struct json_object *o = json_object_object_get(report, measures[m].key);

		printf("%-28s %10s %10s %8s %8s\n", measures[m].title,
		       json_object_get_string(json_object_object_get(o, "without")),
		       json_object_get_string(json_object_object_get(o, "with")),
		       json_object_get_string(json_object_object_get(o, "ratio")),
		       json_object_get_string(json_object_object_get(o, "spread")));
	}
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *o = json_object_array_get_idx(rows, i);

		printf("by the kernel, in all runs: %s, %s requests, %s bytes\n",
		       json_object_get_string(json_object_object_get(o, "algorithm")),
		       json_object_get_string(json_object_object_get(o, "requests")),
		       json_object_get_string(json_object_object_get(o, "bytes")));
	}
	printf("%s\n", json_object_get_string(json_object_object_get(report, "verdict")));
}

static bool make_room(struct pairs *p)
{
	bool ok = true;

	for (int m = 0; m < MEASURES; m++) {
		p->ratio[m] = calloc(p->n, sizeof(double));
		p->seconds[m][0] = calloc(p->n, sizeof(double));
		p->seconds[m][1] = calloc(p->n, sizeof(double));
		ok &= p->ratio[m] && p->seconds[m][0] && p->seconds[m][1];
	}
	return ok;
}

static void give_room(struct pairs *p)
{
	for (int m = 0; m < MEASURES; m++) {
		free(p->ratio[m]);
		free(p->seconds[m][0]);
		free(p->seconds[m][1]);
	}
}

static void print_report(struct pairs *p, bool json)
{
	struct json_object *report = json_object_new_object();
	double wall = quantile(p->ratio[WALL], p->n, 50);
	double machine = quantile(p->ratio[MACHINE], p->n, 50);
	uint64_t bytes;

	json_object_object_add(report, "runs", json_object_new_int64(p->n));
	for (int m = 0; m < MEASURES; m++)
		report_measure(report, p, m);
	bytes = report_kernel(report);
	json_object_object_add(report, "verdict",
			       json_object_new_string(verdict(wall, machine, bytes)));
	if (json)
		puts(json_object_to_json_string_ext(
			report, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	else
		print_text(report);
	json_object_put(report);
}

int kc_bench_command(const struct kc_bench *bench, char *const *argv)
{
	struct pairs p = { .n = bench->runs };
	const char *problem = "not enough memory to measure";

	if (make_room(&p))
		problem = run_pairs(&p, argv, bench->file);
	if (!problem)
		print_report(&p, bench->json);
	give_room(&p);
	return problem ? kc_failure(problem) : KC_EXIT_OK;
}
