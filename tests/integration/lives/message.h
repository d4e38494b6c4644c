/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD's messages and TLS 1.2 records as programs request them through EVP, for any family, and
 * the start of a MAC's.
 * Functions that return a bool tell whether each call succeeded.
 */
#ifndef KC_TESTS_MESSAGE_H
#define KC_TESTS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/evp.h>

#define MESSAGE_IV   12 /* bytes, this and the next; a key is as long as the cipher's */
#define MESSAGE_TAG  16
#define RECORD_ROOM  24 /* more than a record's text, at most */
#define RECORD_FIRST 8	/* of a record before the text, at most */

bool message_is_ccm(const EVP_CIPHER_CTX *c);

/* Up to where AAD comes. @key NULL: as before, also the direction. @tag: to compare; or NULL. */
bool message_start(EVP_CIPHER_CTX *c, int enc, const unsigned char *key, const unsigned char *iv,
		   const unsigned char *tag);

/* Up to where the text comes, which will have @len bytes. */
bool message_head(EVP_CIPHER_CTX *c, const unsigned char *aad, size_t aad_len, size_t len);

/* The tag made by encryption. */
bool message_tag(EVP_CIPHER_CTX *c, unsigned char *tag);

/* Up to where records come. @c: initialised with its cipher. The nonces follow from @iv. */
bool records_start(EVP_CIPHER_CTX *c, int enc, const unsigned char *key, const unsigned char *iv);

/* Bytes in front of a record's text. */
size_t record_carried(const EVP_CIPHER_CTX *c);

/* Plays one record in place, @len bytes in all; @number: the record's. */
bool record_play(EVP_CIPHER_CTX *c, unsigned char number, unsigned char *at, size_t len);

/* A digest's or a MAC's context. */
struct hash {
	const char *name, *inner; /* a MAC's: HMAC or CMAC, and the digest or cipher inside */
	const EVP_MD *digest;
	EVP_MD_CTX *md; /* one of the two */
	EVP_MAC_CTX *mac;
};

/* @mac: NULL for a digest. */
struct hash hash_new(const EVP_MD *digest, EVP_MAC *mac, const char *name, const char *inner);
/* A message begins. A MAC keeps its key where @key is NULL; a digest has none. */
bool hash_start(const struct hash *h, const unsigned char *key, size_t len);
bool hash_update(const struct hash *h, const unsigned char *in, size_t len);
/* The length of the result; 0: it failed. */
size_t hash_final(const struct hash *h, unsigned char *out);
struct hash hash_copy(const struct hash *from);
void hash_free(struct hash *h);

/* The init of HMAC or CMAC, called @mac, with the digest or cipher @inner. @key NULL: as before. */
bool mac_start(EVP_MAC_CTX *c, const char *mac, const char *inner, const unsigned char *key,
	       size_t len);

#endif
