/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sessions of one open file, with their ciphers and hashes, done by libcrypto. This file knows
 * nothing of FUSE.
 */
#ifndef KC_TESTS_CUSE_SESSIONS_H
#define KC_TESTS_CUSE_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_IV	 16 /* bytes, like the next one */
#define MAX_HASH 64

struct cipher {
	uint32_t id; /* CRYPTO_* */
	const char *option;
	const char *name;		  /* as in the kernel's list of algorithms */
	const char *mode, *word;	  /* for the driver's name */
	const char *evp;		  /* %u: the key's bits */
	unsigned block, iv_len;		  /* bytes */
	unsigned min_key, max_key, steps; /* bytes */
	unsigned keys;			  /* number of keys: two for XTS */
	unsigned tag_len;		  /* of an AEAD: the longest one, bytes */
};

#define CIPHERS 11
extern const struct cipher ciphers[CIPHERS];

/* A digest, and the HMAC that uses it. */
struct hash {
	uint32_t id, hmac_id; /* CRYPTO_* */
	const char *name;     /* as in the kernel's list of algorithms */
	const char *evp;
	unsigned size; /* bytes of the answer */
};

#define HASHES 7
extern const struct hash hashes[HASHES];

struct session;
struct sessions;

struct sessions *sessions_new(void);
/* Ends all sessions, after the requests that are running. Returns the number of sessions. */
unsigned sessions_free(struct sessions *all);

/*
 * Opens a session. Returns 0; -EINVAL if the key has a wrong length; -ENOMEM on any other failure.
 */
int sessions_open(struct sessions *all, const struct cipher *cipher, const uint8_t *key,
		  size_t key_len, uint32_t *sid);
int sessions_open_hash(struct sessions *all, const struct hash *hash, bool is_hmac,
		       const uint8_t *key, size_t key_len, uint32_t *sid);
/* Ends a session. Returns 0, or -ENOENT if there is no such session. */
int sessions_close(struct sessions *all, uint32_t sid);

/*
 * Waits until no other thread has locked the session, and locks it. NULL: there is no such session.
 */
struct session *session_lock(struct sessions *all, uint32_t sid);
void session_unlock(struct session *s);
/* The session's cipher or its hash; the other one is NULL. */
const struct cipher *session_cipher(const struct session *s);
const struct hash *session_hash(const struct session *s);
bool session_is_hmac(const struct session *s);

/*
 * Encrypts or decrypts with this IV; NULL continues the previous request. Works page by page, as
 * the module copies, or on the whole text at once. Returns 0, or -EIO if libcrypto fails.
 */
int session_run(struct session *s, int op, const uint8_t *iv, const uint8_t *in, uint8_t *out,
		size_t len, bool by_page);

/* Hashes a whole message. Returns 0, or -EIO if libcrypto fails. */
int session_run_hash(const struct session *s, const uint8_t *in, size_t len, uint8_t *out);

/* Sets up libcrypto without a configuration and with all its ciphers. */
void sessions_prepare(void);

/* Sets the session's tag length to @len; 0 leaves it. Returns -EINVAL if it would grow. */
int session_tag_len(struct session *s, unsigned len);
/*
 * Encrypts or decrypts @len bytes at @text in place; the tag follows them. Both contexts start
 * anew. Returns -EBADMSG for a bad tag, with the text decrypted nevertheless, as most drivers do.
 */
int session_auth(struct session *s, int op, const uint8_t *iv, const uint8_t *aad, size_t aad_len,
		 uint8_t *text, size_t len);

#endif
