/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts requests that went to the kernel, those that did not, and the reasons, if anybody is to
 * see them: in the memory that KCRYPTO_STATS names (stats/table.h), or in memory of this process
 * that "kcrypto stats" reads from outside. Nothing is written to a file and nothing has to be
 * done at exit or after a fork, so that a killed process has counted too. No call here makes a
 * system call, except for those that open and close.
 */
#ifndef KC_STATS_STATS_H
#define KC_STATS_STATS_H

#include <stdbool.h>

#include "core/clock.h"
#include "stats/table.h"

/*
 * Opens the memory that the environment names, if it is safe; otherwise, or on any error, nothing
 * is counted. The matching last close closes it, when nothing counts any more. Callers hold a lock
 * of theirs around these two and the next.
 */
void kc_stats_open(void);
void kc_stats_close(void);

/*
 * The configuration is known. @is_on: count everything, including software's requests and times, in
 * memory of this process's own unless the environment names some. The environment can switch this
 * on, too.
 */
void kc_stats_turn(bool is_on);

/* For the functions below. */
extern atomic_bool kc_stats_all;
extern struct kc_stats *_Atomic kc_stats_table; /* NULL: nothing is counted */

/* Use kc_stats_done(). */
void kc_stats_add_done(const struct kc_alg *alg, unsigned backend, size_t bytes, uint64_t ns);

/* Is everything counted? */
static inline bool kc_stats_is_on(void)
{
	return atomic_load_explicit(&kc_stats_all, memory_order_relaxed);
}

/* When a request begins, in ns; 0: its time does not count. */
static inline uint64_t kc_stats_start(void)
{
	return atomic_load_explicit(&kc_stats_all, memory_order_relaxed) ? kc_now_ns() : 0;
}

/* @backend: an index in kc_backends; @start: as above. */
static inline void kc_stats_done(const struct kc_alg *alg, unsigned backend, size_t bytes,
				 uint64_t start)
{
	if (atomic_load_explicit(&kc_stats_table, memory_order_relaxed))
		kc_stats_add_done(alg, backend, bytes, start ? kc_now_ns() - start : 0);
}

/* Counts an error of the kernel, or of its driver. */
void kc_stats_error(const struct kc_alg *alg, unsigned backend, enum kc_stats_error which);
/* Counts what software did, and why; ns: 0 is not known. */
void kc_stats_soft(const struct kc_alg *alg, enum kc_stats_why why, size_t bytes, uint64_t ns);

/* Is the next short request of software's to be timed? A few of them are. */
bool kc_stats_times_short(const struct kc_alg *alg);

#endif
