/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD context: the base's context, and beside it what it takes to know that the base stands
 * at the start of a message's text, with which nonce, AAD and tag. Only from there can the kernel
 * do the text, since it wants whole messages.
 */
#ifndef KC_REQUEST_AEAD_H
#define KC_REQUEST_AEAD_H

#include <string.h>

#include "offload/gate.h"

/* What is still as it was set: the bits of kc_aead.fresh. */
#define KC_FRESH_IV   1u /* by an init, and nothing was fed since */
#define KC_FRESH_TEXT 2u /* the same, but for AAD, of which we have a copy */
#define KC_FRESH_TAG  4u /* decryption's tag, and no text was fed since */

struct kc_aead {
	/* Touched by every message, this and the next. */
	size_t threshold;     /* bytes; KC_NO_DETOUR; 0: ask first, see ->copy, ->doubted */
	kc_update_fn *update; /* of the base */
	void *base_ctx;
	unsigned fresh;
	unsigned short_run; /* messages without a long text, one after the other */
	enum kc_dir dir, key_dir;

	/*
	 * The input of a text that the kernel did and the base does not know of; NULL: there is
	 * none.
	 */
	uint8_t *copy;

	const struct kc_aead_base *base;
	bool key_set;	 /* our copy is the base's key */
	bool exposed;	 /* somebody has a pointer to the base's nonce and may write there */
	bool in_pieces;	 /* messages of this key come in several updates: no detours */
	bool doubted;	 /* the kernel called the tag bad, and the base's final will say */
	bool tls;	 /* records came: no messages, for good */
	bool record;	 /* the next update is one, and ->record_aad is the base's too */
	bool finished;	 /* by final, no IV since: OpenSSL 4.0's ChaCha20 refuses records */
	bool fixed_set;	 /* the fixed part of a record's nonce */
	bool tag_hidden; /* while the base says ->mark for its tag, ->shown_tag is right */

	struct kc_gate gate;
	unsigned nonce_len, aad_len, tag_len; /* bytes; tag_len: of ->tag */
	size_t total; /* CCM: bytes of text as declared; SIZE_MAX: not declared */
	struct kc_lengths
		key_lengths; /* CCM: as they were when the key was set, which makes them count */

	size_t said_nonce_len; /* bytes, what the base says when it is asked; 0: not known */

	size_t copy_len; /* bytes, this and the next */
	unsigned made_len;
	uint8_t made_tag[KC_MAX_TAG]; /* encryption's, of that text */

	uint8_t shown_tag[KC_MAX_TAG], mark[KC_MAX_TAG];
	uint8_t tag[KC_MAX_TAG]; /* as set for decryption */
	uint8_t nonce[KC_MAX_IV];
	uint8_t aad[KC_MAX_AAD];
	uint8_t record_aad[KC_RECORD_AAD];
	uint8_t fixed[KC_RECORD_NONCE]; /* only where records carry no part of it */
	uint8_t key[KC_MAX_KEY];
};

/* Parameters that an application sets, of those that the core has to know. */
#define KC_SET_TAG	 1u
#define KC_SET_NONCE_LEN 2u
#define KC_SET_RECORD	 4u  /* a record's AAD */
#define KC_SET_FIXED	 8u  /* the fixed part of records' nonces */
#define KC_SET_OTHER	 16u /* who knows what this changes */

struct kc_settings {
	unsigned what;	    /* KC_SET_* */
	const uint8_t *tag; /* NULL: only its length */
	const uint8_t *record_aad, *fixed;
	size_t tag_len, record_aad_len, fixed_len; /* bytes */
	bool with_key;				   /* in the init that brought a key */
};

/* NULL where memory is short. */
struct kc_aead *kc_aead_new(const struct kc_aead_base *base, struct kc_candidate *first);

/* Are our copies of key and nonce those that the base would use now? */
static inline bool kc_aead_copies_usable(const struct kc_aead *c)
{
	/* Without a new key the base's schedule may have the other direction: its answer counts. */
	return c->key_set && c->dir == c->key_dir && !c->exposed;
}

/* Is what a message's text has to find as it was set still so? */
static inline bool kc_aead_message_possible(const struct kc_aead *c)
{
	unsigned needed = KC_FRESH_TEXT | (c->dir == KC_DECRYPT ? KC_FRESH_TAG : 0);

	return !c->tls && !c->in_pieces && (c->fresh & needed) == needed &&
	       kc_aead_copies_usable(c);
}

/*
 * After some short messages in a row, a context expects more of them: it leaves them to the base
 * and notes nothing, so that none of them can make a detour, and looks up again where a text is
 * long, or after many. Not where a nonce is also a record's.
 */
#define KC_IDLE_FROM 8
#define KC_IDLE_TO   1024

static inline bool kc_aead_is_idle(const struct kc_aead *c)
{
	return c->short_run - KC_IDLE_FROM < KC_IDLE_TO - KC_IDLE_FROM;
}

