/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contenders that take turns, each a process of its own with an openssl.cnf of its own: what one
 * learns, counts or keeps open is not the others'.
 */
#ifndef KC_BENCH_TURNS_H
#define KC_BENCH_TURNS_H

#include <stdbool.h>

#include <openssl/types.h>

#define TURNS_MAX 6 /* contenders */

/* Work of a kind: begin() makes what one call of once() wants, or NULL. Wall time counts. */
struct turns_work {
	void *(*begin)(OSSL_LIB_CTX *lib, const char *cnf, const char *what);
	int (*once)(void *state);
	bool by_children; /* their CPU time counts, as starting a program takes any time */
};

struct contender {
	const char *name, *cnf;
	const char *variable, *value; /* of its environment, or NULL */
	double per_second;	      /* calls: the median of its turns */
};

/* A ratio within the rounds: of the last contender to the best of those before it. */
struct turns {
	double ratio, low, high; /* median and quartiles */
	int best;
};

/*
 * @warm_ms: what the last one does before the first round; the others a slice. False where one of
 * them failed.
 */
bool turns_measure(const struct turns_work *work, const char *what, struct contender *contenders,
		   int n, unsigned warm_ms, unsigned slice_ms, unsigned rounds,
		   struct turns *turns);

#endif
