/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD's messages and TLS 1.2 records as programs request them through EVP, for any family, and
 * the start of a MAC's message. Functions that return a bool tell whether each call succeeded.
 */
#ifndef KC_TESTS_MESSAGE_H
#define KC_TESTS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/evp.h>

#define MESSAGE_IV   12 /* bytes, like the next one; a key is as long as the cipher's */
#define MESSAGE_TAG  16
#define RECORD_ROOM  24 /* the most that a record is longer than its text */
#define RECORD_FIRST 8	/* the most of a record that precedes its text */

bool message_is_ccm(const EVP_CIPHER_CTX *c);

/*
 * Makes the calls that precede the AAD. @key NULL: keeps key and direction. @tag: to compare; or
 * NULL.
 */
bool message_start(EVP_CIPHER_CTX *c, int enc, const unsigned char *key, const unsigned char *iv,
		   const unsigned char *tag);

/* Makes the calls that precede the text, which will have @len bytes. */
bool message_head(EVP_CIPHER_CTX *c, const unsigned char *aad, size_t aad_len, size_t len);

/* Gets the tag that the encryption made. */
bool message_tag(EVP_CIPHER_CTX *c, unsigned char *tag);

/*
 * Makes the calls that precede records. @c: initialised with its cipher. The nonces derive from
 * @iv.
 */
bool records_start(EVP_CIPHER_CTX *c, int enc, const unsigned char *key, const unsigned char *iv);

/* The number of bytes in front of a record's text. */
size_t record_carried(const EVP_CIPHER_CTX *c);

/* Encrypts or decrypts one record in place, @len bytes in all. @number: the record's. */
bool record_play(EVP_CIPHER_CTX *c, unsigned char number, unsigned char *at, size_t len);

/* A digest's or a MAC's context. */
struct hash {
	const char *name, *inner; /* of a MAC: HMAC or CMAC, and the digest or cipher inside */
	const EVP_MD *digest;
	EVP_MD_CTX *md; /* one of the two is NULL */
	EVP_MAC_CTX *mac;
};

/* @mac: NULL for a digest. */
struct hash hash_new(const EVP_MD *digest, EVP_MAC *mac, const char *name, const char *inner);
/* Begins a message. With a @key of NULL a MAC keeps its key; a digest has none. */
bool hash_start(const struct hash *h, const unsigned char *key, size_t len);
bool hash_update(const struct hash *h, const unsigned char *in, size_t len);
/* Initialises HMAC or CMAC (@mac) with the digest or cipher @inner. @key NULL: keeps the key. */
size_t hash_final(const struct hash *h, unsigned char *out);
struct hash hash_copy(const struct hash *from);
void hash_free(struct hash *h);

/* The init of HMAC or CMAC, called @mac, with the digest or cipher @inner. @key NULL: as before. */
bool mac_start(EVP_MAC_CTX *c, const char *mac, const char *inner, const unsigned char *key,
	       size_t len);

#endif
