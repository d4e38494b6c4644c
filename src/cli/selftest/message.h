/* SPDX-License-Identifier: Apache-2.0 */
/* One random message of one algorithm through EVP, whoever computes. */
#ifndef KC_CLI_SELFTEST_MESSAGE_H
#define KC_CLI_SELFTEST_MESSAGE_H

#include <openssl/types.h>

#include "core/request.h"

#define KC_MESSAGE_MAX 70000 /* bytes of text: more than the largest request */
#define KC_MESSAGE_OUT (KC_MESSAGE_MAX + 2 * KC_MAX_BLOCK)

struct kc_message {
	const struct kc_alg *alg;
	enum kc_dir dir;
	size_t len;		 /* bytes of text */
	size_t piece;		 /* bytes of each update but the last */
	size_t in_offset;	 /* bytes from the buffer's start */
	size_t key_len, aad_len; /* bytes */
	bool pads;		 /* a cipher in blocks */
	unsigned char key[KC_MAX_KEY], iv[KC_MAX_IV], aad[KC_MAX_AAD];
	unsigned char tag[KC_MAX_TAG]; /* of an AEAD's decryption */
	unsigned char in[KC_MESSAGE_OUT];
};

struct kc_outcome {
	int ok;	    /* 1, or 0 where a call failed; the rest is what came until then */
	size_t len; /* bytes in @out */
	unsigned char out[KC_MESSAGE_OUT];
	unsigned char tag[KC_MAX_OUT]; /* of an AEAD's encryption */
};

/* A source of numbers that repeats from the same seed. */
uint64_t kc_random(uint64_t *state);

/*
 * Makes a message for @alg; a plain one is 4 KiB to encrypt in one piece, which every kernel takes.
 * What an AEAD decrypts is encrypted by @software first, and one tag in
 * eight is wrong. False where @software can't.
 */
bool kc_message_make(struct kc_message *m, const struct kc_alg *alg, bool is_plain,
		     uint64_t *random, OSSL_LIB_CTX *software);

/* Fetches the algorithm from @lib by @properties and does all of it. */
void kc_message_run(const struct kc_message *m, OSSL_LIB_CTX *lib, const char *properties,
		    struct kc_outcome *outcome);

/* Did both do the same? */
bool kc_outcome_is_same(const struct kc_outcome *a, const struct kc_outcome *b);

#endif
