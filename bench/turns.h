/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contenders that take turns, each a process with its own openssl.cnf: none shares what another one
 * learns, counts or keeps open.
 */
#ifndef KC_BENCH_TURNS_H
#define KC_BENCH_TURNS_H

#include <stdbool.h>

#include <openssl/types.h>

#define TURNS_MAX 6 /* contenders */

/*
 * A kind of work: begin() prepares the state for calls of once(), or returns NULL. Wall time
 * counts.
 */
struct turns_work {
	void *(*begin)(OSSL_LIB_CTX *lib, const char *cnf, const char *what);
	int (*once)(void *state);
	bool by_children; /* children's CPU time counts; wall times of starts vary too much */
};

struct contender {
	const char *name, *cnf;
	const char *variable, *value; /* for its environment, or NULL */
	double per_second;	      /* calls, the median of its turns */
};

/* The ratio within each round of the last contender to the best of the others. */
struct turns {
	double ratio, low, high; /* median and quartiles */
	int best;
};

/*
 * @warm_ms: the last contender's warm-up before the first round; the others get a slice. False if
 * one of them failed.
 */
bool turns_measure(const struct turns_work *work, const char *what, struct contender *contenders,
		   int n, unsigned warm_ms, unsigned slice_ms, unsigned rounds,
		   struct turns *turns);

#endif
