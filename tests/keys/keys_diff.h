/* SPDX-License-Identifier: Apache-2.0 */
/* What the rounds of all kinds of algorithms share: keys, and the calls that take one. */
#ifndef KC_TESTS_KEYS_DIFF_H
#define KC_TESTS_KEYS_DIFF_H

#include "diff/kinds.h"
#include "keys/keyring.h"

#define KEYS_AT_ONCE 2

/* A key of the round: the default provider gets its bytes, kcrypto-keys its object. */
struct round_key {
	unsigned char bytes[EVP_MAX_KEY_LENGTH];
	size_t len;
	EVP_SKEY *skey;
};

const struct round_key *some_key(struct play *p);

/* Initialises a cipher or an AEAD. Key, IV, or both may be NULL. */
bool keyed_init(struct play *p, struct twins *t, const struct round_key *key,
		const unsigned char *iv, int enc);

/* Makes a copy by @copy. The round continues with the copy half of the time. */
bool keyed_copy(struct play *p, struct twins *t, act *copy);

extern const struct kind keyed_aead_kind, keyed_mac_kind;

#endif
