/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto bench: in one run, the table of request sizes that users of accelerators usually publish,
 * for software, each backend by itself, and kcrypto as it is configured. Owns the options;
 * requests.c and records.c have the contenders, slice.c compares them, and report.c prints.
 */
#include "cli/bench/bench.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/conf.h>

#include "cli/bench/field.h"
#include "cli/conf.h"
#include "cli/cli.h"
#include "cli/run/counters.h"
#include "cli/tls/connection.h"
#include "cli/tls/libssl.h"
#include "policy/policy.h"
#include "policy/config_keys.h"

#define SLICE_MS	40 /* several ticks of 10 ms must fit in */
#define DEFAULT_SECONDS 60
#define MIN_ROUNDS	5
#define DEFAULT_RUNS	5
#define SEPARATORS	", \t"

static int run(struct kc_bench *bench)
{
	struct json_object *report = kc_bench_report_new(bench);
	bool ok = true;

	for (size_t a = 0; ok && a < bench->n_algs; a++)
		ok = bench->is_tls ? kc_bench_records(bench, bench->algs[a], report) :
				     kc_bench_requests(bench, bench->algs[a], report);
	bench->done = bench->n_algs * bench->n_sizes;
	kc_bench_progress(bench);
	if (ok)
		kc_bench_report_print(report, bench);
	json_object_put(report);
	return ok ? KC_EXIT_OK : kc_failure("not enough memory to measure");
}

static int add_algorithm(struct kc_bench *bench, const char *word)
{
	const struct kc_alg *alg = kc_alg_find(word, strlen(word));

	if (!alg || bench->n_algs == KC_ALG_COUNT)
		return kc_usage_error(word, "not one of kcrypto's algorithms");
	bench->algs[bench->n_algs++] = alg;
	return KC_EXIT_OK;
}

static int add_size(struct kc_bench *bench, const char *word)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (*end || !n || n > KC_WORK_LARGEST || bench->n_sizes == KC_MAX_SIZES)
		return kc_usage_error(word, "not a size in bytes, or one too many");
	bench->sizes[bench->n_sizes++] = n;
	return KC_EXIT_OK;
}

/* Passes each word of a list to @add. */
static int read_list(struct kc_bench *bench, char *list,
		     int (*add)(struct kc_bench *bench, const char *word))
{
	int err = KC_EXIT_OK;

	for (char *word = strtok(list, SEPARATORS); word && !err; word = strtok(NULL, SEPARATORS))
		err = add(bench, word);
	return err;
}

static int read_number(unsigned *n, const char *word, unsigned max)
{
	char *end;
	unsigned long value = strtoul(word, &end, 10);

	if (*end || !value || value > max)
		return kc_usage_error(word, "not a number, or out of range");
	*n = (unsigned)value;
	return KC_EXIT_OK;
}

static int read_option(struct kc_bench *bench, int c)
{
	switch (c) {
	case 'a':
		return read_list(bench, optarg, add_algorithm);
	case 's':
		return read_list(bench, optarg, add_size);
	case 'n':
		return read_number(&bench->seconds, optarg, 86400);
	case 't':
		return read_number(&bench->load.threads, optarg, 256);
	case 'p':
		return read_number(&bench->load.processes, optarg, 256);
	case 'r':
		return read_number(&bench->runs, optarg, 1000);
	case 'c':
		bench->file = optarg;
		return KC_EXIT_OK;
	case 'l':
		bench->is_tls = true;
		return KC_EXIT_OK;
	case 'd':
		bench->dir = KC_DECRYPT;
		return KC_EXIT_OK;
	case 'j':
		bench->form = KC_BENCH_JSON;
		return KC_EXIT_OK;
	case 'v':
		bench->form = KC_BENCH_CSV;
		return KC_EXIT_OK;
	default:
		return -1;
	}
}

