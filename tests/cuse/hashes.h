/* SPDX-License-Identifier: Apache-2.0 */
/* The hashes that a session can have, and the one in progress. Knows no FUSE. */
#ifndef KC_TESTS_CUSE_HASHES_H
#define KC_TESTS_CUSE_HASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_HASH 64 /* bytes */

struct hash {
	uint32_t id;	  /* CRYPTO_* */
	const char *name; /* as the kernel's list of algorithms has it */
	const char *evp;
	unsigned size; /* bytes, of the answer */
	bool is_hmac;
};

#define HASHES 14
extern const struct hash hashes[HASHES];

struct hash_state;

/* NULL where libcrypto fails. The key is for an HMAC only. */
struct hash_state *hash_state_new(const struct hash *hash, const uint8_t *key, size_t key_len);
void hash_state_free(struct hash_state *state);
const struct hash *hash_state_hash(const struct hash_state *state);

/*
 * Does one request with its flags, like the module. 1: @out is the answer; 0: the message
 * continues; -EINVAL: there is none to continue; the module would do whatever the driver does then.
 */
int hash_state_run(struct hash_state *state, unsigned flags, const uint8_t *in, size_t len,
		   uint8_t *out);

/* Does a request of these answer? */
bool hash_answers(unsigned flags, size_t len);

#endif
