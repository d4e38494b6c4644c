/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command of the user's with a configuration made for it, and counts what the module does
 * for it. Owns the temporary files and the shared memory.
 */
#ifndef KC_CLI_RUN_COMMAND_H
#define KC_CLI_RUN_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/run/meter.h"
#include "stats/stats.h"

/* with kcrypto, and with its counters; or no file is made */
enum kc_with { KC_WITHOUT, KC_WITH, KC_WITH_STATS, KC_AS_IT_IS };

struct kc_ended {
	int code;	  /* as in a shell: 128 plus the number of the signal that ended it */
	bool is_filtered; /* it entered a seccomp filter of its own */
	struct kc_meter took;
};

/*
 * Runs @argv and waits for it. OPENSSL_CONF names a file made from @file or, if that is NULL, from
 * the one that the command would read; KC_AS_IT_IS leaves the variable alone. @is_quiet: discards
 * its output. Returns NULL, or the reason why the command could not be run.
 */
const char *kc_command_run(char *const *argv, const char *file, enum kc_with with, bool is_quiet,
			   struct kc_ended *ended);

/*
 * The same with memory of its own for the module to count in, which this process can read from then
 * on.
 */
const char *kc_command_count(char *const *argv, const char *file, enum kc_with with,
			     struct kc_ended *ended);

/*
 * Where a report goes beside a command: to the file at @path, such as /dev/fd/3, or, if that is
 * NULL, to standard error, since standard output is the command's. The command does not inherit it.
 * NULL: it cannot be written, which has been reported.
 */
FILE *kc_report_open(const char *path);

/*
 * Makes memory for the module to count in, in this process and in the commands that it runs from
 * now on, unless the user has already named some. False if there can be none.
 */
bool kc_counters_begin(void);

/* Returns what the kernel has done of one algorithm, for all these processes so far. */
struct kc_stats_sum kc_counters_of(const struct kc_alg *alg);

/* Returns all counters, until the next call here; NULL: no module has opened it. */
const struct kc_stats *kc_counters_all(void);

#endif
