/* SPDX-License-Identifier: Apache-2.0 */
/* Compares contenders at one algorithm and size, by crews that take turns. */
#ifndef KC_CLI_BENCH_COMPARE_H
#define KC_CLI_BENCH_COMPARE_H

#include "cli/bench/advice.h"
#include "cli/bench/turns.h"
#include "cli/bench/work.h"

struct kc_contender {
	const char *label;
	OSSL_LIB_CTX *lib;
	const char *properties; /* of each fetch; NULL: the context's default */
	bool is_ktls;		/* the kernel does this one's records */
};

#define KC_MAX_CONTENDERS 8

/* The work, the same for each contender. */
struct kc_task {
	const struct kc_alg *alg;
	enum kc_dir dir;
	size_t size;	/* bytes per request */
	bool is_record; /* of TLS, to be sealed and opened */
};

/*
 * Did the kernel do all the work of @task that it can be given? With ciphertext stealing, software
 * does the end of each message, and of a CBC record the padding when it is opened.
 */
bool kc_result_is_kernels(const struct kc_result *result, const struct kc_task *task);

/* 1; 0 if memory is short. @n: 1 to KC_MAX_CONTENDERS; @results has as many. */
int kc_compare(const struct kc_contender *contenders, size_t n, const struct kc_task *task,
	       const struct kc_load *load, struct kc_result *results);

#endif
