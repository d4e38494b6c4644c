/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of one cipher, and the one request that many tests make with them. */
#ifndef KC_TESTS_LIVE_H
#define KC_TESTS_LIVE_H

#include <stdbool.h>

#include <openssl/evp.h>

#define LIVE_LEN 8192 /* bytes */

extern OSSL_LIB_CTX *live_lib;
extern const unsigned char live_key[33], live_iv[17];

/* The text, and the default provider's answers: by a key of 16 bytes, and of 32. */
extern unsigned char live_in[LIVE_LEN], live_want[2][LIVE_LEN];

/* Makes the default provider's answers; loads no kcrypto module. */
void live_prepare(void);

/* Loads by openssl.cnf, or OpenSSL's own defaults (NULL). Exits if it can't. */
void live_load(const char *config);

/* AES-128-CBC or AES-256-CBC, ready to encrypt. Exits where it can't. */
EVP_CIPHER_CTX *live_context_of(OSSL_LIB_CTX *lib, const char *name, const char *query);
/* AES-128-CBC of live_lib. */
EVP_CIPHER_CTX *live_context(const char *query);

/* So many kcrypto contexts, each of which has had a request; and their end. */
void live_make(EVP_CIPHER_CTX **c, size_t n);
void live_free(EVP_CIPHER_CTX **c, size_t n);

/* One request of LIVE_LEN bytes from the IV on. False if a call failed. */
bool live_encrypt(EVP_CIPHER_CTX *c, unsigned char *out);

/* Such a request; false if a call failed or the output is not software's. */
bool live_is_right(EVP_CIPHER_CTX *c);

#endif
