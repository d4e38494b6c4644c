/* SPDX-License-Identifier: Apache-2.0 */
/* A slice has the number of calls that take slice_us, determined beforehand. */
#include "pairs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_ROUNDS 1001

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns per call. */
static double slice(pairs_fn *f, void *arg, unsigned long calls)
{
	double start = now_ns();

	for (unsigned long i = 0; i < calls; i++) {
		if (!f(arg)) {
			fputs("bench: a measured call failed\n", stderr);
			exit(1);
		}
	}
	return (now_ns() - start) / (double)calls;
}

static unsigned long calls_for(pairs_fn *f, void *arg, unsigned slice_us)
{
	unsigned long calls = 1;

	while (slice(f, arg, calls) * (double)calls < slice_us * 1e3)
		calls *= 2;
	return calls;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), by_size);
	return v[n / 2];
}

struct pairs pairs_measure(pairs_fn *a, void *a_arg, pairs_fn *b, void *b_arg, unsigned rounds,
			   unsigned slice_us)
{
	static double ratio[MAX_ROUNDS], a_ns[MAX_ROUNDS], b_ns[MAX_ROUNDS], adds[MAX_ROUNDS];
	unsigned long a_calls = calls_for(a, a_arg, slice_us);
	unsigned long b_calls = calls_for(b, b_arg, slice_us);

	rounds = rounds < MAX_ROUNDS ? rounds : MAX_ROUNDS;
	for (unsigned i = 0; i < rounds; i++) {
		/* The order alternates, so that neither always follows a pause. */
		if (i % 2)
			b_ns[i] = slice(b, b_arg, b_calls);
		a_ns[i] = slice(a, a_arg, a_calls);
		if (i % 2 == 0)
			b_ns[i] = slice(b, b_arg, b_calls);
		ratio[i] = b_ns[i] / a_ns[i];
		adds[i] = b_ns[i] - a_ns[i];
	}
	return (struct pairs){ .ratio = median(ratio, rounds),
			       .a_ns = median(a_ns, rounds),
			       .b_ns = median(b_ns, rounds),
			       .adds_ns = median(adds, rounds) };
}
