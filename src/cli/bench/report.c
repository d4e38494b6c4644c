/* SPDX-License-Identifier: Apache-2.0 */
/* The output of kcrypto bench. The report is built as JSON; the tables come from that. */
#include "cli/bench/bench.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench/board.h"
#include "cli/screen.h"

struct json_object *kc_bench_report_new(const struct kc_bench *bench)
{
	struct json_object *o = kc_bench_machine("");

	kc_json_text(o, "openssl_conf", bench->file);
	kc_json_int(o, "processors", sysconf(_SC_NPROCESSORS_ONLN));
	kc_json_int(o, "processes", bench->load.processes);
	kc_json_int(o, "threads", bench->load.threads);
	kc_json_int(o, "rounds", bench->load.rounds);
	kc_json_array(o, "rows");
	return o;
}

static const char *direction_of(const struct kc_task *task)
{
	if (task->is_record)
		return "both";
	return task->dir == KC_ENCRYPT ? "encrypt" : "decrypt";
}

static void real(struct json_object *o, const char *key, bool is_known, double value)
{
	kc_json_real(o, key, is_known ? value : NAN);
}

void kc_bench_report_add(struct json_object *report, const struct kc_task *task,
			 const struct kc_bench_line *line, const struct kc_result *r)
{
	struct json_object *o = json_object_new_object();
	char name[KC_ALG_NAME_SIZE];

	kc_json_text(o, "algorithm", kc_alg_name(task->alg, name, sizeof(name)));
	kc_json_text(o, "direction", direction_of(task));
	kc_json_text(o, "line", line->label);
	kc_json_text(o, "driver", line->driver);
	kc_json_text(o, "kind", line->kind);
	kc_json_int(o, "size", (int64_t)task->size);
	real(o, "mb_per_s", r->is_known, r->mb_per_s);
	real(o, "spread", r->is_known, r->spread);
	real(o, "machine_s_per_gb", r->is_known, r->machine_s_per_gb);
	real(o, "process_s_per_gb", r->is_known, r->process_s_per_gb);
	real(o, "p99_us", r->p99_us != 0, r->p99_us);
	real(o, "kernel_share", r->is_known, r->kernel_share);
	kc_json_int(o, "requests", (int64_t)r->requests);
	if (line->why)
		kc_json_text(o, "why", line->why);
	json_object_array_add(json_object_object_get(report, "rows"), o);
}

void kc_bench_report_advise(struct json_object *report, const struct kc_task *task,
			    const char *best, const struct kc_advice *advice)
{
	struct json_object *o = json_object_new_object(), *all;
	char name[KC_ALG_NAME_SIZE];

	kc_json_text(o, "algorithm", kc_alg_name(task->alg, name, sizeof(name)));
	kc_json_int(o, "size", (int64_t)task->size);
	kc_json_text(o, "best", best);
	real(o, "cpu", *best, advice->cpu);
	real(o, "speed", *best, advice->speed);
	kc_json_text(o, "text", advice->text);
	kc_json_text(o, "command", advice->command);
	if (!json_object_object_get_ex(report, "advice", &all))
		all = kc_json_array(report, "advice");
	json_object_array_add(all, o);
}

static double number(struct json_object *o, const char *key)
{
	return json_object_get_double(json_object_object_get(o, key));
}

/*
 * Prints one measure of an algorithm, whose rows begin with @start: a line for each contender, and
 * a column for each size.
 */
static void print_block(const struct kc_bench *bench, struct json_object *rows, size_t start,
			size_t lines, const char *key, const char *title)
{
	struct json_object *table = json_object_new_array();
	struct kc_column columns[1 + KC_MAX_SIZES];
	char heads[KC_MAX_SIZES][24], first[24];

	snprintf(first, sizeof(first), "%-13s", title);
	columns[0] = (struct kc_column){ first, "line" };
	for (size_t i = 0; i < lines; i++)
		json_object_array_add(table, json_object_new_object());
	for (size_t s = 0; s < bench->n_sizes; s++) {
		snprintf(heads[s], sizeof(heads[s]), "%7zu", bench->sizes[s]);
		columns[1 + s] = (struct kc_column){ heads[s], heads[s], .is_number = true };
		for (size_t i = 0; i < lines; i++) {
			struct json_object *o =
				json_object_array_get_idx(rows, start + s * lines + i);
			struct json_object *to = json_object_array_get_idx(table, i);

			if (!s)
				kc_json_text(to, "line", kc_json_get(o, "line"));
			kc_json_add(to, heads[s], json_object_get(json_object_object_get(o, key)));
		}
	}
	kc_table_print(stdout, columns, 1 + bench->n_sizes, table);
	json_object_put(table);
}

static void print_title(struct json_object *rows, size_t start, size_t lines)
{
	struct json_object *o = json_object_array_get_idx(rows, start);
	const struct kc_alg *alg;
	const char *name = kc_json_get(o, "algorithm"), *direction = kc_json_get(o, "direction");

	alg = kc_alg_find(name, strlen(name));
	printf("\n%s", name);
	if (strcmp(direction, "both") == 0)
		puts(", records of TLS 1.2, sealed and opened");
	else if (alg && kc_alg_is_hash(alg))
		putchar('\n');
	else
		printf(", %sing\n", direction);
	for (size_t i = start; i < start + lines; i++) {
		o = json_object_array_get_idx(rows, i);
		if (json_object_object_get(o, "driver"))
			printf("  %s: %s (%s)\n", kc_json_get(o, "line"), kc_json_get(o, "driver"),
			       kc_json_get(o, "kind"));
		if (json_object_object_get(o, "why"))
			printf("  %s: %s\n", kc_json_get(o, "line"), kc_json_get(o, "why"));
	}
}

static void print_tables(const struct kc_bench *bench, struct json_object *report)
{
	struct json_object *rows = json_object_object_get(report, "rows");
	size_t n = json_object_array_length(rows), lines = n / bench->n_sizes / bench->n_algs;

	printf("%s, Linux %s, %s\n", kc_json_get(report, "soc"), kc_json_get(report, "kernel"),
	       kc_json_get(report, "openssl"));
	for (size_t i = 0; i < n; i += lines * bench->n_sizes) {
		print_title(rows, i, lines);
		print_block(bench, rows, i, lines, "mb_per_s", "MB/s");
		print_block(bench, rows, i, lines, "machine_s_per_gb", "machine s/GB");
		print_block(bench, rows, i, lines, "process_s_per_gb", "process s/GB");
		if (bench->load.processes * bench->load.threads > 1)
			print_block(bench, rows, i, lines, "p99_us", "p99, us");
	}
}

/* @advice: NULL where there is none. */
static void print_advice(struct json_object *advice)
{
	for (size_t i = 0; advice && i < json_object_array_length(advice); i++) {
		struct json_object *o = json_object_array_get_idx(advice, i);

		printf("\n%s, %s bytes: %s", kc_json_get(o, "algorithm"), kc_json_get(o, "size"),
		       kc_json_get(o, "text"));
		if (json_object_object_get(o, "command"))
			printf(", with %.2f of software's CPU time and %.2f of its throughput:\n"
			       "  %s",
			       number(o, "cpu"), number(o, "speed"), kc_json_get(o, "command"));
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
	if (!bench->json) {
		print_tables(bench, report);
		print_noise(json_object_object_get(report, "rows"));
		print_advice(json_object_object_get(report, "advice"));
	}
	kc_json_finish(stdout, report, bench->json);
}
