/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of kcrypto bench. The report is built as JSON; the table comes from that.
 */
#include "cli/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "cli/bench/board.h"
#include "cli/screen.h"

static void add(struct json_object *o, const char *key, struct json_object *value)
{
	json_object_object_add(o, key, value);
}

static void add_text(struct json_object *o, const char *key, const char *text)
{
	add(o, key, text[0] ? json_object_new_string(text) : NULL);
}

/* Four significant digits. */
static void add_number(struct json_object *o, const char *key, bool is_known, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", value);
	add(o, key, is_known ? json_object_new_double_s(value, text) : NULL);
}

void kc_bench_progress(struct kc_bench *bench)
{
	size_t done = bench->done++, all = bench->n_algs * bench->n_sizes;

	if (isatty(STDERR_FILENO))
		fprintf(stderr, done < all ? "\r%3zu %%" : "\r\033[K", done * 100 / all);
}

struct json_object *kc_bench_report_new(const struct kc_bench *bench)
{
	struct json_object *o = json_object_new_object();
	struct utsname u;

	add_text(o, "version", KC_VERSION);
	kc_bench_board_add(o, "");
	add_text(o, "kernel", uname(&u) == 0 ? u.release : "");
	add_text(o, "machine", uname(&u) == 0 ? u.machine : "");
	add_text(o, "openssl", OpenSSL_version(OPENSSL_VERSION));
	add_text(o, "openssl_conf", bench->file);
	add(o, "processors", json_object_new_int64(sysconf(_SC_NPROCESSORS_ONLN)));
	add(o, "processes", json_object_new_int64(bench->load.processes));
	add(o, "threads", json_object_new_int64(bench->load.threads));
	add(o, "rounds", json_object_new_int64(bench->load.rounds));
	add(o, "rows", json_object_new_array());
	return o;
}

static const char *direction_of(const struct kc_task *task)
{
	if (task->is_record)
		return "both";
	return task->dir == KC_ENCRYPT ? "encrypt" : "decrypt";
}

void kc_bench_report_add(struct json_object *report, const struct kc_task *task,
			 const struct kc_bench_line *line, const struct kc_result *r)
{
	struct json_object *o = json_object_new_object();
	char name[KC_ALG_NAME_SIZE];

	add_text(o, "algorithm", kc_alg_name(task->alg, name, sizeof(name)));
	add_text(o, "direction", direction_of(task));
	add_text(o, "line", line->label);
	add_text(o, "driver", line->driver);
	add_text(o, "kind", line->kind);
	add(o, "size", json_object_new_int64((int64_t)task->size));
	add_number(o, "mb_per_s", r->is_known, r->mb_per_s);
	add_number(o, "spread", r->is_known, r->spread);
	add_number(o, "machine_s_per_gb", r->is_known, r->machine_s_per_gb);
	add_number(o, "process_s_per_gb", r->is_known, r->process_s_per_gb);
	add_number(o, "p99_us", r->p99_us != 0, r->p99_us);
	add_number(o, "kernel_share", r->is_known, r->kernel_share);
	add(o, "requests", json_object_new_int64((int64_t)r->requests));
	if (line->why)
		add_text(o, "why", line->why);
	json_object_array_add(json_object_object_get(report, "rows"), o);
}

void kc_bench_report_advise(struct json_object *report, const struct kc_task *task,
			    const char *best, const struct kc_advice *advice)
{
	struct json_object *o = json_object_new_object(), *all;
	char name[KC_ALG_NAME_SIZE];

	add_text(o, "algorithm", kc_alg_name(task->alg, name, sizeof(name)));
	add(o, "size", json_object_new_int64((int64_t)task->size));
	add_text(o, "best", best);
	add_number(o, "cpu", *best, advice->cpu);
	add_number(o, "speed", *best, advice->speed);
	add_text(o, "text", advice->text);
	add_text(o, "command", advice->command);
	if (!json_object_object_get_ex(report, "advice", &all))
		add(report, "advice", all = json_object_new_array());
	json_object_array_add(all, o);
}

static const char *text(struct json_object *o, const char *key)
{
	struct json_object *value = json_object_object_get(o, key);

	return value ? json_object_get_string(value) : "";
}

static double number(struct json_object *o, const char *key)
{
	return json_object_get_double(json_object_object_get(o, key));
}

static bool same(struct json_object *a, struct json_object *b, const char *key)
{
	return strcmp(text(a, key), text(b, key)) == 0;
}

