/* SPDX-License-Identifier: Apache-2.0 */
/* The file of counters in memory, which only the kernel writes to: see stats.c. */
#ifndef KC_STATS_STATS_MAP_H
#define KC_STATS_STATS_MAP_H

#include <stdbool.h>

#include "stats/stats_file.h"

/*
 * Maps the file of this name if it is empty or one of ours, and makes it if it is missing. NULL:
 * there is none.
 */
struct kc_stats *kc_stats_map_named(const char *path);

/* Maps this process's own file likewise. @cleans: removes the files of dead processes. */
struct kc_stats *kc_stats_map_own(bool cleans);

/* Adds @n, at most 2047, to the counter at @at. Leaves errno alone. */
void kc_stats_map_add(void *at, uint32_t n);

#endif
