/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto stats: counters as JSON and as a table, and those of running programs. */
#ifndef KC_CLI_STATS_STATS_H
#define KC_CLI_STATS_STATS_H

#include <stdio.h>
#include <sys/types.h>

#include "stats/table.h"

struct json_object;

/* Returns one object per algorithm with a request or an error; see kcrypto(1). NULL: none. */
struct json_object *kc_count_rows(const struct kc_stats *stats);

/* Prints such rows or, with @has_processes, objects that have them, with a line for one without. */
void kc_count_print(FILE *out, struct json_object *rows, bool has_processes);

struct kc_running {
	pid_t pid;
	uid_t uid;	       /* the effective one */
	char program[32];      /* its name as the kernel has it, made printable */
	struct kc_stats stats; /* of all modules of ours in it */
};

/* Programs that are not shown. */
struct kc_not_shown {
	unsigned others;  /* of other users; some may not use kcrypto at all */
	unsigned refused; /* that use kcrypto, but whose memory may not be read */
	unsigned foreign; /* that count with another version */
};

/* How the names of our modules begin; a test substitutes its own. */
extern const char *kc_running_module;

typedef void kc_running_fn(void *arg, const struct kc_running *running);

/* Calls @seen for each process that counts its requests and may be read. */
void kc_running_walk(kc_running_fn *seen, void *arg, struct kc_not_shown *not_shown);

#endif
