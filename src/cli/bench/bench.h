/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto bench: the options and the results. */
#ifndef KC_CLI_BENCH_BENCH_H
#define KC_CLI_BENCH_BENCH_H

#include <json-c/json.h>

#include "cli/bench/slice.h"

#define KC_MAX_SIZES 16

enum kc_bench_form { KC_BENCH_TABLE, KC_BENCH_JSON, KC_BENCH_CSV };

struct kc_bench {
	const struct kc_alg *algs[KC_ALG_COUNT];
	size_t n_algs;
	size_t sizes[KC_MAX_SIZES]; /* bytes */
	size_t n_sizes;
	enum kc_dir dir;
	unsigned seconds; /* of the whole run, roughly */
	struct kc_load load;
	enum kc_bench_form form;
	const char *file; /* the openssl.cnf to use; NULL: the one that applications read */
	unsigned runs;	  /* pairs of a command */
};

/* More about a contender; "" if unknown. */
struct kc_bench_line {
	const char *label;
	const char *driver;
	const char *kind; /* "hardware", "software", "unknown" */
};

/* The report without its rows: the machine and the means of measurement. */
struct json_object *kc_bench_report_new(const struct kc_bench *bench);

/* Adds one row: @line at one task. */
void kc_bench_report_add(struct json_object *report, const struct kc_task *task,
			 const struct kc_bench_line *line, const struct kc_result *result);

void kc_bench_report_print(struct json_object *report, const struct kc_bench *bench);

/* Compares a command without and with kcrypto. Returns an exit code. */
int kc_bench_command(const struct kc_bench *bench, char *const *argv);

#endif
