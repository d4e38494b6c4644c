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

/* The errors of a backend that are counted, and their reasons. */
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
	struct kc_count requests, bytes; /* bytes in them */
	struct kc_count timed;		 /* requests whose total time is the next field */
	struct kc_count ns;
};

struct kc_stats_backend {
	struct kc_stats_work work; /* done by the kernel */
	struct kc_count error[KC_STATS_ERRORS];
};

/* Why did software do a request? */
enum kc_stats_why {
	KC_SOFT_SMALL,	    /* shorter than the threshold */
	KC_SOFT_NO_SESSION, /* no session, no session yet, or not a request for the kernel */
	KC_SOFT_REDONE,	    /* the kernel failed it */
	KC_SOFT_COUNT
};

struct kc_stats_row {
	struct kc_stats_backend backend[KC_MAX_BACKENDS]; /* by index in kc_backends */
	struct kc_stats_work soft[KC_SOFT_COUNT];
};

/*
 * Tells the layout, so that no program reads another version's table. tests/counters.py reads it,
 * too.
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
 * What a module has in its writable data, for a reader of its process's memory. Only the table
 * depends on the version.
 */
struct kc_stats_here {
	char word[16];	  /* KC_STATS_HERE, without a NUL */
	uint64_t address; /* of the table; 0: none */
};

#define KC_STATS_HERE "kcrypto counters"

/* Writes the head of a new table, in one of several threads. */
void kc_stats_begin(struct kc_stats *stats);

/* Is it a table of this version's? */
bool kc_stats_fits(const struct kc_stats *stats);

/* Adds to a counter that other processes may read meanwhile. */
void kc_count_add(struct kc_count *count, uint64_t n);
/* Reads one that other processes may write meanwhile. */
uint64_t kc_count_read(const struct kc_count *count);

/* Adds all counts of one table to another. */
void kc_stats_add(struct kc_stats *to, const struct kc_stats *from);

/* How often that error happened. */
uint64_t kc_stats_errors_of(const struct kc_stats_backend *backend, enum kc_stats_error which);

/* A row's requests to the kernel, over all backends. */
struct kc_stats_sum {
	uint64_t requests, bytes, failed, lied;
};

/* What the kernel did for a row, by all backends. */
struct kc_stats_sum kc_stats_sum(const struct kc_stats_row *row);

/*
 * A table that processes share: a memory file (memfd) that a tool or test makes, and that
 * KCRYPTO_STATS names to the processes that are to count in it. It is sealed, so that nobody can
 * shorten it and nobody's access can raise SIGBUS.
 */

/* The path in the environment variable, or NULL; and does the variable ask to count everything? */
const char *kc_stats_named(void);
/* Does the environment variable ask to count everything? */
bool kc_stats_asked_for(void);

/* Maps the file of this name. NULL: it is not one of this user's and this version's. */
struct kc_stats *kc_stats_map(const char *path);
/* Ends that mapping. */
void kc_stats_unmap(struct kc_stats *stats);

#define KC_STATS_PATH 48 /* bytes, including the NUL */

/* Makes a file. Returns a descriptor, which keeps the name valid, or -1 with errno. */
int kc_stats_make(char path[KC_STATS_PATH]);

/* Copies the table that the environment names, as it is now. False: there is none. */
bool kc_stats_read(struct kc_stats *stats);

#endif
