/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of what went to the kernel, what did not, and why. They live in this process, and where
 * they are to be seen in a file too: the one that KCRYPTO_STATS names, shared by every process that
 * names it, or one of this process alone (stats/stats_dir.h). Nothing has to be written at exit,
 * and a killed process has counted. Whatever happens to the file harms no process.
 */
#ifndef KC_STATS_STATS_H
#define KC_STATS_STATS_H

#include <stdbool.h>

#include "stats/stats_file.h"

/*
 * Opens the file that the environment names, if it is one of ours that only its owner writes to,
 * or an empty one; without one, or on any error, only this process counts. The first of several
 * opens it, the last one closes it, when nobody counts any more. The callers keep these, and the
 * next, apart by a lock of theirs: one here would stay held in a child that is forked meanwhile.
 */
void kc_stats_open(void);
void kc_stats_close(void);

/*
 * The configuration is known: @is_on says whether all is to be counted, software's requests and the
 * time as well, in a file of each process's own where the environment names none. It may say so,
 * too. True: so it is.
 */
bool kc_stats_turn(bool is_on);

/* Is all counted? */
bool kc_stats_is_on(void);

/* They leave errno alone. @backend: an index in kc_backends; @ns: 0 where no time was taken. */
void kc_stats_done(const struct kc_alg *alg, unsigned backend, size_t bytes, uint64_t ns);
void kc_stats_error(const struct kc_alg *alg, unsigned backend, enum kc_reason why);

/* @n requests of @bytes together, one of which took @ns. */
void kc_stats_soft(const struct kc_alg *alg, enum kc_stats_why why, unsigned n, size_t bytes,
		   uint64_t ns);

/*
 * A short request by software: no system call but for a few of them, so the last ones may be
 * missing. Those few are to be timed: is the next one of them?
 */
bool kc_stats_short_is_timed(const struct kc_alg *alg);
void kc_stats_short(const struct kc_alg *alg, size_t bytes, uint64_t ns);

/* The same for one that is not timed, before it is done. False: it was not counted. */
bool kc_stats_short_waits(const struct kc_alg *alg, size_t bytes);

/* This process's own. */
const struct kc_stats *kc_stats_get(void);

#endif
