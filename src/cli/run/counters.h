/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory for one command of the tool, with the module's own counts. */
#ifndef KC_CLI_RUN_COUNTERS_H
#define KC_CLI_RUN_COUNTERS_H

#include "stats/stats.h"

/*
 * Makes memory for the module to count in, in this process and in the commands that it runs from
 * now on, unless the user has already named some. False if there can be none.
 */
bool kc_counters_begin(void);
void kc_counters_end(void);

/*
 * Returns the bytes of one algorithm that the kernel has done, for all these processes so far; and
 * the requests.
 */
uint64_t kc_counters_bytes(const struct kc_alg *alg);
uint64_t kc_counters_requests(const struct kc_alg *alg);

/* Returns all counters, until the next call here; NULL: no module has opened it. */
const struct kc_stats *kc_counters_all(void);

/* Has a module opened it? A program that does not load us never opens it. */
bool kc_counters_seen(void);

#endif
