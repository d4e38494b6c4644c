/* SPDX-License-Identifier: Apache-2.0 */
/* The provider's counters, seen from outside: KCRYPTO_STATS set to memory of our own. */
#ifndef KC_TESTS_STATS_FILE_H
#define KC_TESTS_STATS_FILE_H

#include "stats/stats.h"

/* Before the provider is loaded. Exits where it can't. */
void stats_file_make(void);
/* As it is now, and perhaps as it becomes. */
const struct kc_stats *stats_file_read(void);

/* Requests that the kernel has done so far, and has failed, of all processes of this test. */
unsigned long long requests(size_t row);
unsigned long long redone(size_t row);

#endif
