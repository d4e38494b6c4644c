/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of what really went to the kernel. They live in this process, or, where KCRYPTO_STATS
 * names a file, in that file, shared by every process that names it: nothing has to be written at
 * exit, and a killed process has counted too.
 */
#ifndef KC_CORE_STATS_H
#define KC_CORE_STATS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/backend.h"

/* 64 bits in two halves, as 32-bit machines have no 64-bit atomics; the adder carries. */
struct kc_count {
	_Atomic uint32_t low, high;
};

struct kc_stats_row {
	char name[KC_ALG_NAME_SIZE];
	struct kc_count requests; /* done by the kernel */
	struct kc_count bytes;	  /* in them */
	struct kc_count redone;	  /* failed there and done again by the base */
	struct kc_count
		wrong[KC_MAX_BACKENDS]; /* answered wrong, by way, and put right by the base */
};

#define KC_STATS_MAGIC "kcrypto2"

/* The file's layout, in the machine's byte order. */
struct kc_stats {
	char magic[8];
	uint32_t rows;
	uint32_t row_size;
	struct kc_stats_row row[KC_ALG_COUNT];
};

/*
 * Maps the file that the environment names; without one or on any error counts here. The first of
 * several opens it, the last one closes it, when nobody counts any more.
 */
void kc_stats_open(void);
void kc_stats_close(void);

void kc_stats_done(const struct kc_alg *alg, size_t bytes);
void kc_stats_redone(const struct kc_alg *alg);
void kc_stats_wrong(const struct kc_alg *alg, unsigned way); /* its place in kc_backends */

uint64_t kc_count_read(const struct kc_count *count);
const struct kc_stats *kc_stats_get(void);

/* The file that the environment names, for reading; NULL if there is none, or none of ours. */
const struct kc_stats *kc_stats_peek(void);

#endif