static inline void kc_aead_take_nonce(struct kc_aead *c, const uint8_t *nonce, size_t len)
{
	memcpy(c->nonce, nonce, len);
	c->nonce_len = (unsigned)len;
	c->aad_len = 0;
	c->finished = false;
	c->fresh = (c->fresh & KC_FRESH_TAG) | KC_FRESH_IV | KC_FRESH_TEXT;
	c->short_run = c->short_run < KC_IDLE_TO ? c->short_run + 1 : 0;
	if (!c->base->common.alg->record_iv_len) {
		c->short_run = 0;
		memcpy(c->fixed, nonce, sizeof(c->fixed));
		c->fixed_set = true;
	}
}

/* What an init ends, whatever it brings. */
static inline void kc_aead_begin(struct kc_aead *c, enum kc_dir dir)
{
	c->dir = dir;
	c->record = false;
	c->doubted = false;
	c->total = SIZE_MAX;
}

/*
 * The usual init of a context that has its key: a nonce of 12 bytes for the next message. True
 * where it is one and all is noted; if the base's init fails, kc_aead_init_failed(). False: see
 * below.
 */
static inline bool kc_aead_restarts(struct kc_aead *c, enum kc_dir dir, const uint8_t *iv,
				    size_t iv_len)
{
	if (!iv || iv_len != KC_RECORD_NONCE || c->copy)
		return false;
	kc_aead_begin(c, dir);
	kc_aead_take_nonce(c, iv, KC_RECORD_NONCE);
	kc_gate_renew(&c->gate, dir);
	c->threshold = kc_aead_message_possible(c) ? c->gate.entry : KC_NO_DETOUR;
	return true;
}

/* As kc_aead_restarts(); true: nothing has to be noted. */
static inline bool kc_aead_idles(struct kc_aead *c, enum kc_dir dir, const uint8_t *iv,
				 size_t iv_len)
{
	if (!kc_aead_is_idle(c) || !iv || iv_len != KC_RECORD_NONCE || dir != c->dir)
		return false;
	c->short_run++;
	c->fresh = 0;
	c->threshold = c->gate.entry;
	return true;
}

/* Returns 0. */
__attribute__((cold)) int kc_aead_init_failed(struct kc_aead *c);

/*
 * Before the base's init, and after it: @ok as it answered. Lengths in bytes; @key and @iv as the
 * application gave them, NULL: unchanged. 1, or 0 where the base fails.
 */
int kc_aead_starts(struct kc_aead *c, const uint8_t *iv, size_t iv_len);
void kc_aead_started(struct kc_aead *c, enum kc_dir dir, const uint8_t *key, size_t key_len,
		     const uint8_t *iv, size_t iv_len, bool ok);

/* After parameters were set, before which the base has caught up, or with an init. */
void kc_aead_changed(struct kc_aead *c, const struct kc_settings *set, bool ok);

/* The same, where a tag was set and nothing else, as for every message that is decrypted. */
void kc_aead_tag_set(struct kc_aead *c, const uint8_t *tag, size_t len);

/* The pending text is not needed any more. */
void kc_aead_drop(struct kc_aead *c);

/* The base is brought to where the application thinks it is. 1, or 0 where it fails. */
int kc_aead_tell_base(struct kc_aead *c);

static inline int kc_aead_catch_up(struct kc_aead *c)
{
	c->doubted = false;
	return !c->copy || kc_aead_tell_base(c);
}

/* Before the base makes up an IV of its own: as the above, and it does this message. */
int kc_aead_leave_to_base(struct kc_aead *c);

/* Before the base hands out a pointer to its nonce: it does all that comes in this context. */
int kc_aead_expose(struct kc_aead *c);

/*
 * Before the base is asked for a tag while there is a ->copy or a ->tag_hidden: 1, or 0 where it
 * can't be asked. And after it answered: puts the right tag in its place. By that CCM's message is
 * over.
 */
int kc_aead_before_tag(struct kc_aead *c);
void kc_aead_after_tag(struct kc_aead *c, uint8_t *tag, size_t len);

/* OpenSSL's provider functions; @ctx is a struct kc_aead. */
void *kc_aead_dup(void *ctx); /* NULL also where the base has no such function */
void kc_aead_free(void *ctx);
kc_update_fn kc_aead_update, kc_aead_oneshot;
kc_final_fn kc_aead_final;

/* Sets the length of an update from which on it is worth a closer look. */
void kc_aead_set_threshold(struct kc_aead *c);

/* Is there a session that takes a text of @len bytes and makes tags of @tag_len? */
bool kc_aead_ready(struct kc_aead *c, unsigned tag_len, size_t len);

/*
 * One request, in parts of which the caller leaves iv to us: it follows from @nonce. As
 * kc_gate_run().
 */
int kc_aead_run(struct kc_aead *c, struct kc_req *req, unsigned tag_len, const uint8_t *nonce,
		size_t nonce_len);

#endif
