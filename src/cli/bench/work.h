/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One algorithm at work through EVP, as a program would use it: the same calls whoever computes.
 * Knows nothing of clocks.
 */
#ifndef KC_CLI_BENCH_WORK_H
#define KC_CLI_BENCH_WORK_H

#include <openssl/evp.h>

#include "core/request.h"

#define KC_WORK_LARGEST (1 << 20) /* bytes in a request */

struct kc_work {
	int (*once)(struct kc_work *work); /* one request; 1, or 0 where it failed */
	const struct kc_alg *alg;
	EVP_CIPHER_CTX *cipher;
	EVP_MD *md;
	EVP_MD_CTX *digest;
	EVP_MAC_CTX *mac;
	enum kc_dir dir;
	size_t size; /* bytes in a request */
	unsigned char *in, *out;
	unsigned char tag[KC_MAX_TAG]; /* of the message to open */
};

/*
 * Fetches @alg from @lib by @properties (NULL: the context's own) for requests of @size bytes. What
 * is no cipher has KC_ENCRYPT for a direction. 1; 0 where there is no such algorithm, or no memory.
 * Either way kc_work_end() ends it.
 */
int kc_work_begin(struct kc_work *work, OSSL_LIB_CTX *lib, const char *properties,
		  const struct kc_alg *alg, enum kc_dir dir, size_t size);

void kc_work_end(struct kc_work *work);

#endif
