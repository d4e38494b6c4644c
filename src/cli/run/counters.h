/* SPDX-License-Identifier: Apache-2.0 */
/* A file of counters for the length of one command of the tool: what the module says of itself. */
#ifndef KC_CLI_RUN_COUNTERS_H
#define KC_CLI_RUN_COUNTERS_H

#include "stats/stats.h"

/*
 * Makes a file that the module counts into, in this process and in the commands that it runs from
 * now on, unless the user has named one already. False where none can be had.
 */
bool kc_counters_begin(void);
void kc_counters_end(void);

/* Of one algorithm, by all these processes so far: how many bytes, and requests, the kernel did. */
uint64_t kc_counters_bytes(const struct kc_alg *alg);
uint64_t kc_counters_requests(const struct kc_alg *alg);

/* All of it, until the next call here; NULL: no module has opened the file. */
const struct kc_stats *kc_counters_all(void);

/* Has a module opened the file? What does not load us never does. */
bool kc_counters_seen(void);

#endif
