/* SPDX-License-Identifier: Apache-2.0 */
/* The table of counters in memory, and how to read it. */
#ifndef KC_STATS_TABLE_H
#define KC_STATS_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/backend.h"
#include "core/reason.h"

/* 64 bits in two halves, because 32-bit machines have no 64-bit atomics. */
struct kc_count {
	_Atomic uint32_t low, high;
};

/* The errors of a backend that are counted; kc_stats_reasons has their reasons. */
enum kc_stats_error {
	KC_STATS_OPEN_FAILED,
	KC_STATS_REQUEST_FAILED,
	KC_STATS_WRONG_ANSWER,
	KC_STATS_LIED,
	KC_STATS_ERRORS
};

extern const enum kc_reason kc_stats_reasons[KC_STATS_ERRORS];

/* Requests that were done. */
struct kc_stats_work {
	struct kc_count requests, bytes; /* bytes of these requests */
	struct kc_count timed;		 /* requests whose total time is the next field */
	struct kc_count ns;
};

struct kc_stats_backend {
	struct kc_stats_work work; /* done by the kernel */
	struct kc_count error[KC_STATS_ERRORS];
};

/* Why software did a request. */
enum kc_stats_why {
	KC_SOFT_SMALL,	    /* shorter than the threshold */
	KC_SOFT_NO_SESSION, /* no session, none yet, or a request that the kernel can't do */
	KC_SOFT_REDONE,	    /* the kernel failed it */
	KC_SOFT_COUNT
};

struct kc_stats_row {
	struct kc_stats_backend backend[KC_MAX_BACKENDS]; /* by index in kc_backends */
	struct kc_stats_work soft[KC_SOFT_COUNT];
};

/*
 * Describes the layout, so that no program reads another version's table. tests/counters.py reads
 * it, too.
 */
struct kc_stats_head {
	_Atomic uint32_t magic; /* KC_STATS_MAGIC; 0: nothing has been counted */
	uint32_t rows;
	uint32_t row_size;
	char name[KC_ALG_COUNT][KC_ALG_NAME_SIZE];
};

#define KC_STATS_MAGIC 0x6b637235

struct kc_stats {
	struct kc_stats_head head;
	struct kc_stats_row row[KC_ALG_COUNT];
};

/*
 * A mark in the module's writable data, for readers of the process's memory. The table depends on
 * the version; this mark does not.
 */
struct kc_stats_here {
	char word[16];	  /* KC_STATS_HERE, without a NUL */
	uint64_t address; /* of the table; 0: none */
};

#define KC_STATS_HERE "kcrypto counters"

/* Writes the head of a new table; of several threads, one does. */
void kc_stats_begin(struct kc_stats *stats);

/* True for a table of this version. */
bool kc_stats_fits(const struct kc_stats *stats);

/* Adds to a counter that other processes may read meanwhile. */
void kc_count_add(struct kc_count *count, uint64_t n);
/* Reads a counter that other processes may write meanwhile. */
uint64_t kc_count_read(const struct kc_count *count);

/* Adds all counts of @from to @to. */
void kc_stats_add(struct kc_stats *to, const struct kc_stats *from);

/* Returns how often that error happened. */
uint64_t kc_stats_errors_of(const struct kc_stats_backend *backend, enum kc_stats_error which);

/* A row's requests to the kernel, over all backends. */
struct kc_stats_sum {
	uint64_t requests, bytes, failed, lied;
};

/* Returns the sum of a row's counts over all backends. */
struct kc_stats_sum kc_stats_sum(const struct kc_stats_row *row);

/*
 * A table that processes share: a memory file (memfd) that a tool or test makes. KCRYPTO_STATS
 * names it to the processes that are to count in it. It is sealed, so that nobody can shorten it
 * and no access raises SIGBUS.
 */

/* Returns the path that KCRYPTO_STATS names; NULL if there is none. */
const char *kc_stats_named(void);
/* True if KCRYPTO_STATS asks to count everything. */
bool kc_stats_asked_for(void);

/* Maps the file of this name. NULL: it is not this user's, or not of this version. */
struct kc_stats *kc_stats_map(const char *path);
/* Unmaps it. */
void kc_stats_unmap(struct kc_stats *stats);

#define KC_STATS_PATH 48 /* bytes, including the NUL */

/*
 * Makes a file and writes its path. Returns a descriptor, which must stay open for the path to be
 * valid; -1 with errno.
 */
int kc_stats_make(char path[KC_STATS_PATH]);

/* Copies the table that the environment names, as it is now. False: there is none. */
bool kc_stats_read(struct kc_stats *stats);

#endif
