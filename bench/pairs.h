/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paired measurement: A and B take turns in short slices, and the median of the ratios of each turn
 * counts; absolute figures drift by a factor of two on a shared machine.
 */
#ifndef KC_BENCH_PAIRS_H
#define KC_BENCH_PAIRS_H

#include <stddef.h>

/* One call of the measured function; 1 or 0. */
typedef int pairs_fn(void *arg);

struct pairs {
	double ratio;	   /* time of B divided by that of A, median over the rounds */
	double a_ns, b_ns; /* per call, medians, like the next */
	double adds_ns;	   /* B's time minus A's */
};

/* @slice_us: the time that each gets per turn. Exits if a call fails. */
struct pairs pairs_measure(pairs_fn *a, void *a_arg, pairs_fn *b, void *b_arg, unsigned rounds,
			   unsigned slice_us);

#endif
