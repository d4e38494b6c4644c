/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD context: the base's context, a phase (request/aead/table.h), and a log of what the base
 * has not been told. The kernel needs a message whole, with its nonce, AAD and tag, so these are
 * noted until the text comes. If the kernel does the text, the base is told nothing, unless a later
 * call depends on what it knows: then it makes all the calls that were noted.
 */
#ifndef KC_REQUEST_AEAD_H
#define KC_REQUEST_AEAD_H

#include "request/aead/table.h"
#include "request/context.h"

struct kc_aead {
	struct kc_context; /* its threshold: shorter updates are the base's, whatever the phase */
	const struct kc_aead_family *family;
	enum kc_phase phase;
	enum kc_dir key_dir; /* of the key, of which ->key is a copy; KC_NO_DIR: there is none */
	unsigned short_run;  /* messages without a long text, one after the other */
	/*
	 * Messages left that the base does, in phase BASE, without a look at the table; 0: none. An
	 * init with a nonce that does not end them, texts, AAD, finals and tags change no phase.
	 */
	unsigned asleep;
	size_t checked; /* bytes: shorter texts are the base's then, if it matters that one fails */
	kc_final_fn *end; /* the base's, asleep where a failed final does not matter; else NULL */
	bool doubted;	  /* the kernel called the tag bad; the base's final will decide */
	/*
	 * Where a tag stays: the base does not have the last one that was made, ->made, with which
	 * it would compare, or which it would return.
	 */
	bool owes_tag;

	uint8_t *copy;		   /* the input that the kernel did or is doing; NULL: none */
	size_t copy_len;	   /* bytes, like the next two */
	size_t secret_len;	   /* of it, to be wiped: what will be decrypted is no secret */
	size_t total;		   /* CCM: the length that is noted; 0: none */
	unsigned aad_len, tag_len; /* bytes that are noted; tag_len: also, that ->tag is in force */
	struct kc_lengths lengths; /* that the key has */
	size_t said_nonce_len;	   /* bytes, as the base reports it; 0: unknown */

	/* From here on not zeroed at first: other members tell what has been set. */
	uint8_t tag[KC_MAX_TAG]; /* the last one that was set, for decryption */
	union { /* a tag that is set takes the place of the last one that was made */
		uint8_t next_tag[KC_MAX_TAG]; /* as ->tag, for the message after this one */
		uint8_t made[KC_MAX_TAG];     /* see ->owes_tag */
	};
	uint8_t text_tag[KC_MAX_TAG]; /* from encrypting the text in ->copy */
	uint8_t record_aad[KC_RECORD_AAD];
	uint8_t carried[8];	  /* of the nonce, by the record whose AAD is in ->aad */
	uint8_t nonce[KC_MAX_IV]; /* of the message; where records carry none, their fixed part */
	uint8_t aad[KC_MAX_AAD];  /* of the message, or of the last record, which the kernel did */
	uint8_t key[KC_MAX_KEY];
};

/* What differs between the families; what a cell of the table can express is there. */
struct kc_aead_family {
	enum kc_phase first, base; /* a new context's row; the one where the base does it all */
	enum kc_call text[2];	   /* by direction */
	enum kc_call declare;	   /* an update without input or output */
	bool tag_stays;		   /* a text does not use the tag up that was set */
	bool nonce_is_fixed;	   /* the first record turns the init's nonce into the fixed part */
	bool begins_anew;	   /* at each nonce, so that a failure before it means nothing */
	bool tells_tag_len;	   /* the base notes the length of a tag that it returns */
	enum kc_call (*set_length)(const struct kc_aead *c, bool of_tag, size_t len);
	/* After an init with a key: 1, or 0 if the base fails. NULL: lengths are fixed. */
	int (*take_lengths)(struct kc_aead *c);
	/* Of the message whose text the base has just been told: what ends it. 1 or 0. */
	int (*tell_end)(struct kc_aead *c);
	/* Can a tag of @len bytes be had from what was made? */
	bool (*has_tag)(const struct kc_aead *c, size_t len);
	/* The kernel called the tag bad, and the base did the text with this result. */
	void (*doubt)(struct kc_aead *c, bool ok);
};

