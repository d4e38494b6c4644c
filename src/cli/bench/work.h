/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One algorithm at work through EVP, as a program would use it: the same calls for every contender.
 * Knows nothing of clocks.
 */
#ifndef KC_CLI_BENCH_WORK_H
#define KC_CLI_BENCH_WORK_H

#include <openssl/evp.h>

#include "core/request.h"

#define KC_WORK_LARGEST (1 << 20) /* bytes per request */

struct kc_work {
	int (*once)(struct kc_work *work); /* one request; 1, or 0 if it failed */
	const struct kc_alg *alg;
	EVP_CIPHER_CTX *cipher;
	EVP_MD *md;
	EVP_MD_CTX *digest;
	EVP_MAC_CTX *mac;
	enum kc_dir dir;
	size_t size; /* bytes per request */
	unsigned char *in, *out;
	unsigned char tag[KC_MAX_TAG]; /* of the message to open */
	struct kc_tls *tls;	       /* if requests are records of a connection */
};

/*
 * Fetches @alg from @lib by @properties (NULL: the context's own) for requests of @size bytes. The
 * direction is KC_ENCRYPT if it is not a cipher. 1; 0 if there is no such algorithm, or no memory.
 * Call kc_work_end() in either case.
 */
int kc_work_begin(struct kc_work *work, OSSL_LIB_CTX *lib, const char *properties,
		  const struct kc_alg *alg, enum kc_dir dir, size_t size);

/* The same for records of @size bytes, sealed and opened, of a connection as in kc_tls_open(). */
int kc_work_begin_records(struct kc_work *work, OSSL_LIB_CTX *lib, const struct kc_alg *alg,
			  bool is_ktls, size_t size);

void kc_work_end(struct kc_work *work);

#endif
