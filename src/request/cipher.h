/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher context: the base's context, plus only what a detour through the kernel needs. A request
 * below the threshold is one comparison and one call into the base.
 */
#ifndef KC_REQUEST_CIPHER_H
#define KC_REQUEST_CIPHER_H

#include "request/context.h"

#define KC_FED_AWAY ((uint64_t)1 << 63)
#define KC_NO_IV    SIZE_MAX

struct kc_cipher {
	struct kc_context; /* its threshold: KC_NO_DETOUR until an init makes one possible */
	/*
	 * Bytes since the last init: tells how many the base holds back. KC_FED_AWAY is added while
	 * the kernel does an update, so that it stays if a job is abandoned in it.
	 */
	uint64_t fed;
	/*
	 * Bytes: an IV of this length restarts the context without a look at anything else. So it
	 * is the usual one; or KC_NO_IV, while the kernel does an update.
	 */
	size_t restart_iv;
	enum kc_dir key_dir;
	bool key_set; /* our copy is the base's key */
	bool iv_set;
	bool tls;	       /* an update is a TLS record */
	bool other_key_len;    /* one was set: only the base knows which */
	bool no_padding;       /* the last thing said about padding was that it is off */
	bool placed;	       /* ->place is right; otherwise ask the base */
	struct kc_place place; /* ->num: as it was before any input */
	uint8_t iv[KC_MAX_IV]; /* from the last init that had one */
	uint8_t key[KC_MAX_KEY];
};

/* NULL if memory is short. */
struct kc_cipher *kc_cipher_new(const struct kc_base *base, struct kc_candidate *first);

/*
 * To call after the base's init: @ok is the base's result. @key and @iv as given by the
 * application, lengths in bytes; NULL: unchanged.
 */
void kc_cipher_started(struct kc_cipher *c, enum kc_dir dir, const uint8_t *key, size_t key_len,
		       const uint8_t *iv, size_t iv_len, bool ok);

/* Keeps the key for this direction; a session with another key ends. */
static inline void kc_cipher_take_key(struct kc_cipher *c, enum kc_dir dir, const uint8_t *key)
{
	size_t len = c->base->alg->key_len;

	kc_gate_rekey(&c->gate, c->key, key, len);
	kc_copy_short(c->key, key, len);
	c->key_set = true;
	c->key_dir = dir;
}

/*
 * The usual init: an IV for the next message, of the length that most rows have, and a key or NULL
 * for the current one. True if it is one and everything has been noted; if the base's init then
 * fails, as with an IV that is not the row's, the key is lost. False: see above.
 */
static inline bool kc_cipher_restarts(struct kc_cipher *c, enum kc_dir dir, const uint8_t *key,
				      size_t key_len, const uint8_t *iv, size_t iv_len)
{
	const struct kc_alg *alg = c->base->alg;

	if (!iv || iv_len != c->restart_iv || (key && key_len != alg->key_len))
		return false;
	if (key)
		kc_cipher_take_key(c, dir, key);
	memcpy(c->iv, iv, sizeof(c->iv));
	c->iv_set = true;
	c->place.num = 0;
	c->fed = 0;
	c->dir = dir;
	kc_gate_renew(&c->gate, dir);
	c->threshold = c->key_set && dir == c->key_dir ? c->gate.entry : KC_NO_DETOUR;
	return true;
}

/*
 * The base may have another key, another key length, or a part of a failed init: until the next
 * key, it does everything. 0, as its init returned.
 */
__attribute__((cold)) int kc_cipher_key_lost(struct kc_cipher *c);

/*
 * A base that failed may have taken a part of the input: none of our counts is right any more. 0.
 */
__attribute__((cold)) int kc_cipher_failed(struct kc_cipher *c);

/*
 * A large request through the kernel, and back to the base's stream. Like the base's function @rest
 * (update or oneshot), which does everything that the kernel does not. Counts what the base is fed;
 * after a failure, no detour follows. Leaves errno as it was and adds no cancellation point.
 */
int kc_detour(struct kc_cipher *c, unsigned char *out, size_t *outl, size_t outsize,
	      const unsigned char *in, size_t inl, kc_update_fn *rest);

/* OpenSSL's provider functions; @ctx is a struct kc_cipher. */
void *kc_cipher_dup(void *ctx);
/* Wipes and frees the context. */
void kc_cipher_free(void *ctx);
kc_update_fn kc_cipher_update, kc_cipher_oneshot;
kc_final_fn kc_cipher_final;

/* An init of the IV alone may take the short way. */
static inline void kc_cipher_allow_restart(struct kc_cipher *c)
{
	c->restart_iv = sizeof(c->iv);
}

/*
 * A request in flight, of a job that has been left: whoever enters the context now, by an init or a
 * long update, is not that job, which is in the middle of an update. So nobody will resume it.
 * Without an init since, nobody knows where the stream is.
 */
void kc_cipher_abandon(struct kc_cipher *c);

/*
 * From here on for the files of ciphers alone: a body that is longer than a request, in a mode
 * whose pieces need nothing of each other's output. Several are in flight at a time.
 */

/* Can the context's session have several in flight, in this direction? */
bool kc_pieces_fit(const struct kc_cipher *c);

/*
 * Lets the kernel do @body bytes of whole blocks from @iv on, in pieces of at most @limit. @iv
 * becomes the IV behind what has been done; returns the bytes of that. No more has been written
 * to @out, which may be @in. Stops behind the first piece if the driver has done that at once:
 * then one at a time is best.
 */
size_t kc_pieces_run(struct kc_cipher *c, uint8_t *iv, uint8_t *out, const uint8_t *in, size_t body,
		     size_t limit);

#endif
