/* SPDX-License-Identifier: Apache-2.0 */
/* What the rounds of each kind of algorithm share: keys, random numbers, and the verdict. */
#ifndef KC_TESTS_KEYS_DIFF_H
#define KC_TESTS_KEYS_DIFF_H

#include "diff/compare.h"
#include "diff/diff.h"
#include "keys/keyring.h"

#define LONGEST	     (140 * 1024)
#define KEYS_AT_ONCE 2

struct play {
	struct random rnd;
	const char *name; /* of the cipher, or of the digest in HMAC */
	const char *step;
	unsigned long steps;
	/* Of this round, in both worlds. */
	unsigned char bytes[KEYS_AT_ONCE][EVP_MAX_KEY_LENGTH];
	EVP_SKEY *skeys[KEYS_AT_ONCE];
	unsigned char in[LONGEST + 64], a[LONGEST + 128], b[LONGEST + 128];
};

extern struct play play;

/* Prints a mismatch; false. */
bool diff_fail(const char *what);

/* False, and says why, if ours and the default provider's result differ. */
bool diff_same(struct outcome ours, struct outcome theirs);

/* Makes the keys of a round, of type user, or frees them. */
bool diff_make_keys(size_t len);
void diff_free_keys(void);

/* One round; false after a mismatch. */
bool diff_aead_round(EVP_CIPHER *ours, EVP_CIPHER *theirs);
bool diff_mac_round(EVP_MAC *ours, EVP_MAC *theirs);

#endif