extern const struct kc_aead_family kc_aead_families[KC_FAMILY_COUNT];

/* A parameter set by an application that the core must know. */
enum kc_set {
	KC_SET_NOTHING,
	KC_SET_TAG,
	KC_SET_NONCE_LEN,
	KC_SET_RECORD, /* a record's AAD */
	KC_SET_FIXED,  /* the fixed part of records' nonces */
	KC_SET_OTHER,  /* several of these, or with unknown effects */
};

/* One of them: bytes, or NULL, and their length or the length that is set. OTHER: a tag. */
struct kc_setting {
	enum kc_set what;
	const uint8_t *data;
	size_t len;
};

/* NULL if memory is short. */
struct kc_aead *kc_aead_new(const struct kc_base *base, struct kc_candidate *first);

/*
 * To call before the base's init in direction ->dir, and after it: @ok is the base's result.
 * Lengths in bytes; @key and @iv as given by the application, NULL: unchanged. with: @set is given
 * in the same call. 1, or 0 if the base fails.
 */
int kc_aead_starts(struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
		   size_t iv_len);
/* Before an init that comes with a setting. */
int kc_aead_starts_with(struct kc_aead *c, const struct kc_setting *set, const uint8_t *key,
			size_t key_len, const uint8_t *iv, size_t iv_len);
/* After the base's init. */
void kc_aead_started(struct kc_aead *c, const uint8_t *key, const uint8_t *iv, size_t iv_len,
		     bool ok);

/*
 * To call before the base is given a setting, and after it. KC_NOTED: it need not be; KC_FAILED: it
 * must not be.
 */
enum kc_outcome { KC_FAILED, KC_NOTED, KC_TO_BASE };
/* Before it is given. */
enum kc_outcome kc_aead_sets(struct kc_aead *c, const struct kc_setting *set);
/* After the base was given the setting; @ok: it took it. */
void kc_aead_was_set(struct kc_aead *c, const struct kc_setting *set, bool ok);

/*
 * To call before the base is asked for what depends on the calls that it knows. 1, or 0 if the base
 * fails.
 */
int kc_aead_asks(struct kc_aead *c);

/* The tag, asked for with @len bytes: 1, or 0 if it fails. */
int kc_aead_get_tag(struct kc_aead *c, uint8_t *tag, size_t len);

/*
 * The base is told all, and does everything in this context from then on. To call before anything
 * that does not fit or that we do not know, such as handing out a pointer to the nonce, through
 * which the application may write at any time. 1, or 0 if the base fails.
 */
int kc_aead_give_up(struct kc_aead *c);

/* OpenSSL's provider functions; @ctx is a struct kc_aead. */
void *kc_aead_dup(void *ctx); /* NULL also where the base has no such function */
void kc_aead_free(void *ctx);
kc_update_fn kc_aead_update, kc_aead_oneshot;
kc_final_fn kc_aead_final;

/*
 * From here on for the files of AEADs alone. Plays a call that the base is going to do: tells it
 * what has to precede, and enters the next phase. 1, or 0 if the base fails.
 */
int kc_aead_pass_on(struct kc_aead *c, enum kc_call call);

/* Notes nonce, AAD and tag again from now on. */
static inline void kc_aead_wake(struct kc_aead *c)
{
	c->asleep = 0;
	c->checked = 0;
	c->end = NULL;
}

/* A tag that is owed has each call looked at, as the base may make another one. */
static inline void kc_aead_look(struct kc_aead *c)
{
	c->threshold = 0;
	if ((c->phase == KC_PHASE_BASE || c->phase == KC_PHASE_BASE_FOR_EVER) && !c->owes_tag)
		c->threshold = KC_NO_DETOUR;
}

