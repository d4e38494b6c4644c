/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a user's command with a configuration made for it, and counts what the module does for it.
 * Owns the temporary files and the shared memory.
 */
#ifndef KC_CLI_RUN_COMMAND_H
#define KC_CLI_RUN_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/run/meter.h"
#include "stats/stats.h"

/* with kcrypto; with its counters, too; or with no file made */
enum kc_with { KC_WITHOUT, KC_WITH, KC_WITH_STATS, KC_AS_IT_IS };

struct kc_ended {
	int code;	  /* as in a shell: 128 plus the number of the signal that ended it */
	bool is_filtered; /* it entered a seccomp filter of its own */
	struct kc_meter took;
};

/*
 * Runs @argv and waits for it. OPENSSL_CONF names a file made from @file or, if that is NULL, from
 * the one that the command would read; KC_AS_IT_IS leaves the variable unchanged. @is_quiet:
 * discards the output. Returns NULL, or the reason why the command could not be run.
 */
const char *kc_command_run(char *const *argv, const char *file, enum kc_with with, bool is_quiet,
			   struct kc_ended *ended);

/*
 * The same, with memory of its own in which the module counts; this process can read it from then
 * on.
 */
const char *kc_command_count(char *const *argv, const char *file, enum kc_with with,
			     struct kc_ended *ended);

/*
 * Opens the place for a report beside a command's output: the file at @path, such as /dev/fd/3; if
 * that is NULL, standard error, because standard output is the command's. The command does not
 * inherit it. NULL: it can't be written, which has been reported.
 */
FILE *kc_report_open(const char *path);

/*
 * Makes memory in which the module counts, in this process and in commands that it runs from now
 * on, unless the user has named some already. False: there can be none.
 */
bool kc_counters_begin(void);

/* Returns what the kernel has done of one algorithm for all these processes so far. */
struct kc_stats_sum kc_counters_of(const struct kc_alg *alg);

/* Returns all counters, until the next call; NULL: no module has opened the memory. */
const struct kc_stats *kc_counters_all(void);

#endif
