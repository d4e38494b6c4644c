/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that tests of keys have in common. */
#ifndef KC_TESTS_KEYS_STEPS_H
#define KC_TESTS_KEYS_STEPS_H

#include "unit/check.h"
#include "keys/keyring.h"
#include "local.h"

extern const unsigned char key_iv[16], key_bytes[33]; /* 32 of them are a key */

/* Is the reason for the last failure in the error queue, in words? Empties it. */
bool said(const char *words);

OSSL_PARAM text_param(const char *name, const char *value);

/* Without errors of earlier calls. */
EVP_SKEY *key_import(const OSSL_PARAM params[]);
EVP_SKEY *key_generate(const OSSL_PARAM params[]);

/* The kernel has those bytes under this name, and the program their key. @serial: its number. */
EVP_SKEY *user_key(const char *name, int32_t *serial);

/*
 * A context that encrypts with the key; NULL, and the reason in the error queue, if it is refused.
 * The second is of a key that must not be refused.
 */
EVP_CIPHER_CTX *key_start(const char *cipher, EVP_SKEY *skey);
EVP_CIPHER_CTX *key_started(const char *cipher, EVP_SKEY *skey);

/* Ends each session: every other descriptor is another file then. */
void close_descriptors(void);

#endif
