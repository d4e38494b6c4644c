/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto bench: in one run, the table of request sizes that users of accelerators usually publish,
 * for software, each backend by itself, and kcrypto as it is configured. Has the options; field.c
 * has the contenders, compare.c compares them, and report.c prints.
 */
#include "cli/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench/board.h"
#include "cli/bench/work.h"
#include "cli/conf.h"
#include "cli/cli.h"
#include "cli/run/command.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/tls/tls.h"
#include "core/clock.h"

#define SLICE_MS	40 /* room for several ticks of 10 ms */
#define DEFAULT_SECONDS 60
#define DEFAULT_RUNS	5
#define SEPARATORS	", \t"
#define BUSY		6 /* times as long as planned, on a busy machine */

static const char *algorithms, *sizes, *version;
static uint64_t late_ns; /* no figure is begun later */
static struct kc_bench bench = { .seconds = DEFAULT_SECONDS, .runs = DEFAULT_RUNS, .processes = 1 };

static int add_algorithm(const char *word)
{
	const struct kc_alg *alg = kc_alg_find(word);

	if (!alg || bench.n_algs == KC_ALG_COUNT)
		return kc_usage_error("'%s' is not one of kcrypto's algorithms", word);
	bench.algs[bench.n_algs++] = alg;
	return KC_EXIT_OK;
}

static int take_size(const char *word)
{
	unsigned n;
	int err = kc_option_number(word, KC_WORK_LARGEST, &n);

	if (!err && bench.n_sizes == KC_MAX_SIZES)
		return kc_usage_error("more than %d sizes", KC_MAX_SIZES);
	if (!err)
		bench.sizes[bench.n_sizes++] = n;
	return err;
}

/* Passes each word of a list to @add. Returns an exit code. */
static int read_list(const char *list, int (*add)(const char *word))
{
	char text[4096];
	int err = KC_EXIT_OK;

	snprintf(text, sizeof(text), "%s", list);
	for (char *word = strtok(text, SEPARATORS); word && !err; word = strtok(NULL, SEPARATORS))
		err = add(word);
	return err;
}

static const struct kc_option options[] = {
	{ "algorithms", "LIST", "names, by default AES-128-CBC,AES-256-CBC", .text = &algorithms,
	  .calls = KC_CALL_PLAIN },
	{ "sizes", "LIST", "bytes in a request", .text = &sizes, .calls = KC_CALL_PLAIN },
	{ "seconds", "N", "approximate time for the table, by default 60", .number = &bench.seconds,
	  .max = 86400, .calls = KC_CALL_PLAIN },
	{ "processes", "N", "processes at a time", .number = &bench.processes,
	  .max = KC_MAX_PROCESSES, .calls = KC_CALL_PLAIN },
	{ "decrypt", NULL, "measures decryption", .flag = &bench.decrypts, .calls = KC_CALL_PLAIN },
	{ "tls", NULL, "measures TLS records: software, kcrypto, kTLS, both", .flag = &bench.is_tls,
	  .calls = KC_CALL_PLAIN, .is_instead = true },
	{ "tls-version", "V", "TLS version of the records: 1.2 (default) or 1.3", .text = &version,
	  .calls = KC_CALL_PLAIN },
	{ "runs", "N", "pairs of runs of the command, by default 5", .number = &bench.runs,
	  .max = KC_MAX_RUNS, .calls = KC_CALL_COMMAND },
	{ "json", NULL, "prints JSON", .flag = &bench.json },
	{ "config", "FILE", "reads FILE instead of the openssl.cnf that programs read",
	  .text = &bench.file },
	{ NULL },
};

/* The default lists: the table of the old engines' users, or the longest record. */
static int read_lists(void)
{
	const char *usual = "AES-128-CBC,AES-256-CBC", *lengths = "16,64,256,1024,8192,16384,65536";
	int err;

	if (bench.is_tls) {
		usual = "AES-128-GCM,AES-256-GCM";
		lengths = "16384";
	}
	if (!algorithms)
		algorithms = usual;
	if (!sizes)
		sizes = lengths;
	err = read_list(algorithms, add_algorithm);
	if (!err)
		err = read_list(sizes, take_size);
	if (!err && (!bench.n_algs || !bench.n_sizes))
		return kc_usage_error("a list is empty");
	return err;
}

/* Records are short, and have few ciphers. */
static int check_tls(void)
{
	const char *why = kc_tls_load();

	if (!version)
		version = "1.2";
	bench.is_13 = strcmp(version, "1.3") == 0;
	if (!bench.is_13 && strcmp(version, "1.2") != 0)
		return kc_usage_error("'%s' is not a version of TLS: 1.2 or 1.3", version);
	for (size_t i = 0; i < bench.n_algs; i++)
		if (!kc_tls_has(bench.algs[i], bench.is_13))
			return kc_usage_error("'%s' is not a cipher for TLS %s here",
					      kc_alg_name(bench.algs[i]), version);
	for (size_t i = 0; i < bench.n_sizes; i++)
		if (bench.sizes[i] > KC_TLS_LONGEST)
			return kc_usage_error("'%zu' is longer than a record, 16384 bytes",
					      bench.sizes[i]);
	if (why)
		return kc_failure("%s", why);
	return KC_EXIT_OK;
}

