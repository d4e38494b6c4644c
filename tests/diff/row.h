/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of the table as a program sees it: its ciphers from two providers, and the facts that a
 * test needs to use one.
 */
#ifndef KC_TESTS_ROW_H
#define KC_TESTS_ROW_H

#include <stdbool.h>

#include <openssl/evp.h>

#include "core/alg.h"

/*
 * Loads OpenSSL's legacy provider into the context, as a program would that needs one of its
 * ciphers. It may be missing.
 */
void row_load_legacy(OSSL_LIB_CTX *ctx);
void row_unload_legacy(void); /* before the context is freed */

/*
 * Whether this machine's kernel is known to lack the row's algorithm. KC_ABSENT has patterns of
 * names, separated by colons. Such software may still be offered, because kernels do not list what
 * they have not loaded; it is not used then.
 */
bool row_is_absent(const struct kc_alg *alg);

/* A row that was fetched: one of these is not NULL. */
struct row_of {
	EVP_CIPHER *cipher;
	EVP_MD *md;
	EVP_MAC *mac;
};

/*
 * Fetches the row by EVP with this query. Returns false, with errors in the queue, where nothing
 * matches.
 */
bool row_fetch(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, const char *query, struct row_of *of);
/* Fetches kcrypto's and OpenSSL's own. Returns false if either is missing; then both are empty. */
bool row_fetch_both(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, struct row_of *ours,
		    struct row_of *theirs);
void row_release(struct row_of *of);

/*
 * EVP_CipherUpdate() on a part of a stream. A cipher that takes only whole messages starts again
 * for each part; a unit of XTS is as many whole blocks as there are.
 */
int row_update(EVP_CIPHER_CTX *c, unsigned char *out, int *outl, const unsigned char *in, int inl);

#endif
