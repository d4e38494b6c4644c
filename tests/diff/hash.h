/* SPDX-License-Identifier: Apache-2.0 */
/* The differential rounds of digests and MACs. */
#ifndef KC_TESTS_DIFF_HASH_H
#define KC_TESTS_DIFF_HASH_H

#include "diff.h"
#include "diff/row.h"

struct diff_row {
	const struct kc_alg *alg;
	struct row_of of[2]; /* ours, and OpenSSL's own */
	char name[KC_ALG_NAME_SIZE];
};

/* Bytes that a round needs. */
size_t hash_room(void);

/* Plays the round that @seed stands for. False, and says why on stderr, if the two differ. */
bool hash_play(unsigned char *room, const struct diff_row *row, uint64_t seed);

#endif
