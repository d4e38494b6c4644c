/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher context: the base's context, plus only what a detour through the kernel needs. A request
 * below the threshold costs one comparison and one call into the base.
 */
#ifndef KC_REQUEST_CIPHER_H
#define KC_REQUEST_CIPHER_H

#include "request/context.h"

#define KC_FED_AWAY ((uint64_t)1 << 63)
#define KC_NO_IV    SIZE_MAX

enum kc_tls_mode { KC_TLS_NO, KC_TLS_YES, KC_TLS_UNKNOWN };

/* The last large update, if it was one plain request of the gate as a whole, at a block's start. */
struct kc_usual {
	const size_t *at; /* the output's length, on the caller's stack; NULL: it was not */
	const uint8_t
		*next_iv;  /* its text that is the next IV, of 16 bytes; NULL: to be computed */
	size_t block_mask; /* a block's length less 1 */
	struct kc_req req;
};

struct kc_cipher {
	struct kc_context; /* threshold: KC_NO_DETOUR until an init makes a detour possible */
	/*
	 * Bytes since the last init; from it follows how many the base holds back. KC_FED_AWAY is
	 * added while the kernel does an update, and so stays if a job is abandoned there.
	 */
	uint64_t fed;
	/*
	 * Bytes: an init with an IV of this length may take the short way, kc_cipher_restarts().
	 * Normally the length of most rows' IVs; KC_NO_IV while the kernel does an update.
	 */
	size_t restart_iv;
	enum kc_dir key_dir;
	bool key_set; /* ->key is the base's key */
	bool iv_set;
	enum kc_tls_mode tls;  /* is an update a TLS record? */
	bool other_key_len;    /* the program set another key length, which only the base knows */
	bool no_padding;       /* padding was switched off last */
	bool placed;	       /* ->place is valid; otherwise ask the base */
	struct kc_place place; /* ->num: as it was before any input; 0 unless a stream's */

	/* Not zeroed at first from here on: other members tell what has been set. */
	uint8_t iv[KC_MAX_IV]; /* from the last init that had one */
	uint8_t key[KC_MAX_KEY];

	struct kc_usual usual; /* not copied, and no secret */
};

/* Returns a new context; NULL if memory is short. */
struct kc_cipher *kc_cipher_new(const struct kc_base *base, struct kc_candidate *first);

/*
 * Call it after the base's init; @ok is the base's result. @key and @iv are the application's,
 * lengths are in bytes; NULL: unchanged.
 */
void kc_cipher_started(struct kc_cipher *c, enum kc_dir dir, const uint8_t *key, size_t key_len,
		       const uint8_t *iv, size_t iv_len, bool ok);

/* Keeps the key for this direction. A session with another key ends. */
static inline void kc_cipher_take_key(struct kc_cipher *c, enum kc_dir dir, const uint8_t *key)
{
	size_t len = c->base->alg->key_len;

	kc_gate_rekey(&c->gate, c->key, key, len);
	kc_copy_short(c->key, key, len);
	c->key_set = true;
	c->key_dir = dir;
}

/*
 * The short way of an init, for the usual one: an IV of the length that most rows have, with a key
 * or with NULL for the current one. True: everything is noted. If the base's init then fails, as
 * for an IV whose length is not the row's, call kc_cipher_key_lost(). False: call
 * kc_cipher_started() after the base's init.
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
 * The base may have another key, another key length, or a part of a failed init: until the next key
 * it does everything. Returns 0, as the base's init did.
 */
__attribute__((cold)) int kc_cipher_key_lost(struct kc_cipher *c);

/*
 * A base that failed may have taken a part of the input, so our counts are no longer right. Returns
 * 0.
 */
__attribute__((cold)) int kc_cipher_failed(struct kc_cipher *c);

/*
 * Takes a large request through the kernel, and leaves the base's stream where the base would have
 * left it. Like the base's function @rest (update or oneshot), which does everything that the
 * kernel does not. @req: the whole of it, without an IV. Counts what the base is fed; after a
 * failure, no detour follows. Preserves errno and adds no cancellation point.
 */
int kc_detour(struct kc_cipher *c, struct kc_req *req, size_t *outl, size_t outsize,
	      kc_update_fn *rest);

/* OpenSSL's provider functions; @ctx is a struct kc_cipher. */
void *kc_cipher_dup(void *ctx);
/* Wipes and frees the context. */
void kc_cipher_free(void *ctx);
kc_update_fn kc_cipher_update, kc_cipher_oneshot;
kc_final_fn kc_cipher_final;

/* Call it when the base's place may have changed, or what it does with padding. */
static inline void kc_cipher_displace(struct kc_cipher *c)
{
	c->placed = false;
	c->usual.at = NULL;
}

/* Lets an init with only an IV take the short way again. */
static inline void kc_cipher_allow_restart(struct kc_cipher *c)
{
	c->restart_iv = sizeof(c->iv);
}

/*
 * Drops a request in flight. Its job was abandoned: a call that enters the context now, an init or
 * a long update, cannot come from that job, which is in the middle of an update. Unless an init
 * came since, the position in the stream is unknown.
 */
void kc_cipher_abandon(struct kc_cipher *c);

/*
 * The rest is for the files of ciphers alone. Has the kernel do one request, and moves @iv, which
 * is the request's, to the next block. @key: NULL if kc_gate_is_plain().
 */
bool kc_cipher_run(struct kc_cipher *c, const struct kc_key *key, uint8_t *iv,
		   const struct kc_req *req);

/*
 * A body longer than one request, in a mode in which no
 * piece needs another piece's output. Several pieces are in flight at a time.
 */

/* True if this mode, direction and session allow several requests in flight. */
bool kc_pieces_fit(const struct kc_cipher *c);

/*
 * Has the kernel do @body bytes of whole blocks from @iv on, in pieces of at most @limit bytes.
 * Returns how many bytes were done, with @iv the IV that follows them; nothing beyond them was
 * written to @out, which may be @in. Stops after the first piece if the driver did it at once: then
 * one at a time is best.
 */
size_t kc_pieces_run(struct kc_cipher *c, uint8_t *iv, uint8_t *out, const uint8_t *in, size_t body,
		     size_t limit);

#endif
