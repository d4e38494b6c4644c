/* SPDX-License-Identifier: Apache-2.0 */
/* The random numbers that make a round repeatable. */
#ifndef KC_TESTS_DIFF_H
#define KC_TESTS_DIFF_H

#include <stddef.h>
#include <stdint.h>

/* Keys, IVs and data follow from the state; so do decisions, unless there are bytes for them. */
struct random {
	uint64_t state;
	const unsigned char *bytes; /* all zero after the last one */
	size_t left;
};

uint64_t random_next(struct random *r);
size_t random_below(struct random *r, size_t n);
void random_bytes(struct random *r, unsigned char *out, size_t n);

#endif
