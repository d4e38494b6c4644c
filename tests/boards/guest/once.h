/* SPDX-License-Identifier: Apache-2.0 */
/* One message by kcrypto or by OpenSSL, inside a board's machine. */
#ifndef KC_TESTS_BOARDS_ONCE_H
#define KC_TESTS_BOARDS_ONCE_H

#include <stdbool.h>
#include <stddef.h>

#include "diff/row.h"

#define ONCE_TAIL 64 /* bytes behind the text, for a tag, digest or MAC */

/* An algorithm of the table, as kcrypto and as OpenSSL provide it. */
struct once {
	const struct kc_alg *alg;
	struct row_of of[2];
	EVP_CIPHER_CTX *kept[2][2]; /* by side and direction; see once_keep() */
};

/* Finds the algorithm with that name. Returns false unless both provide it. */
bool once_find(OSSL_LIB_CTX *ctx, const char *name, struct once *o);
void once_release(struct once *o);

/*
 * Has a cipher's messages of each side and direction share a context, and thereby its session.
 * Otherwise each message has its own, which may be too short for a session.
 */
void once_keep(struct once *o);

/*
 * Encrypts @len bytes, or decrypts and checks them; or makes the digest or MAC, behind the text in
 * @out. @out has ONCE_TAIL bytes more than the text. A decryption reads its tag from @tag. Returns
 * false if EVP failed.
 */
bool once_run(const struct once *o, int side, bool encrypts, const unsigned char *in, size_t len,
	      unsigned char *out, const unsigned char *tag);

/* Seconds since a fixed moment. */
double once_now(void);

/* What the engine has counted so far, in the file $KC_ENGINE. */
struct engine {
	unsigned long long requests, bytes, faults;
};
struct engine engine_read(void);
/* Sets the engine's fault from now on: a word of tests/boards/board.h. */
void engine_fault(const char *word);

#endif
