/* SPDX-License-Identifier: Apache-2.0 */
/* For the fault matrix: one process that runs a workload while one system call fails. */
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
	struct inject_seen at_fetch; /* calls until the first fetch returned */
	struct inject_seen at_first; /* calls until the first message was done */
	bool offered;		     /* the process got kcrypto's cipher */
	char wrong[96];
	struct row_count count;
};

extern struct result *run_result;
extern unsigned run_runs, run_failures;

/* Returns false if the machine lacks something. */
bool run_begin(const char *config);

/* From now on, processes inherit all that this process has loaded. */
void run_load_once(void);

/* Runs the workload with the default provider, for comparison. Returns false if it fails. */
bool run_choose(enum kc_alg_id id);
extern const char *run_name; /* of this algorithm */

/*
 * Runs one process. @recover: the kernel has to be used again. Returns false on a failure; see
 * run_report().
 */
bool run_play(const struct inject_plan *plan, bool recover);

void run_wrong(const char *what);
void run_report(const struct inject_plan *plan);

/* Runs a process in which nothing fails. Returns false on a failure. */
bool run_undisturbed(struct result *base);

#endif
