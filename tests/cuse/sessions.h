/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sessions of one open file, their ciphers and hashes, done by libcrypto. Knows no FUSE.
 */
#ifndef KC_TESTS_CUSE_SESSIONS_H
#define KC_TESTS_CUSE_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_IV	 16 /* bytes, like the next */
#define MAX_HASH 64

struct cipher {
	uint32_t id; /* CRYPTO_* */
	const char *option;
	const char *name;		  /* as the kernel's list of algorithms has it */
	const char *mode, *word;	  /* for the driver's name */
	const char *evp;		  /* with the key's bits for %u */
	unsigned block, iv_len;		  /* bytes */
	unsigned min_key, max_key, steps; /* bytes */
	unsigned keys;			  /* that it has: two of XTS */
	unsigned tag_len;		  /* of an AEAD, the longest, bytes */
};

#define CIPHERS 11
extern const struct cipher ciphers[CIPHERS];

/* A digest, and the HMAC of it. */
struct hash {
	uint32_t id, hmac_id; /* CRYPTO_* */
	const char *name;     /* as the kernel's list of algorithms has it */
	const char *evp;
	unsigned size; /* bytes, of the answer */
};

#define HASHES 7
extern const struct hash hashes[HASHES];

struct session;
struct sessions;

struct sessions *sessions_new(void);
/* Waits for requests that are running. How many there were. */
unsigned sessions_free(struct sessions *all);

/* -EINVAL: the key's length; -ENOMEM: any other reason. */
int sessions_open(struct sessions *all, const struct cipher *cipher, const uint8_t *key,
		  size_t key_len, uint32_t *sid);
int sessions_open_hash(struct sessions *all, const struct hash *hash, bool is_hmac,
		       const uint8_t *key, size_t key_len, uint32_t *sid);
/* -ENOENT */
int sessions_close(struct sessions *all, uint32_t sid);

/* Waits until no other thread has it. NULL: there is none. */
struct session *session_lock(struct sessions *all, uint32_t sid);
void session_unlock(struct session *s);
/* One of the two is NULL. */
const struct cipher *session_cipher(const struct session *s);
const struct hash *session_hash(const struct session *s);
bool session_is_hmac(const struct session *s);

/*
 * With this IV, or NULL to go on. Page by page, as the module copies,
 * or in one piece. -EIO where libcrypto fails.
 */
int session_run(struct session *s, int op, const uint8_t *iv, const uint8_t *in, uint8_t *out,
		size_t len, bool by_page);

/* A whole message. -EIO likewise. */
int session_run_hash(const struct session *s, const uint8_t *in, size_t len, uint8_t *out);

/* libcrypto, without a configuration and with all its ciphers. */
void sessions_prepare(void);

/* The session's tag length: @len, or, if that is 0, unchanged. -EINVAL: it can only get shorter. */
int session_tag_len(struct session *s, unsigned len);
/*
 * In place at @text, @len bytes, followed by the tag; both contexts start anew. -EBADMSG with the
 * text decrypted nevertheless, as most drivers leave it.
 */
int session_auth(struct session *s, int op, const uint8_t *iv, const uint8_t *aad, size_t aad_len,
		 uint8_t *text, size_t len);

#endif
