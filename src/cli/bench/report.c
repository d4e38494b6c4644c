/* SPDX-License-Identifier: Apache-2.0 */
/* The output of kcrypto bench. The report is built as JSON; the tables are made from that. */
#include "cli/bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "cli/screen.h"
#include "cli/table.h"

/*
 * Prints one measure of an algorithm, whose rows begin with @start: a line for each contender, a
 * column for each size.
 */
static void print_block(const struct kc_bench *bench, struct json_object *rows, size_t start,
			size_t lines, const char *key, const char *title)
{
	printf("%-13s", title);
	for (size_t s = 0; s < bench->n_sizes; s++)
		printf(" %8zu", bench->sizes[s]);
	for (size_t i = start; i < start + lines; i++) {
		printf("\n%-13s", kc_json_get(json_object_array_get_idx(rows, i), "line"));
		for (size_t s = 0; s < bench->n_sizes; s++)
			printf(" %8s",
			       kc_json_get(json_object_array_get_idx(rows, i + s * lines), key));
	}
	putchar('\n');
}

/* Says what the tables are short of because requests take long. */
static void print_gaps(struct json_object *rows, size_t start)
{
	size_t n = json_object_array_length(rows), late = 0, few = 0;

	for (size_t i = start; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(rows, i);
		double turns = kc_bench_number(o, "turns");

		late += strcmp(kc_json_get(o, "why"), KC_BENCH_LATE) == 0;
		few += turns > 0 && turns < KC_LEAST_PAIRS;
	}
	if (few)
		printf("Figures from fewer than %d turns: %zu of %zu; --seconds gives more.\n",
		       KC_LEAST_PAIRS, few, n - start);
	if (late)
		printf("Figures left out: %zu of %zu, as %s.\n", late, n - start, KC_BENCH_LATE);
}

static const char *work_of(const struct kc_bench *bench, const struct kc_alg *alg)
{
	if (bench->is_tls && bench->is_13)
		return ", records of TLS 1.3, sealed and opened";
	if (bench->is_tls)
		return ", records of TLS 1.2, sealed and opened";
	if (kc_alg_is_hash(alg))
		return "";
	if (bench->decrypts)
		return ", decrypting";
	return ", encrypting";
}

static void print_title(const char *work, struct json_object *rows, size_t start, size_t lines)
{
	struct json_object *o = json_object_array_get_idx(rows, start);

	printf("\n%s%s\n", kc_json_get(o, "algorithm"), work);
	for (size_t i = start; i < start + lines; i++) {
		o = json_object_array_get_idx(rows, i);
		if (json_object_object_get(o, "driver"))
			printf("  %s: %s (%s)\n", kc_json_get(o, "line"), kc_json_get(o, "driver"),
			       kc_json_get(o, "kind"));
		if (json_object_object_get(o, "evidence"))
			printf("    interrupts: %s\n", kc_json_get(o, "evidence"));
		if (json_object_object_get(o, "note"))
			printf("  %s: %s\n", kc_json_get(o, "line"), kc_json_get(o, "note"));
		if (json_object_object_get(o, "why"))
			printf("  %s: %s\n", kc_json_get(o, "line"), kc_json_get(o, "why"));
	}
}

void kc_bench_report_begin(struct json_object *report, const struct kc_bench *bench)
{
	if (bench->json)
		return;
	printf("%s, Linux %s, %s\n", kc_json_get(report, "soc"), kc_json_get(report, "kernel"),
	       kc_json_get(report, "openssl"));
	puts("s/GB: CPU time for 10^9 bytes, of the machine with its interrupts, of the process.");
	fflush(stdout);
}

void kc_bench_report_add(struct json_object *report, const struct kc_bench *bench,
			 const struct kc_alg *alg, size_t lines)
{
	struct json_object *rows = json_object_object_get(report, "rows");
	size_t start = json_object_array_length(rows) - lines * bench->n_sizes;

	if (bench->json)
		return;
	print_title(work_of(bench, alg), rows, start, lines);
	print_block(bench, rows, start, lines, "mb_per_s", "MB/s");
	print_block(bench, rows, start, lines, "machine_s_per_gb", "machine s/GB");
	print_block(bench, rows, start, lines, "process_s_per_gb", "process s/GB");
	print_gaps(rows, start);
	fflush(stdout);
}

/* @advice: may be NULL. */
static void print_advice(struct json_object *advice)
{
	for (size_t i = 0; advice && i < json_object_array_length(advice); i++) {
		struct json_object *o = json_object_array_get_idx(advice, i);

		printf("\n%s, %s bytes: %s", kc_json_get(o, "algorithm"), kc_json_get(o, "size"),
		       kc_json_get(o, "text"));
		if (json_object_object_get(o, "command"))
			printf(", with %.2f of software's CPU time and %.2f of its throughput:\n"
			       "  %s",
			       kc_bench_number(o, "cpu"), kc_bench_number(o, "speed"),
			       kc_json_get(o, "command"));
		putchar('\n');
	}
}

/*
 * Reports noise only if a quarter of the rows is noisy, so that one disturbed row does not count.
 */
static void print_noise(struct json_object *rows)
{
	size_t n = json_object_array_length(rows), noisy = 0;

	for (size_t i = 0; i < n; i++)
		noisy += kc_bench_number(json_object_array_get_idx(rows, i), "spread") >
			 KC_BENCH_NOISY;
	if (noisy * 4 <= n)
		return;
	putchar('\n');
	kc_paint(stdout, KC_YELLOW, 0, "This machine was too busy with other work");
	printf(": %zu of %zu results vary by more\nthan a quarter within this run. Do not believe "
	       "them; measure again.\n",
	       noisy, n);
}

/* @conclusions: may be NULL. */
static void print_conclusions(struct json_object *conclusions)
{
	if (conclusions)
		putchar('\n');
	for (size_t i = 0; conclusions && i < json_object_array_length(conclusions); i++) {
		struct json_object *o = json_object_array_get_idx(conclusions, i);

		kc_say(stdout, KC_BOLD,
		       json_object_get_string(json_object_object_get(o, "algorithm")),
		       json_object_get_string(json_object_object_get(o, "text")));
	}
}

void kc_bench_report_end(struct json_object *report, const struct kc_bench *bench)
{
	if (!bench->json) {
		print_noise(json_object_object_get(report, "rows"));
		print_conclusions(json_object_object_get(report, "conclusions"));
		print_advice(json_object_object_get(report, "advice"));
	}
	kc_json_finish(stdout, report, bench->json);
}
