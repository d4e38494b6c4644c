/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table that processes share: a memory file (memfd) that a tool or test makes, and that
 * KCRYPTO_STATS names to the processes that are to count in it. It is sealed, so that nobody can
 * shorten it and nobody's access can raise SIGBUS.
 */
#ifndef KC_STATS_SHARED_H
#define KC_STATS_SHARED_H

#include "stats/table.h"

/* The path in the environment variable, or NULL; and does the variable ask to count everything? */
const char *kc_stats_named(void);
bool kc_stats_asked_for(void);

/* Maps the file of this name. NULL: it is not one of this user's and this version's. */
struct kc_stats *kc_stats_map(const char *path);
void kc_stats_unmap(struct kc_stats *stats);

#define KC_STATS_PATH 48 /* bytes, including the NUL */

/*
 * Makes a file. Returns a descriptor, which keeps the name valid, or -1 with errno.
 */
int kc_stats_make(char path[KC_STATS_PATH]);

/* Copies the table that the environment names, as it is now. False: there is none. */
bool kc_stats_read(struct kc_stats *stats);

#endif
