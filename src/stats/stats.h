/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of requests that went to the kernel, of those that did not, and of the reasons, if
 * anybody is to see them. They live in a file: the one that KCRYPTO_STATS names, shared by every
 * process that names it, or this process's own (stats/stats_dir.h). Nothing has to be written at
 * exit, so a killed process has counted too. Nothing that happens to the file harms a process.
 */
#ifndef KC_STATS_STATS_H
#define KC_STATS_STATS_H

#include <stdbool.h>

#include "stats/stats_file.h"

/*
 * Opens the file that the environment names, if it is empty or one of ours that only its owner may
 * write to; otherwise, or on any error, nothing is counted. The first call opens the file,
 * and the matching last close closes it, when nothing counts any more. Callers hold a lock of
 * theirs around these two and the next: a lock in here would stay held in a child forked meanwhile.
 */
void kc_stats_open(void);
void kc_stats_close(void);

/*
 * The configuration is known. @is_on: count everything, including software's requests and times, in
 * a file of this process's own unless the environment names one. The environment can switch this
 * on, too. Returns whether it is on.
 */
bool kc_stats_turn(bool is_on);

/* Is everything counted? */
bool kc_stats_is_on(void);

/* These leave errno alone. @backend: an index in kc_backends; @ns: 0 if no time was taken. */
void kc_stats_done(const struct kc_alg *alg, unsigned backend, size_t bytes, uint64_t ns);
void kc_stats_error(const struct kc_alg *alg, unsigned backend, enum kc_reason why);

/* Counts @n requests of @bytes together, one of which took @ns. */
void kc_stats_soft(const struct kc_alg *alg, enum kc_stats_why why, unsigned n, size_t bytes,
		   uint64_t ns);

/*
 * For a short request done by software. Only a few of these calls make a system call, so the last
 * requests may be missing. Those few requests are timed: is the next one to be timed?
 */
bool kc_stats_short_is_timed(const struct kc_alg *alg);
void kc_stats_short(const struct kc_alg *alg, size_t bytes, uint64_t ns);

/* The same for one that is not timed, before it is done. False: it was not counted. */
bool kc_stats_short_waits(const struct kc_alg *alg, size_t bytes);

#endif