/* Records go both ways, are short, and have few ciphers. */
static int check_tls(const struct kc_bench *bench, bool has_command)
{
	char name[KC_ALG_NAME_SIZE];
	const char *why;

	if (has_command || bench->dir == KC_DECRYPT)
		return kc_usage_error("--tls", "not for a command, nor for one direction");
	for (size_t i = 0; i < bench->n_algs; i++)
		if (!kc_tls_has(bench->algs[i]))
			return kc_usage_error(kc_alg_name(bench->algs[i], name, sizeof(name)),
					      "not a cipher for TLS 1.2 here");
	for (size_t i = 0; i < bench->n_sizes; i++)
		if (bench->sizes[i] > KC_TLS_LONGEST)
			return kc_usage_error("--sizes", "longer than a record, 16384 bytes");
	return kc_libssl(&why) ? KC_EXIT_OK : kc_failure(why);
}

static int read_options(struct kc_bench *bench, int argc, char **argv)
{
	static const struct option table[] = {
		{ "algorithms", required_argument, NULL, 'a' },
		{ "sizes", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 'n' },
		{ "threads", required_argument, NULL, 't' },
		{ "processes", required_argument, NULL, 'p' },
		{ "runs", required_argument, NULL, 'r' },
		{ "config", required_argument, NULL, 'c' },
		{ "tls", no_argument, NULL, 'l' },
		{ "decrypt", no_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "csv", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c, err = KC_EXIT_OK;

	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, "+", table, NULL)) != -1)
		err = read_option(bench, c);
	if (err < 0)
		return kc_usage_error(argv[optind - 1], "unknown, or lacks its value");
	/* A command comes after two dashes: any other word is a mistake. */
	if (!err && optind < argc && strcmp(argv[optind - 1], "--") != 0)
		return kc_usage_error(argv[optind], "too much");
	return err || !bench->is_tls ? err : check_tls(bench, optind < argc);
}

/* The defaults: the table of the old engines' users, or the longest record. */
static void fill_in(struct kc_bench *bench)
{
	static const size_t sizes[] = { 16, 64, 256, 1024, 8192, 16384, 65536 };
	static const enum kc_alg_id algs[][2] = { { KC_ALG_AES_128_CBC, KC_ALG_AES_256_CBC },
						  { KC_ALG_AES_128_GCM, KC_ALG_AES_256_GCM } };
	size_t slices;

	if (!bench->n_algs) {
		bench->algs[bench->n_algs++] = &kc_algs[algs[bench->is_tls][0]];
		bench->algs[bench->n_algs++] = &kc_algs[algs[bench->is_tls][1]];
	}
	if (!bench->n_sizes && bench->is_tls) {
		bench->sizes[bench->n_sizes++] = KC_TLS_LONGEST;
	} else if (!bench->n_sizes) {
		memcpy(bench->sizes, sizes, sizeof(sizes));
		bench->n_sizes = sizeof(sizes) / sizeof(sizes[0]);
	}
	bench->load.slice_ms = SLICE_MS * (bench->load.processes * bench->load.threads > 1 ? 5 : 1);
	slices = bench->n_algs * bench->n_sizes * 4 * bench->load.slice_ms;
	bench->load.rounds = (unsigned)(bench->seconds * 1000 / slices);
	if (bench->load.rounds < MIN_ROUNDS)
		bench->load.rounds = MIN_ROUNDS;
}

int kc_cmd_bench(int argc, char **argv)
{
	static struct kc_bench bench = { .seconds = DEFAULT_SECONDS,
					 .runs = DEFAULT_RUNS,
					 .dir = KC_ENCRYPT,
					 .load = { .processes = 1, .threads = 1 } };
	static struct kc_conf conf;
	static struct kc_config config;
	char *found = CONF_get1_default_config_file();
	int err = read_options(&bench, argc, argv);
	bool is_given;

	if (!err && !kc_counters_begin())
		err = kc_failure("cannot make a file for the module's counters");
	if (!err && optind < argc) {
		err = kc_bench_command(&bench, argv + optind);
	} else if (!err) {
		is_given = bench.file != NULL;
		bench.file = is_given ? bench.file : found;
		kc_config_init(&config);
		kc_conf_read(&conf, bench.file, &config);
		kc_field_set_module(conf.module);
		fill_in(&bench);
		err = is_given && conf.error[0] ? kc_failure(conf.error) : run(&bench);
	}
	kc_counters_end();
	OPENSSL_free(found);
	return err;
}
