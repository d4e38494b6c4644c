/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider's counters, read as another process would: KCRYPTO_STATS names memory that the test
 * created.
 */
#ifndef KC_TESTS_STATS_FILE_H
#define KC_TESTS_STATS_FILE_H

#include "stats/stats.h"

/* Creates the memory, before the provider is loaded. Exits on failure. */
void stats_file_make(void);
/* The counters. They may change while they are read. */
const struct kc_stats *stats_file_read(void);

/*
 * The requests that the kernel has done so far, and those that it has failed, of all processes of
 * this test.
 */
unsigned long long requests(size_t row);
unsigned long long redone(size_t row);

#endif
