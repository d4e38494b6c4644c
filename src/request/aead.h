/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD context: the base's context, and the facts that tell whether the base stands at the start
 * of a message's text, with which nonce, AAD and tag. Only from there can the kernel do the text,
 * since it needs whole messages.
 */
#ifndef KC_REQUEST_AEAD_H
#define KC_REQUEST_AEAD_H

#include <string.h>

#include "offload/gate.h"

/* Settings that are still unchanged: the bits of kc_aead.fresh. */
#define KC_FRESH_IV   1u /* by an init, and the base has been fed nothing since */
#define KC_FRESH_TEXT 2u /* likewise, except for AAD, of which we have a copy */
#define KC_FRESH_TAG  4u /* decryption's tag, and the base has been fed no text since */

struct kc_aead {
	/*
	 * Touched by every message, like the next. Bytes: a shorter update is the base's, and there
	 * is nothing to note of it; 0: see to each.
	 */
	size_t threshold;
	kc_update_fn *update; /* the base's */
	void *base_ctx;
	const struct kc_aead_base *base;
	unsigned idle;	    /* messages that the base does before we take notes again; 0: we do */
	unsigned short_run; /* messages noted without a long text, one after the other */
	enum kc_dir dir, key_dir;

	/*
	 * The input of a text that the kernel has done and the base does not know about; NULL:
	 * none.
	 */
	uint8_t *copy;

	unsigned fresh;
	bool key_set;	 /* our copy is the base's key */
	bool exposed;	 /* the application has a pointer to the base's nonce and may write there */
	bool in_pieces;	 /* messages with this key come in several updates: no detours */
	bool doubted;	 /* the kernel called the tag bad; the base's final will decide */
	bool tls;	 /* records have come: no more messages, for good */
	bool record;	 /* the next update is a record, and the base has ->record_aad too */
	bool finished;	 /* by final, without an IV since: OpenSSL 4.0's ChaCha20 refuses records */
	bool fixed_set;	 /* the fixed part of a record's nonce */
	bool tag_hidden; /* as long as the base returns ->mark as its tag, ->shown_tag is right */

	struct kc_gate gate;
	unsigned nonce_len, aad_len, tag_len; /* bytes; tag_len is that of ->tag */
	size_t total; /* CCM: declared bytes of text; SIZE_MAX: not declared */
	struct kc_lengths
		key_lengths; /* CCM: those in effect, from the time when the key was set */

	size_t said_nonce_len; /* bytes, as the base reports it; 0: unknown */

	size_t copy_len; /* bytes, like the next */
	unsigned made_len;
	uint8_t tag[KC_MAX_TAG]; /* as set for decryption */
	uint8_t record_aad[KC_RECORD_AAD];
	uint8_t fixed[KC_RECORD_NONCE]; /* only if records carry no part of it */

	/* From here on not zeroed at first: other members tell what has been set. */
	uint8_t made_tag[KC_MAX_TAG]; /* from encrypting that text */
	uint8_t shown_tag[KC_MAX_TAG], mark[KC_MAX_TAG];
	uint8_t nonce[KC_MAX_IV];
	uint8_t aad[KC_MAX_AAD];
	uint8_t key[KC_MAX_KEY];
};

/* Parameters set by an application that the core must know. */
#define KC_SET_TAG	 1u
#define KC_SET_NONCE_LEN 2u
#define KC_SET_RECORD	 4u  /* a record's AAD */
#define KC_SET_FIXED	 8u  /* the fixed part of records' nonces */
#define KC_SET_OTHER	 16u /* with unknown effects */

struct kc_settings {
	unsigned what;	    /* KC_SET_* */
	const uint8_t *tag; /* NULL: only its length */
	const uint8_t *record_aad, *fixed;
	size_t tag_len, record_aad_len, fixed_len; /* bytes */
	bool with_key;				   /* in the init that set a key */
};

/* NULL if memory is short. */
struct kc_aead *kc_aead_new(const struct kc_aead_base *base, struct kc_candidate *first);

/* From here on the base does the message: nothing has to be noted until the next one. */
static inline void kc_aead_rest(struct kc_aead *c)
{
	size_t longest = c->idle ? c->gate.entry : KC_NO_DETOUR;

	c->fresh = 0;
	c->record = false;
	/* Only with CCM it matters if an update fails. */
	c->threshold = c->base->common.alg->stream ? longest : 0;
}

/* kc_aead_starts() for a context with a ->copy or a ->tag_hidden. */
int kc_aead_start_noted(struct kc_aead *c, const uint8_t *iv, size_t iv_len);

/*
 * To call before the base's init in the direction ->dir, and after it: @ok is the base's result.
 * Lengths in bytes; @key and @iv as given by the application, NULL: unchanged. 1, or 0 if the base
 * fails.
 */
static inline int kc_aead_starts(struct kc_aead *c, const uint8_t *iv, size_t iv_len)
{
	c->doubted = false;
	return !(c->copy || c->tag_hidden) || kc_aead_start_noted(c, iv, iv_len);
}

void kc_aead_started(struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
		     size_t iv_len, bool ok);

/*
 * To call after parameters were set, on their own (the base must have caught up before) or in an
 * init.
 */
void kc_aead_changed(struct kc_aead *c, const struct kc_settings *set, bool ok);

/* Likewise, if only a tag was set, as for every message that is decrypted. */
void kc_aead_tag_set(struct kc_aead *c, const uint8_t *tag, size_t len);

/* Drops the pending text, which is no longer needed. */
void kc_aead_drop(struct kc_aead *c);

/* Brings the base to the state that the application expects. 1, or 0 if it fails. */
int kc_aead_tell_base(struct kc_aead *c);

static inline int kc_aead_catch_up(struct kc_aead *c)
{
	c->doubted = false;
	return !c->copy || kc_aead_tell_base(c);
}

/*
 * To call before the base generates an IV: catches up as above, and leaves this message to the
 * base.
 */
int kc_aead_leave_to_base(struct kc_aead *c);

/*
 * To call before the base hands out a pointer to its nonce: it does everything in this context from
 * then on.
 */
int kc_aead_expose(struct kc_aead *c);

/*
 * To call before the base is asked for a tag while there is a ->copy or a ->tag_hidden: 1, or 0 if
 * it can't be asked. And after it has answered: puts the right tag in place. That ends CCM's
 * message.
 */
int kc_aead_before_tag(struct kc_aead *c);
void kc_aead_after_tag(struct kc_aead *c, uint8_t *tag, size_t len);

/* OpenSSL's provider functions; @ctx is a struct kc_aead. */
void *kc_aead_dup(void *ctx); /* NULL also where the base has no such function */
void kc_aead_free(void *ctx);
kc_update_fn kc_aead_update, kc_aead_oneshot;
kc_final_fn kc_aead_final;

/* Is there a session that takes a text of @len bytes and makes tags of @tag_len bytes? */
bool kc_aead_ready(struct kc_aead *c, unsigned tag_len, size_t len);

/* Does one request; the caller leaves out its iv, which follows from @nonce. Like kc_gate_run(). */
int kc_aead_run(struct kc_aead *c, struct kc_req *req, unsigned tag_len, const uint8_t *nonce,
		size_t nonce_len);

#endif
