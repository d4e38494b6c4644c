/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the counters of this process or of a file. */
#ifndef KC_STATS_STATS_READ_H
#define KC_STATS_STATS_READ_H

#include <stdbool.h>
#include <sys/types.h>

#include "stats/stats_file.h"

uint64_t kc_count_read(const struct kc_count *count);

/* How often that error happened. */
uint64_t kc_stats_errors_of(const struct kc_stats_backend *backend, enum kc_reason why);

/* A row's requests to the kernel, over all backends. */
struct kc_stats_sum {
	uint64_t requests, bytes, failed, lied;
};

struct kc_stats_sum kc_stats_sum(const struct kc_stats_row *row);

/* The path in the environment variable, or NULL; and does the variable ask to count everything? */
const char *kc_stats_named(void);
bool kc_stats_asked_for(void);

/*
 * Reads the file that the environment names, as it is now. False if it is missing, or not one of
 * ours.
 */
bool kc_stats_read(struct kc_stats *stats);

/* Is this a file of @uid's that no other user can write to? */
bool kc_stats_file_fits(int fd, uid_t uid, off_t *size);

/* Likewise, reads an open file of @uid's. */
bool kc_stats_read_from(int fd, uid_t uid, struct kc_stats *stats);

/* Converts a copy of the file's bytes to this machine's order. */
void kc_stats_arrange(struct kc_stats *stats);

#endif
