/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that make a round repeatable. */
#ifndef KC_TESTS_DIFF_H
#define KC_TESTS_DIFF_H

#include <stddef.h>
#include <stdint.h>

/* Keys, IVs and data follow from the state. Decisions do too, unless bytes are given for them. */
struct random {
	uint64_t state;
	const unsigned char *bytes; /* zeros follow the last byte */
	size_t left;
};

uint64_t random_next(struct random *r);
size_t random_below(struct random *r, size_t n);
void random_bytes(struct random *r, unsigned char *out, size_t n);

#endif
