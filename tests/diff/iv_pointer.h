/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers to an IV inside a context, as OpenSSL hands them out: a program may keep one, and read
 * and write through it as long as the context has its cipher.
 */
#ifndef KC_TESTS_DIFF_IV_POINTER_H
#define KC_TESTS_DIFF_IV_POINTER_H

#include <openssl/evp.h>

#include "diff.h"

/* Of two contexts that are compared, ours and theirs; NULL: none was taken. */
struct iv_pointer {
	unsigned char *at[2];
};

#define IV_POINTER_WAYS 5

/*
 * Asks both contexts in one of the ways; the first two are for the original IV. NULL, or the
 * difference; if both gave a pointer, it is kept.
 */
const char *iv_pointer_take(struct iv_pointer *p, EVP_CIPHER_CTX *const ctx[2], size_t way);

bool iv_pointer_is_original(size_t way);

/* Do both point to the same bytes? */
bool iv_pointer_same(const struct iv_pointer *p, size_t len);

/* Writes the same through both: one byte of @len, or all. */
void iv_pointer_write(const struct iv_pointer *p, struct random *r, size_t len);

#endif
