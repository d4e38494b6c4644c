/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of what really went to the kernel. They live in this process, and where KCRYPTO_STATS
 * names a file, in that file too, shared by every process that names it: nothing has to be written
 * at exit, and a killed process has counted. Whatever happens to the file harms no process.
 */
#ifndef KC_CORE_STATS_H
#define KC_CORE_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/backend.h"

/*
 * The sum of numbers of KC_COUNT_DIGITS digits of 4 bits, digit by digit: 32-bit machines have no
 * 64-bit atomics, and the kernel adds small numbers only. Good for 286 million additions.
 */
#define KC_COUNT_DIGITS 5

struct kc_count {
	_Atomic uint32_t digit[KC_COUNT_DIGITS]; /* the lowest first */
};

struct kc_stats_row {
	struct kc_count requests; /* done by the kernel */
	struct kc_count bytes;	  /* in them */
	struct kc_count redone;	  /* failed there and done again by the base */
	struct kc_count
		wrong[KC_MAX_BACKENDS]; /* answered wrong, by way, and put right by the base */
};

#define KC_STATS_MAGIC "kcrypto3"

/* The file's layout, in the machine's byte order; the part before @order never changes. */
struct kc_stats {
	char magic[8];
	uint32_t rows;
	uint32_t row_size;
	char name[KC_ALG_COUNT][KC_ALG_NAME_SIZE];
	uint32_t order; /* 1 as the kernel writes it: under qemu-user its byte order is another */
	struct kc_stats_row row[KC_ALG_COUNT];
};

/*
 * Opens the file that the environment names, if it is one of ours that only its owner writes to,
 * or an empty one; without one, or on any error, only this process counts. The first of several
 * opens it, the last one closes it, when nobody counts any more. The callers keep these two apart by a
 * lock of theirs: one here would stay held in a child that is forked meanwhile.
 */
void kc_stats_open(void);
void kc_stats_close(void);

/* They leave errno alone. */
void kc_stats_done(const struct kc_alg *alg, size_t bytes);
void kc_stats_redone(const struct kc_alg *alg);
void kc_stats_wrong(const struct kc_alg *alg, unsigned way); /* its place in kc_backends */

/* This process's own. */
const struct kc_stats *kc_stats_get(void);

uint64_t kc_count_read(const struct kc_count *count);

/* The file that the environment names, as it is now. False if there is none, or none of ours. */
bool kc_stats_read(struct kc_stats *stats);

/* Makes a copy of the file's bytes readable here. */
void kc_stats_arrange(struct kc_stats *stats);

#endif
