/* SPDX-License-Identifier: Apache-2.0 */
/* Reads counters: this process's, or those of a file. */
#ifndef KC_STATS_STATS_READ_H
#define KC_STATS_STATS_READ_H

#include <stdbool.h>
#include <sys/types.h>

#include "stats/stats_file.h"

uint64_t kc_count_read(const struct kc_count *count);

/* How often that happened. */
uint64_t kc_stats_errors_of(const struct kc_stats_backend *backend, enum kc_reason why);

/* A row's requests to the kernel, by all backends. */
struct kc_stats_sum {
	uint64_t requests, bytes, failed, lied;
};

struct kc_stats_sum kc_stats_sum(const struct kc_stats_row *row);

/* The path in the environment's variable, or NULL; and does it say that all is to be counted? */
const char *kc_stats_named(void);
bool kc_stats_asked_for(void);

/* The file that the environment names, as it is now. False if there is none, or none of ours. */
bool kc_stats_read(struct kc_stats *stats);

/* A file of @uid's of which nobody else can say what is in it. */
bool kc_stats_file_fits(int fd, uid_t uid, off_t *size);

/* The same of an open file of @uid's. */
bool kc_stats_read_from(int fd, uid_t uid, struct kc_stats *stats);

/* Makes a copy of the file's bytes readable here. */
void kc_stats_arrange(struct kc_stats *stats);

#endif
