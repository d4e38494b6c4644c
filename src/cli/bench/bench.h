/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto bench: the options and the results. */
#ifndef KC_CLI_BENCH_BENCH_H
#define KC_CLI_BENCH_BENCH_H

#include "cli/bench/advice.h"
#include "cli/bench/compare.h"
#include "cli/table.h"

#define KC_MAX_SIZES 16

struct kc_bench {
	const struct kc_alg *algs[KC_ALG_COUNT];
	size_t n_algs;
	size_t sizes[KC_MAX_SIZES]; /* bytes */
	size_t n_sizes;
	bool decrypts, json;
	bool is_tls;	  /* records of TLS, sealed and opened */
	unsigned seconds; /* of the whole run, roughly */
	struct kc_load load;
	const char *file; /* the openssl.cnf to use; NULL: the one that applications read */
	unsigned runs;	  /* pairs of a command */
};

/* A line of the table; "" if unknown. */
struct kc_bench_line {
	const char *label;
	const char *driver;
	const char *kind; /* "hardware", "software", "unknown" */
	const char *why;  /* it has no figures; NULL: no reason is known */
	int contender;	  /* in the field; -1: it did not enter */
};

/* One more task begins, or the last one has ended: on standard error, and only on a terminal. */
void kc_bench_progress(const struct kc_bench *bench);

/* Adds rows for one algorithm; with --tls also advice. False if memory is short. */
bool kc_bench_contest(const struct kc_bench *bench, const struct kc_alg *alg,
		      struct json_object *report);

/* The report without its rows: the machine and the means of measurement. */
struct json_object *kc_bench_report_new(const struct kc_bench *bench);

/* Adds one row: @line at one task. */
void kc_bench_report_add(struct json_object *report, const struct kc_task *task,
			 const struct kc_bench_line *line, const struct kc_result *result);

/* Adds the conclusion from one task's rows. @best: the line to prefer; "": none. */
void kc_bench_report_advise(struct json_object *report, const struct kc_task *task,
			    const char *best, const struct kc_advice *advice);

/* Prints and releases it. */
void kc_bench_report_print(struct json_object *report, const struct kc_bench *bench);

/* Compares a command without and with kcrypto. Returns an exit code. */
int kc_bench_command(const struct kc_bench *bench, char *const *argv);

#endif
