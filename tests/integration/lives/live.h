/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of one cipher, and the one request that many tests make with them. */
#ifndef KC_TESTS_LIVE_H
#define KC_TESTS_LIVE_H

#include <stdbool.h>

#include <openssl/evp.h>

#define LIVE_LEN 8192 /* bytes */

extern OSSL_LIB_CTX *live_lib;
extern const unsigned char live_key[33], live_iv[17];

/* The text, and the default provider's answers with a key of 16 bytes and with one of 32. */
extern unsigned char live_in[LIVE_LEN], live_want[2][LIVE_LEN];

/* Computes the default provider's answers. Loads no kcrypto module. */
void live_prepare(void);

/* Loads an openssl.cnf, or OpenSSL's own defaults (NULL). Exits on failure. */
void live_load(const char *config);

/* A context of AES-128-CBC or AES-256-CBC, ready to encrypt. Exits on failure. */
EVP_CIPHER_CTX *live_context_of(OSSL_LIB_CTX *lib, const char *name, const char *query);
/* A context of AES-128-CBC in live_lib. */
EVP_CIPHER_CTX *live_context(const char *query);

/* Makes that many kcrypto contexts, each of which has had a request; and frees them. */
void live_make(EVP_CIPHER_CTX **c, size_t n);
void live_free(EVP_CIPHER_CTX **c, size_t n);

/* Makes one request of LIVE_LEN bytes, beginning with the IV. Returns false if a call failed. */
bool live_encrypt(EVP_CIPHER_CTX *c, unsigned char *out);

/* Makes such a request. Returns false if a call failed or the output differs from software's. */
bool live_is_right(EVP_CIPHER_CTX *c);

#endif
