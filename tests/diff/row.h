/* SPDX-License-Identifier: Apache-2.0 */
/* A row of the table as a program sees it: its two ciphers, and the facts needed to use one. */
#ifndef KC_TESTS_ROW_H
#define KC_TESTS_ROW_H

#include <stdbool.h>

#include <openssl/evp.h>

#include "core/alg.h"

/*
 * Loads OpenSSL's legacy provider into it, as a program would that needs one of its ciphers;
 * optional.
 */
void row_load_legacy(OSSL_LIB_CTX *ctx);
void row_unload_legacy(void); /* before the context is freed */

/*
 * Is it one that this machine's kernel is known to lack? KC_ABSENT has patterns of names, colon
 * between. Software that the kernel does not list might be there: it is offered, and not used.
 */
bool row_is_absent(const struct kc_alg *alg);

/* A row that was fetched: one of these is not NULL. */
struct row_of {
	EVP_CIPHER *cipher;
	EVP_MD *md;
	EVP_MAC *mac;
};

/* By EVP's fetch with this query. False, with errors in the queue, where there is none. */
bool row_fetch(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, const char *query, struct row_of *of);
/* Ours and OpenSSL's own. False where either is not there; then both are empty. */
bool row_fetch_both(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, struct row_of *ours,
		    struct row_of *theirs);
void row_release(struct row_of *of);

/*
 * EVP_CipherUpdate() as a part of a stream. A cipher that knows only whole messages starts again
 * for each; a unit of XTS is as many whole blocks as there are.
 */
int row_update(EVP_CIPHER_CTX *c, unsigned char *out, int *outl, const unsigned char *in, int inl);

#endif
