/* SPDX-License-Identifier: Apache-2.0 */
/* Within the fault matrix: one process that runs a workload while one system call fails. */
#ifndef KC_TESTS_RUN_H
#define KC_TESTS_RUN_H

#include "core/alg.h"
#include "faults/inject.h"

struct row_count {
	unsigned long long requests, bytes, redone;
};

/* The results of one run, in shared memory. */
struct result {
	struct inject_seen seen;
	struct inject_seen at_fetch; /* calls until the first fetch was done */
	struct inject_seen at_first; /* until the first message was */
	bool offered;		     /* it got our cipher */
	char wrong[96];
	struct row_count count;
};

extern struct result *run_result;
extern unsigned run_runs, run_failures;

/* False where the machine lacks something. */
bool run_begin(const char *config);

/* From now on processes share everything that this one has loaded. */
void run_load_once(void);

/* Plays it by the default provider. False if it can't. */
bool run_choose(enum kc_alg_id id);
extern const char *run_name; /* of this algorithm */

/* One process; @recover: the kernel is to be used again. False: it went wrong, see run_report(). */
bool run_play(const struct inject_plan *plan, bool recover);

void run_wrong(const char *what);
void run_report(const struct inject_plan *plan);

/* A process in which nothing fails. False: it went wrong. */
bool run_undisturbed(struct result *base);

#endif
