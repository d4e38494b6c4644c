/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts requests that went to the kernel, those that did not, and the reasons: in the memory file
 * that KCRYPTO_STATS names (stats/table.h), or in this process's own memory, which "kcrypto stats"
 * reads from outside. Counting needs no work at exit or after a fork, so a killed process has
 * counted, too. Only opening and closing make system calls.
 */
#ifndef KC_STATS_STATS_H
#define KC_STATS_STATS_H

#include <stdbool.h>

#include "core/clock.h"
#include "stats/table.h"

/*
 * open: maps the memory that the environment names, if it is safe; otherwise, or after any error,
 * nothing is counted. close: the matching last call unmaps it, when nothing counts any more. The
 * caller holds a lock around these and kc_stats_turn().
 */
void kc_stats_open(void);
void kc_stats_close(void);

/*
 * Call it when the configuration is known. @is_on: count everything, including software's requests
 * and times, in memory of this process unless the environment names some. The environment can
 * switch this on, too.
 */
void kc_stats_turn(bool is_on);

/* Only for the functions below. */
extern atomic_bool kc_stats_all;
extern struct kc_stats *_Atomic kc_stats_table; /* NULL: nothing is counted */

/* Use kc_stats_done(). */
void kc_stats_add_done(const struct kc_alg *alg, unsigned backend, size_t bytes, uint64_t ns);

/* True if anything is counted. */
static inline bool kc_stats_counts(void)
{
	return atomic_load_explicit(&kc_stats_table, memory_order_relaxed);
}

/* True if everything is counted. */
static inline bool kc_stats_is_on(void)
{
	return atomic_load_explicit(&kc_stats_all, memory_order_relaxed);
}

/* Returns when a request begins, in ns; 0: its time does not count. */
static inline uint64_t kc_stats_start(void)
{
	return atomic_load_explicit(&kc_stats_all, memory_order_relaxed) ? kc_now_ns() : 0;
}

/*
 * Counts a request that the kernel did. @backend: an index in kc_backends; @start: from
 * kc_stats_start().
 */
static inline void kc_stats_done(const struct kc_alg *alg, unsigned backend, size_t bytes,
				 uint64_t start)
{
	if (kc_stats_counts())
		kc_stats_add_done(alg, backend, bytes, start ? kc_now_ns() - start : 0);
}

/* Counts an error of the kernel or its driver. */
void kc_stats_error(const struct kc_alg *alg, unsigned backend, enum kc_stats_error which);
/* Counts a request that software did, and why; @ns: its time, or 0 if that is not known. */
void kc_stats_soft(const struct kc_alg *alg, enum kc_stats_why why, size_t bytes, uint64_t ns);

/* True if software's next short request is to be timed; a few are. */
bool kc_stats_times_short(const struct kc_alg *alg);

#endif
