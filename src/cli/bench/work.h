/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One algorithm at work through EVP, as a program would use it: the same calls for every
 * implementation. Knows nothing of clocks.
 */
#ifndef KC_CLI_BENCH_WORK_H
#define KC_CLI_BENCH_WORK_H

#include <openssl/evp.h>

#include "core/request.h"

/* Bytes of the largest text, and of its output. */
#define KC_WORK_LARGEST	 (1 << 20)
#define KC_WORK_OUT(len) ((len) + 2 * KC_MAX_BLOCK)

/* The request. The key is as long as the algorithm needs; HMAC takes any length. */
struct kc_message {
	const struct kc_alg *alg;
	enum kc_dir dir; /* KC_ENCRYPT for a hash */
	size_t len;	 /* bytes of text */
	size_t piece;	 /* bytes of each update but the last */
	size_t key_len, aad_len;
	int nonce_len; /* of CCM; 0: its default */
	bool pads;     /* a block cipher with padding */
	unsigned char key[KC_MAX_KEY], iv[KC_MAX_IV], aad[KC_MAX_AAD];
	unsigned char tag[KC_MAX_TAG]; /* to compare, when an AEAD decrypts */
	const unsigned char *in;
};

struct kc_work {
	const struct kc_message *message;
	EVP_CIPHER_CTX *cipher; /* one of these has a context */
	EVP_MD_CTX *digest;
	EVP_MAC_CTX *mac;
	unsigned char *out; /* KC_WORK_OUT() bytes; the caller's, like the message */
	size_t out_len;
	unsigned char tag[KC_MAX_TAG]; /* made, when an AEAD encrypts */
};

/* Returns a message of @len bytes, with a key that is no secret. */
struct kc_message kc_message_of(const struct kc_alg *alg, enum kc_dir dir, size_t len,
				const unsigned char *in);

/* Makes an AEAD's message one to decrypt: encrypts its text, at @in, in place. 1; 0 if it can't. */
int kc_message_seal(struct kc_message *message, unsigned char *in, OSSL_LIB_CTX *lib,
		    const char *properties);

/*
 * Fetches the algorithm from @lib by @properties (NULL: the context's own), and sets the key. 1; 0
 * if there is no such algorithm or no memory. Call kc_work_end() in either case.
 */
int kc_work_begin(struct kc_work *work, const struct kc_message *message, OSSL_LIB_CTX *lib,
		  const char *properties, unsigned char *out);

/* Does the whole message. 1; 0 if a call failed: then @out has the output up to that call. */
int kc_work_message(struct kc_work *work);

/* Does the next piece of a text that never ends; the message has only one. */
int kc_work_update(struct kc_work *work);

/* Frees what kc_work_begin() made, also if that failed. */
void kc_work_end(struct kc_work *work);

#endif
