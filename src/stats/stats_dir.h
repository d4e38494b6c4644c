/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where each process has its file of counters: /run/kcrypto/UID/PID, or, where there is no such
 * directory to be had, kcrypto/PID below XDG_RUNTIME_DIR. No link is followed on the way, and
 * nothing is used that another user may have put there.
 */
#ifndef KC_STATS_STATS_DIR_H
#define KC_STATS_STATS_DIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kc_stats;

/* "/run"; a test names another place. */
extern const char *kc_stats_run;

/*
 * When a process started, in the kernel's count of time since boot: what tells it from a later one
 * of the same number. @pid 0: this one. 0: there is no such process, or no /proc.
 */
uint64_t kc_stats_started(pid_t pid);

/* The directory for this process's file, made where it is missing. A descriptor or -1. */
int kc_stats_dir_open(void);

/* This process's file in it, made where it is missing. A descriptor or -1. */
int kc_stats_dir_file(int dir);

/* Takes it away; what it says is of another process. */
void kc_stats_dir_drop(int dir);

/* Takes away the files of processes that are no more. */
void kc_stats_dir_clean(int dir);

typedef void kc_stats_seen_fn(void *arg, uid_t uid, pid_t pid, const struct kc_stats *stats);

/*
 * Calls @seen for each live process of this user, of root's for those of all users. Takes away the
 * files of others. The number of files that another version has written.
 */
unsigned kc_stats_dir_walk(kc_stats_seen_fn *seen, void *arg);

#endif