static void plan_time(void)
{
	size_t slices = bench.n_algs * bench.n_sizes * 4;
	uint64_t least_ms, ms = (uint64_t)bench.seconds * 1000, late_ms = ms;

	bench.slice_ms = SLICE_MS;
	if (bench.processes > 1)
		bench.slice_ms *= 5;
	bench.rounds = (unsigned)(bench.seconds * 1000 / (slices * bench.slice_ms));
	if (bench.rounds < KC_BENCH_ROUNDS)
		bench.rounds = KC_BENCH_ROUNDS;
	least_ms = KC_BENCH_ROUNDS * slices * bench.slice_ms * BUSY;
	if (late_ms < least_ms)
		late_ms = least_ms;
	bench.end_ns = kc_now_ns() + ms * 1000000;
	late_ns = kc_now_ns() + late_ms * 1000000;
}

/* @done: number of figures; if it is all of them, there is no progress to show. */
static void show_figure(size_t done)
{
	size_t all = bench.n_algs * bench.n_sizes;

	if (done < all)
		kc_progress("%3zu %%: %s, %zu bytes", done * 100 / all,
			    kc_alg_name(bench.algs[done / bench.n_sizes]),
			    (size_t)bench.sizes[done % bench.n_sizes]);
	else
		kc_progress_end();
}

/* The first figures are always measured. */
static bool is_late(const struct json_object *rows)
{
	return kc_now_ns() >= late_ns && json_object_array_length(rows);
}

/* Measures the rows of an algorithm, and concludes from them. */
static void measure_algorithm(const struct kc_alg *alg, size_t done, struct json_object *report)
{
	struct json_object *rows = json_object_object_get(report, "rows");
	struct json_object *advice = json_object_object_get(report, "advice");
	struct json_object *conclusions = json_object_object_get(report, "conclusions");
	struct kc_field field = { .n = 0 };

	kc_field_fill(&field, &bench, alg, is_late(rows));
	kc_compare_begin(&bench, &field, alg);
	for (size_t s = 0; s < bench.n_sizes; s++) {
		show_figure(done + s);
		bench.left = bench.n_algs * bench.n_sizes - done - s;
		kc_compare(bench.sizes[s], is_late(rows), rows);
		if (advice)
			kc_bench_advise(advice, rows);
	}
	show_figure(SIZE_MAX);
	/* The time that a busy machine gets in addition is not for slow devices. */
	if (kc_compare_end())
		late_ns = bench.end_ns;
	kc_bench_report_add(report, &bench, alg, field.n);
	if (conclusions)
		kc_bench_conclude(conclusions, rows, field.n, bench.n_sizes);
	kc_field_clear(&field);
}

static void measure_all(void)
{
	struct json_object *report = kc_bench_machine("");

	plan_time();
	kc_json(report, "openssl_conf=%s processors=%d processes=%u rounds=%u", bench.file,
		(int)sysconf(_SC_NPROCESSORS_ONLN), bench.processes, bench.rounds);
	kc_json_array(report, "rows");
	kc_json_array(report, bench.is_tls ? "advice" : "conclusions");
	kc_bench_report_begin(report, &bench);
	for (size_t a = 0; a < bench.n_algs; a++)
		measure_algorithm(bench.algs[a], a * bench.n_sizes, report);
	kc_bench_report_end(report, &bench);
}

static int compare_contenders(void)
{
	static struct kc_conf conf;

	if (kc_conf_open(&conf, bench.file))
		return KC_EXIT_FAILED;
	bench.file = conf.file;
	kc_field_begin(conf.module, false);
	measure_all();
	return KC_EXIT_OK;
}

static int run_bench(const struct kc_args *args)
{
	int err = read_lists();

	if (!err && bench.is_tls)
		err = check_tls();
	else if (!err && version)
		err = kc_usage_error("option '--tls-version' needs '--tls'");
	if (!err && !kc_counters_begin())
		err = kc_failure("cannot make a file for the module's counters");
	if (err)
		return err;
	if (args->command)
		return kc_bench_command(&bench, args->command);
	return compare_contenders();
}

const struct kc_command kc_cmd_bench = {
	.name = "bench",
	.about = "compares the speed of software and kernel",
	.options = options,
	.operands = "[-- COMMAND [ARGUMENT...]]",
	.run = run_bench,
};
