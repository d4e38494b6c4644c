/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD context: the base's context, and a log of the calls that the base has not been told of.
 * Only a message of which we know nonce, AAD and tag can go to the kernel, which needs it whole. So
 * we record these calls until the text comes. If the kernel does the text, the base is told
 * nothing, unless a later call depends on what it knows; then it makes all the recorded calls
 * itself.
 */
#ifndef KC_REQUEST_AEAD_H
#define KC_REQUEST_AEAD_H

#include "request/context.h"

/* The calls that the base has not been told of: the bits of kc_aead.untold, in their order. */
#define KC_UNTOLD_TAG	   1u	/* ->tag was set */
#define KC_UNTOLD_LENGTH   2u	/* CCM: ->total was declared */
#define KC_UNTOLD_AAD	   4u	/* ->aad was fed */
#define KC_UNTOLD_RECORD   8u	/* ->aad was set as that of the record in ->copy, which was done */
#define KC_UNTOLD_TEXT	   16u	/* the text in ->copy was done */
#define KC_UNTOLD_END	   32u	/* its final came; CCM, which needs none: its tag was asked */
#define KC_UNTOLD_NEXT_AAD 64u	/* ->record_aad was set */
#define KC_UNTOLD_NEXT_TAG 128u /* ->next_tag was set */
#define KC_UNTOLD_COPY	   (KC_UNTOLD_RECORD | KC_UNTOLD_TEXT)

struct kc_aead {
	struct kc_context;   /* its threshold: 0 if every update must be inspected */
	unsigned unrecorded; /* messages left that the base does; 0: the calls are recorded */
	unsigned short_run;  /* messages recorded without a long text, one after the other */
	enum kc_dir key_dir; /* in which our copy is the base's key; KC_NO_DIR: it is not */
	unsigned untold;
	bool open; /* the base knows key and nonce of this message; the rest is in ->untold */

	bool made;  /* ->text_tag is the last tag that an encryption made; means nothing for CCM */
	bool begun; /* CCM: the base may have a length, AAD, text or tag of a message without end */
	bool given_up;	/* the base does everything, for good: see kc_aead_give_up() */
	bool in_pieces; /* messages with this key come in several updates: no detours */
	bool doubted;	/* the kernel called the tag bad; the base's final will decide */
	bool tls;	/* records have come: no more messages, for good */
	bool record;	/* the next update is a record with ->record_aad */
	bool fixed_set; /* the fixed part of a record's nonce, and no final since */

	uint8_t *copy;		   /* the input that the kernel did or is doing; NULL: none */
	size_t copy_len;	   /* bytes, like the next */
	unsigned aad_len, tag_len; /* tag_len is that of ->tag; 0: not known */
	size_t total;		   /* CCM: declared bytes of text */
	struct kc_lengths lengths; /* those that key and base agree on; CCM, 0: none */
	size_t said_nonce_len;	   /* bytes, as the base reports it; 0: unknown */

	/* From here on not zeroed at first: other members tell what has been set. */
	uint8_t tag[KC_MAX_TAG];      /* the last one that was set, for decryption */
	uint8_t next_tag[KC_MAX_TAG]; /* likewise, of the same length, for the next message */
	uint8_t text_tag[KC_MAX_TAG]; /* from encrypting the text in ->copy */
	uint8_t record_aad[KC_RECORD_AAD];
	uint8_t fixed[KC_RECORD_NONCE]; /* only if records carry no part of it */
	uint8_t nonce[KC_MAX_IV];
	uint8_t aad[KC_MAX_AAD];
	uint8_t key[KC_MAX_KEY];
};

/* A parameter set by an application that the core must know. */
enum kc_set {
	KC_SET_NOTHING,
	KC_SET_TAG,
	KC_SET_NONCE_LEN,
	KC_SET_RECORD, /* a record's AAD */
	KC_SET_FIXED,  /* the fixed part of records' nonces */
	KC_SET_OTHER,  /* several of these, or with unknown effects */
};

/* NULL if memory is short. */
struct kc_aead *kc_aead_new(const struct kc_base *base, struct kc_candidate *first);

/* Has the base make all the calls that it has not been told of. 1, or 0 if it fails. */
int kc_aead_tell(struct kc_aead *c);

static inline int kc_aead_catch_up(struct kc_aead *c)
{
	c->doubted = false;
	return !c->untold || kc_aead_tell(c);
}

/* Likewise; and the rest of this message is the base's: nothing is noted until the next one. */
int kc_aead_leave_to_base(struct kc_aead *c);

/*
 * To call before the base's init in the direction ->dir if there is something ->untold, and after
 * it: @ok is the base's result. Lengths in bytes; @key and @iv as given by the application, NULL:
 * unchanged. 1, or 0 if the base fails.
 */
int kc_aead_starts(struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
		   size_t iv_len);
void kc_aead_started(struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
		     size_t iv_len, bool ok);

/*
 * To call before parameters are set on their own, and this is the only one, in the form that the
 * base accepts: need it not be told now?
 */
bool kc_aead_tag_waits(struct kc_aead *c, const uint8_t *tag, size_t len);
bool kc_aead_record_waits(struct kc_aead *c, const uint8_t *aad, size_t len);

/*
 * To call after parameters were set: on their own, or in an init, @with_key. @data: NULL, or @len
 * bytes.
 */
void kc_aead_changed(struct kc_aead *c, enum kc_set what, const uint8_t *data, size_t len, bool ok,
		     bool with_key);

/* The tag, if it is asked for @len bytes of it and the base need not answer. Ends CCM's message. */
const uint8_t *kc_aead_tag(struct kc_aead *c, size_t len);

/*
 * To call before the base hands out a pointer to its nonce, through which the application may write
 * at any time, or after it got a tag of another length than the row's, which it may remember, or
 * anything that we do not know: the base does everything in this context from then on.
 */
int kc_aead_give_up(struct kc_aead *c);

/* OpenSSL's provider functions; @ctx is a struct kc_aead. */
void *kc_aead_dup(void *ctx); /* NULL also where the base has no such function */
void kc_aead_free(void *ctx);
kc_update_fn kc_aead_update, kc_aead_oneshot;
kc_final_fn kc_aead_final;

/* From here on for the files of AEADs alone. Drops the input, which the base need not know. */
void kc_aead_drop_copy(struct kc_aead *c);

/* CCM: until the next key, the kernel can do nothing. All others have their lengths for good. */
static inline void kc_aead_forget_lengths(struct kc_aead *c)
{
	if (!c->base->alg->stream)
		c->lengths = (struct kc_lengths){ 0, 0 };
}

#endif