/* The context is in @phase now, and awake. */
static inline void kc_aead_enter_phase(struct kc_aead *c, enum kc_phase phase)
{
	c->phase = phase;
	kc_aead_wake(c);
	kc_aead_look(c);
}

/* The same as kc_aead_pass_on(), quick where the table has nothing to do. */
static inline int kc_aead_pass(struct kc_aead *c, enum kc_call call)
{
	const struct kc_step *step = &kc_aead_table[c->phase][call];

	if (step->act != KC_PASS || c->copy)
		return kc_aead_pass_on(c, call);
	/* Otherwise nothing changes, and there is nothing to wake for. */
	if (step->next != c->phase)
		kc_aead_enter_phase(c, step->next);
	return 1;
}

/*
 * Gives the base the tag that is owed, if it can take it. To call if there is one. @is_set: one was
 * set since it was made.
 */
void kc_aead_pay(struct kc_aead *c, bool is_set);

/* The base has made a tag itself. */
void kc_aead_owe_nothing(struct kc_aead *c);

/* To call when the base has returned @len bytes of a tag. */
static inline void kc_aead_correct_tag(const struct kc_aead *c, uint8_t *tag, size_t len)
{
	if (c->owes_tag)
		memcpy(tag, c->made, len);
}

/* Is there anything that the base has not been told, or was told and may be told again? */
bool kc_aead_has_notes(const struct kc_aead *c);

/* Plays a call that was done without the base. */
static inline void kc_aead_enter(struct kc_aead *c, enum kc_call call)
{
	kc_aead_enter_phase(c, kc_aead_table[c->phase][call].next);
}

/* What the table has for a call. */
static inline enum kc_act kc_aead_act(const struct kc_aead *c, enum kc_call call)
{
	return kc_aead_table[c->phase][call].act;
}

/* The base's result; after a failure nobody knows its state. */
int kc_aead_failed(struct kc_aead *c);

/* The result of the base, after which the table may have to be left. */
static inline int kc_aead_done(struct kc_aead *c, int ok)
{
	return ok ? ok : kc_aead_failed(c);
}

/* Keeps @len bytes of input, as it is in direction ->dir; false if memory is short. */
bool kc_aead_take_copy(struct kc_aead *c, const uint8_t *in, size_t len);

/* Drops the input, which the base need not know. */
void kc_aead_drop_copy(struct kc_aead *c);

/*
 * A request in flight, of a job that has been left: whoever enters the context now is not that job,
 * which is in the middle of an update. So nobody will resume it, and it counts as not made. Calls
 * that are passed on look for it as for all else that is kept (->copy); to call before others.
 */
void kc_aead_abandon(struct kc_aead *c);

/* At the start of a call: a request in flight was abandoned. */
static inline void kc_aead_come_in(struct kc_aead *c)
{
	if (kc_gate_is_busy(&c->gate))
		kc_aead_abandon(c);
}

/*
 * Asks the kernel for the text that @req has at @in: done from a copy of all the @inl bytes there,
 * which is kept; NULL: none is. @nonce: ->lengths.nonce bytes. 0: done; -errno of the kernel; 1:
 * not tried. Unless 0 is returned, nothing is written to @req's places, and no copy is kept.
 */
int kc_aead_ask_kernel(struct kc_aead *c, struct kc_req *req, const uint8_t *nonce,
		       const uint8_t *in, size_t inl);

/* Notes a record's AAD, if the base would take it. */
bool kc_aead_note_record(struct kc_aead *c, const uint8_t *aad, size_t len);

/* The record whose AAD is noted: an update, which may be long enough for the kernel. */
int kc_aead_record(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl, bool is_long);

/* Tells the base of the kernel's last record, and the AAD that is noted. 1, or 0 if it fails. */
int kc_aead_tell_records(struct kc_aead *c);

#endif
