/* SPDX-License-Identifier: Apache-2.0 */
/* One differential round over a digest or MAC. */
#ifndef KC_TESTS_DIFF_HASH_H
#define KC_TESTS_DIFF_HASH_H

#include "diff.h"

/* One of the two is NULL in both of a pair. */
struct hash_pair {
	EVP_MD *ours_md, *theirs_md;
	EVP_MAC *ours_mac, *theirs_mac;
	const char *inner; /* of a MAC: its digest or cipher */
	unsigned key_len;  /* of a MAC: 0 if any */
	const char *name;
};

/* Two buffers of hash_room() bytes are at @room. */
size_t hash_room(void);

/* Plays the round that @seed stands for. False, and says why on stderr, if the two differ. */
bool hash_run(unsigned char *room, const struct hash_pair *pair, uint64_t seed);

#endif
