/* SPDX-License-Identifier: Apache-2.0 */
/* One differential round, and the random numbers that make it repeatable. */
#ifndef KC_TESTS_DIFF_H
#define KC_TESTS_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/evp.h>

/* Keys, IVs and data follow from the state; so do decisions, unless there are bytes for them. */
struct random {
	uint64_t state;
	const unsigned char *bytes; /* all zero after the last one */
	size_t left;
};

uint64_t random_next(struct random *r);
size_t random_below(struct random *r, size_t n);
void random_bytes(struct random *r, unsigned char *out, size_t n);

struct diff_options {
	unsigned char *room; /* diff_room() bytes */
};

size_t diff_room(void);

/* Plays a round with the decisions of @source. False, and says why on stderr, if the two differ. */
bool diff_play(const struct diff_options *o, EVP_CIPHER *ours, EVP_CIPHER *theirs,
	       struct random source);

#endif
