/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place of each process's file of counters: /run/kcrypto/UID/PID or, if that directory is not
 * available, kcrypto/PID below XDG_RUNTIME_DIR. No link on the path is followed, and nothing is
 * used that another user may have put there.
 */
#ifndef KC_STATS_STATS_DIR_H
#define KC_STATS_STATS_DIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kc_stats;

/* "/run"; a test substitutes another path. */
extern const char *kc_stats_run;

/*
 * Returns the time at which a process started, in the kernel's ticks since boot, which tells it
 * from a later process with the same number. @pid 0: this process. 0: there is no such process, or
 * no /proc.
 */
uint64_t kc_stats_started(pid_t pid);

/*
 * Opens the directory for this process's file, and makes it if it is missing. A descriptor or -1.
 */
int kc_stats_dir_open(void);

/* Opens this process's file in it, and makes it if it is missing. A descriptor or -1. */
int kc_stats_dir_file(int dir);

/* Removes that file, because its counts are another process's. */
void kc_stats_dir_drop(int dir);

/* Removes the files of processes that have ended. */
void kc_stats_dir_clean(int dir);

typedef void kc_stats_seen_fn(void *arg, uid_t uid, pid_t pid, const struct kc_stats *stats);

/*
 * Calls @seen for each live process of this user or, for root, of all users. Removes the files of
 * processes that have ended. Returns the number of files that another version has written.
 */
unsigned kc_stats_dir_walk(kc_stats_seen_fn *seen, void *arg);

#endif
