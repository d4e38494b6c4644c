/* SPDX-License-Identifier: Apache-2.0 */
/* One message by an algorithm of either provider, in a board's machine. */
#ifndef KC_TESTS_BOARDS_ONCE_H
#define KC_TESTS_BOARDS_ONCE_H

#include <stdbool.h>
#include <stddef.h>

#include "diff/row.h"

#define ONCE_TAIL 64 /* bytes behind the text: a tag, digest or MAC */

/* An algorithm of the table, ours and OpenSSL's own. */
struct once {
	const struct kc_alg *alg;
	struct row_of of[2];
};

/* Of that name, if both have it. */
bool once_find(OSSL_LIB_CTX *ctx, const char *name, struct once *o);
void once_release(struct once *o);

/*
 * Encrypts, or decrypts and checks, @len bytes; or makes the digest or MAC, to the end of @out,
 * which has ONCE_TAIL bytes more than the text. A decryption finds its tag in @tag. False: EVP
 * refused.
 */
bool once_run(const struct once *o, int side, bool encrypts, const unsigned char *in, size_t len,
	      unsigned char *out, const unsigned char *tag);

/* The seconds since some moment. */
double once_now(void);

/* What the engine counted so far, in the file $KC_ENGINE. */
struct engine {
	unsigned long long requests, bytes, faults;
};
struct engine engine_read(void);
/* Has it err from now on: a word of tests/boards/board.h. */
void engine_fault(const char *word);

#endif
