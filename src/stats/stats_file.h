/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of counters in memory and in the file. */
#ifndef KC_STATS_STATS_FILE_H
#define KC_STATS_STATS_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "core/backend.h"
#include "core/reason.h"

/*
 * A sum of numbers of KC_COUNT_DIGITS digits of 4 bits, added digit by digit: 32-bit machines have
 * no 64-bit atomics, and the kernel adds only small numbers. Good for 286 million additions.
 */
#define KC_COUNT_DIGITS 8

struct kc_count {
	_Atomic uint32_t digit[KC_COUNT_DIGITS]; /* the lowest first */
};

/* The errors of a backend, a part of the list of reasons. */
#define KC_STATS_ERRORS 4
extern const enum kc_reason kc_stats_errors[KC_STATS_ERRORS];

struct kc_stats_backend {
	struct kc_count requests; /* done by the kernel */
	struct kc_count bytes;	  /* in them */
	struct kc_count timed;	  /* requests whose total time is the next field */
	struct kc_count ns;
	struct kc_count error[KC_STATS_ERRORS];
};

/* Why did software do a request? */
enum kc_stats_why {
	KC_SOFT_SMALL,	    /* shorter than the threshold */
	KC_SOFT_NO_SESSION, /* no session, no session yet, or not a request for the kernel */
	KC_SOFT_REDONE,	    /* the kernel failed it */
	KC_SOFT_COUNT
};

struct kc_stats_soft {
	struct kc_count requests, bytes, timed, ns;
};

struct kc_stats_row {
	struct kc_stats_backend backend[KC_MAX_BACKENDS]; /* by index in kc_backends */
	struct kc_stats_soft soft[KC_SOFT_COUNT];
};

#define KC_STATS_MAGIC "kcrypto4"

/* Never changes. */
struct kc_stats_head {
	char magic[8];
	uint32_t rows;
	uint32_t row_size;
	uint32_t started[2]; /* one process's start time, see stats/stats_dir.h; low half first */
	char name[KC_ALG_COUNT][KC_ALG_NAME_SIZE];
};

/* The file's layout, in the machine's byte order. */
struct kc_stats {
	struct kc_stats_head head;
	uint32_t order; /* 1, added by the kernel: qemu-user has another byte order */
	struct kc_stats_row row[KC_ALG_COUNT];
};

#endif
