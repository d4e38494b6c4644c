/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of what went to the kernel, what did not, and why. They live in this process, and where
 * they are to be seen in a file too: the one that KCRYPTO_STATS names, shared by every process that
 * names it, or one of this process alone (core/stats_dir.h). Nothing has to be written at exit, and
 * a killed process has counted. Whatever happens to the file harms no process.
 */
#ifndef KC_CORE_STATS_H
#define KC_CORE_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/backend.h"
#include "core/reason.h"

/*
 * The sum of numbers of KC_COUNT_DIGITS digits of 4 bits, digit by digit: 32-bit machines have no
 * 64-bit atomics, and the kernel adds small numbers only. Good for 286 million additions.
 */
#define KC_COUNT_DIGITS 8

struct kc_count {
	_Atomic uint32_t digit[KC_COUNT_DIGITS]; /* the lowest first */
};

/* What can go wrong with a way into the kernel, as the list of reasons has it. */
#define KC_STATS_ERRORS 4
extern const enum kc_reason kc_stats_errors[KC_STATS_ERRORS];

struct kc_stats_way {
	struct kc_count requests; /* done by the kernel */
	struct kc_count bytes;	  /* in them */
	struct kc_count timed;	  /* requests of which the next one is the time */
	struct kc_count ns;
	struct kc_count error[KC_STATS_ERRORS];
};

/* Why software did a request. */
enum kc_stats_why {
	KC_SOFT_SMALL,	    /* shorter than the threshold */
	KC_SOFT_NO_SESSION, /* there is none, or none yet, or it is no request for the kernel */
	KC_SOFT_REDONE,	    /* the kernel failed it */
	KC_SOFT_COUNT
};

struct kc_stats_soft {
	struct kc_count requests, bytes, timed, ns;
};

struct kc_stats_row {
	struct kc_stats_way way[KC_MAX_BACKENDS]; /* by place in kc_backends */
	struct kc_stats_soft soft[KC_SOFT_COUNT];
};

#define KC_STATS_MAGIC "kcrypto4"

/* The file's layout, in the machine's byte order; the part before @order never changes. */
struct kc_stats {
	char magic[8];
	uint32_t rows;
	uint32_t row_size;
	uint32_t started[2]; /* of one process: when, see core/stats_dir.h; the low half first */
	char name[KC_ALG_COUNT][KC_ALG_NAME_SIZE];
	uint32_t order; /* 1 as the kernel writes it: under qemu-user its byte order is another */
	struct kc_stats_row row[KC_ALG_COUNT];
};

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

/* They leave errno alone. @way: a place in kc_backends; @ns: 0 where no time was taken. */
void kc_stats_done(const struct kc_alg *alg, unsigned way, size_t bytes, uint64_t ns);
void kc_stats_error(const struct kc_alg *alg, unsigned way, enum kc_reason why);

/* @n requests of @bytes together, one of which took @ns. */
void kc_stats_soft(const struct kc_alg *alg, enum kc_stats_why why, unsigned n, size_t bytes,
		   uint64_t ns);

/*
 * A short request by software: no system call but for a few of them, so the last ones may be
 * missing. Those few are to be timed: is the next one of them?
 */
bool kc_stats_short_is_timed(const struct kc_alg *alg);
void kc_stats_short(const struct kc_alg *alg, size_t bytes, uint64_t ns);

/* This process's own. */
const struct kc_stats *kc_stats_get(void);

uint64_t kc_count_read(const struct kc_count *count);

/* How often that happened. */
uint64_t kc_stats_errors_of(const struct kc_stats_way *way, enum kc_reason why);

/* A row's requests to the kernel, over all ways. */
struct kc_stats_sum {
	uint64_t requests, bytes, failed, lied;
};

struct kc_stats_sum kc_stats_sum(const struct kc_stats_row *row);

/* The path in the environment's variable, or NULL; and does it say that all is to be counted? */
const char *kc_stats_named(void);
bool kc_stats_asked_for(void);

/* The file that the environment names, as it is now. False if there is none, or none of ours. */
bool kc_stats_read(struct kc_stats *stats);

/* The same of an open file of @uid's. */
bool kc_stats_read_from(int fd, uid_t uid, struct kc_stats *stats);

/* Makes a copy of the file's bytes readable here. */
void kc_stats_arrange(struct kc_stats *stats);

#endif