/* Prints one contender's line: its rows for this algorithm, which are in order of size. */
static void print_line(struct json_object *rows, struct json_object *first, const char *key)
{
	printf("%-14s", text(first, "line"));
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *o = json_object_array_get_idx(rows, i);

		if (!same(o, first, "algorithm") || !same(o, first, "line"))
			continue;
		if (json_object_object_get(o, key))
			printf(" %8.*f", number(o, key) < 100 ? 2 : 0, number(o, key));
		else
			printf(" %8s", "-");
	}
	putchar('\n');
}

/* Prints an algorithm's lines, starting each at its first size. */
static void print_block(const struct kc_bench *bench, struct json_object *rows, size_t start,
			const char *key, const char *title)
{
	struct json_object *first = json_object_array_get_idx(rows, start);

	printf("%-14s", title);
	for (size_t s = 0; s < bench->n_sizes; s++)
		printf(" %8zu", bench->sizes[s]);
	putchar('\n');
	for (size_t i = start; i < json_object_array_length(rows); i++) {
		struct json_object *o = json_object_array_get_idx(rows, i);

		if (same(o, first, "algorithm") && same(o, first, "size"))
			print_line(rows, o, key);
	}
}

static void print_drivers(struct json_object *rows, size_t start)
{
	struct json_object *first = json_object_array_get_idx(rows, start);

	if (strcmp(text(first, "direction"), "both") == 0)
		printf("\n%s, records of TLS 1.2, sealed and opened\n", text(first, "algorithm"));
	else
		printf("\n%s, %sing\n", text(first, "algorithm"), text(first, "direction"));
	for (size_t i = start; i < json_object_array_length(rows); i++) {
		struct json_object *o = json_object_array_get_idx(rows, i);

		if (!same(o, first, "algorithm") || !same(o, first, "size"))
			continue;
		if (text(o, "driver")[0])
			printf("  %s: %s (%s)\n", text(o, "line"), text(o, "driver"),
			       text(o, "kind"));
		if (text(o, "why")[0])
			printf("  %s: %s\n", text(o, "line"), text(o, "why"));
	}
}

static void print_table(const struct kc_bench *bench, struct json_object *report)
{
	struct json_object *rows = json_object_object_get(report, "rows");
	bool many = bench->load.processes * bench->load.threads > 1;
	const char *before = "";

	printf("%s, Linux %s, %s\n", text(report, "soc"), text(report, "kernel"),
	       text(report, "openssl"));
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		const char *name = text(json_object_array_get_idx(rows, i), "algorithm");

		if (strcmp(name, before) == 0)
			continue;
		before = name;
		print_drivers(rows, i);
		print_block(bench, rows, i, "mb_per_s", "MB/s");
		print_block(bench, rows, i, "machine_s_per_gb", "machine s/GB");
		print_block(bench, rows, i, "process_s_per_gb", "process s/GB");
		if (many)
			print_block(bench, rows, i, "p99_us", "p99, us");
	}
}

/* @advice: NULL where there is none. */
static void print_advice(struct json_object *advice)
{
	for (size_t i = 0; advice && i < json_object_array_length(advice); i++) {
		struct json_object *o = json_object_array_get_idx(advice, i);

		printf("\n%s, %s bytes: %s", text(o, "algorithm"), text(o, "size"),
		       text(o, "text"));
		if (text(o, "command")[0])
			printf(", with %.2f of software's CPU time and %.2f of its throughput:\n"
			       "  %s",
			       number(o, "cpu"), number(o, "speed"), text(o, "command"));
		putchar('\n');
	}
}

/* A quarter of the rows must be noisy, so a single disturbed row does not count. */
static void print_noise(struct json_object *rows)
{
	size_t n = json_object_array_length(rows), noisy = 0;

	for (size_t i = 0; i < n; i++)
		noisy += number(json_object_array_get_idx(rows, i), "spread") > KC_BENCH_NOISY;
	if (noisy * 4 <= n)
		return;
	putchar('\n');
	kc_paint(stdout, KC_YELLOW, 0, "This machine was too busy with other work");
	printf(": %zu of %zu results vary by more\nthan a quarter within this run. Do not believe "
	       "them; measure again.\n",
	       noisy, n);
}

void kc_bench_report_print(struct json_object *report, const struct kc_bench *bench)
{
	struct json_object *rows = json_object_object_get(report, "rows");

	if (bench->json) {
		puts(json_object_to_json_string_ext(
			report, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	} else {
		print_table(bench, report);
		print_noise(rows);
		print_advice(json_object_object_get(report, "advice"));
	}
}
