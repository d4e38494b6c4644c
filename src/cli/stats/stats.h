/* SPDX-License-Identifier: Apache-2.0 */
/* For kcrypto stats alone: the counters of running programs. */
#ifndef KC_CLI_STATS_STATS_H
#define KC_CLI_STATS_STATS_H

#include <sys/types.h>

#include "stats/table.h"

struct kc_running {
	pid_t pid;
	uid_t uid;	       /* the effective one */
	char program[32];      /* its name as the kernel has it, made printable */
	struct kc_stats stats; /* of all kcrypto modules in it */
};

/* Programs that are not shown. */
struct kc_not_shown {
	unsigned others;  /* of other users; some may not use kcrypto at all */
	unsigned refused; /* use kcrypto, but their memory may not be read */
	unsigned foreign; /* count with another version */
};

/* The beginning of our modules' names; a test substitutes its own. */
extern const char *kc_running_module;

typedef void kc_running_fn(void *arg, const struct kc_running *running);

/* Calls @seen for each process that counts its requests and may be read. */
void kc_running_walk(kc_running_fn *seen, void *arg, struct kc_not_shown *not_shown);

#endif
