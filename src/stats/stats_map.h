/* SPDX-License-Identifier: Apache-2.0 */
/* The file of counters in memory, to which only the kernel writes: see stats.c. */
#ifndef KC_STATS_STATS_MAP_H
#define KC_STATS_STATS_MAP_H

#include "stats/stats_file.h"

/*
 * The file of this name, if it is one of ours or an empty one; made where it is missing. @like:
 * what its head says. NULL: none.
 */
struct kc_stats *kc_stats_map_named(const char *path, const struct kc_stats *like);

/*
 * This process's own, the same; notes in @like when it started. @cleans: removes those of dead
 * ones.
 */
struct kc_stats *kc_stats_map_own(struct kc_stats *like, bool cleans);

/* Adds @n, at most 2047, to what is at @at in it, if it is there. Leaves errno alone. */
void kc_stats_map_add(void *at, uint32_t n);

#endif
