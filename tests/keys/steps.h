/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that tests of keys share. */
#ifndef KC_TESTS_KEYS_STEPS_H
#define KC_TESTS_KEYS_STEPS_H

#include "unit/check.h"
#include "keys/keyring.h"
#include "local.h"

extern const unsigned char key_iv[16], key_bytes[33]; /* 32 of them are a key */

/* Whether the last failure's reason in the error queue has these words. Empties the queue. */
bool said(const char *words);

OSSL_PARAM text_param(const char *name, const char *value);

/* Imports a key, after it has emptied the error queue. */
EVP_SKEY *key_import(const OSSL_PARAM params[]);
EVP_SKEY *key_generate(const OSSL_PARAM params[]);

/*
 * Gives those bytes to the kernel under this name, and returns the key object. @serial: the key's
 * serial number.
 */
EVP_SKEY *user_key(const char *name, int32_t *serial);

/*
 * A context that encrypts with the key. NULL, with the reason in the error queue, if the key is
 * refused; the second function asserts that it is not.
 */
EVP_CIPHER_CTX *key_start(const char *cipher, EVP_SKEY *skey);
EVP_CIPHER_CTX *key_started(const char *cipher, EVP_SKEY *skey);

/* Ends each session: every second descriptor then is another file. */
void close_descriptors(void);

#endif
