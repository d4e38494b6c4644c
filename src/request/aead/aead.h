/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD context: the base's context, a phase (request/aead/table.h), and notes of what the base
 * has not been told. The kernel needs a whole message, with nonce, AAD and tag, so these are noted
 * until the text comes. If the kernel does the text, the base is told nothing until a later call
 * depends on what it knows; then it gets all the calls that were noted.
 */
#ifndef KC_REQUEST_AEAD_H
#define KC_REQUEST_AEAD_H

#include "request/aead/table.h"
#include "request/context.h"

struct kc_aead {
	struct kc_context; /* threshold: the base gets shorter updates in every phase */
	const struct kc_aead_family *family;
	enum kc_phase phase;
	enum kc_dir key_dir; /* of ->key, the base's key; KC_NO_DIR: there is none */
	unsigned short_run;  /* consecutive messages without a long text */
	/*
	 * The number of messages that the base will still do, in phase BASE, without a look at the
	 * table; 0: awake. Meanwhile inits with a nonce, texts, AAD, finals and tags change no
	 * phase.
	 */
	unsigned asleep;
	size_t checked;	  /* bytes: asleep, the base does shorter texts, where a failure matters */
	kc_final_fn *end; /* asleep: the base's, if a failed final does not matter; else NULL */
	bool doubted;	  /* the kernel called the tag bad; the base's final will decide */
	/*
	 * The base does not have ->made, the tag of the kernel's last text or record. It would
	 * return it out of turn, or, in families where a tag stays, compare with it.
	 */
	bool owes_tag;

	uint8_t *copy;		   /* the input that the kernel did or is doing; NULL: none */
	size_t copy_len;	   /* bytes, like the next two */
	size_t secret_len;	   /* of it, to be wiped; ciphertext to decrypt is no secret */
	size_t total;		   /* CCM: the noted length; 0: none */
	unsigned aad_len, tag_len; /* noted bytes; tag_len != 0: ->tag is in force */
	struct kc_lengths lengths; /* as the key took them */
	size_t said_nonce_len;	   /* bytes, as the base reports it; 0: unknown */

	/* Not zeroed at first from here on: other members tell what has been set. */
	uint8_t tag[KC_MAX_TAG];      /* the last one that was set, for decryption */
	uint8_t next_tag[KC_MAX_TAG]; /* like ->tag, for the message after this one */
	uint8_t made[KC_MAX_TAG];     /* see ->owes_tag */
	uint8_t text_tag[KC_MAX_TAG]; /* from encrypting the text in ->copy */
	uint8_t record_aad[KC_RECORD_AAD];
	/*
	 * The message's; of records, the fixed part if they carry no nonce, otherwise that of the
	 * record whose AAD is in ->aad.
	 */
	uint8_t nonce[KC_MAX_IV];
	uint8_t aad[KC_MAX_AAD]; /* the message's, or that of the kernel's last record */
	uint8_t key[KC_MAX_KEY];
};

/* The differences between the families that no cell of the table can express. */
struct kc_aead_family {
	enum kc_phase first, base; /* a new context's phase; the phase where the base does all */
	enum kc_call text[2];	   /* by direction */
	enum kc_call declare;	   /* an update without input or output */
	bool tag_stays;		   /* a text does not use up the tag that was set */
	bool record_tag[2];	   /* by direction: a record leaves its tag in the base */
	bool nonce_is_fixed;	   /* the first record makes the init's nonce the fixed part */
	bool begins_anew;	   /* at each nonce, so that an earlier failure has no effect */
	bool tells_tag_len;	   /* the base records the length of a tag that it returns */
	enum kc_call (*set_length)(const struct kc_aead *c, bool of_tag, size_t len);
	/* Called after an init with a key. 1, or 0 if the base fails. NULL: lengths are fixed. */
	int (*take_lengths)(struct kc_aead *c);
	/* Tells the base what ends the message whose text it has just been told. 1 or 0. */
	int (*tell_end)(struct kc_aead *c);
	/* True if a tag of @len bytes can be had from the one that was made. */
	bool (*has_tag)(const struct kc_aead *c, size_t len);
	/* The kernel called the tag bad; then the base did the text, with result @ok. */
	void (*doubt)(struct kc_aead *c, bool ok);
};

extern const struct kc_aead_family kc_aead_families[KC_FAMILY_COUNT];

/* What an application sets, as far as the core must know. */
enum kc_set {
	KC_SET_NOTHING,
	KC_SET_TAG,
	KC_SET_NONCE_LEN,
	KC_SET_RECORD, /* a record's AAD */
	KC_SET_FIXED,  /* the fixed part of records' nonces */
	KC_SET_OTHER,  /* several of these, or unknown effects */
};

/* A setting: its bytes or NULL, and their length or the length that is set. OTHER's is a tag. */
struct kc_setting {
	enum kc_set what;
	const uint8_t *data;
	size_t len;
};

/* Returns a new context; NULL if memory is short. */
struct kc_aead *kc_aead_new(const struct kc_base *base, struct kc_candidate *first);

/*
 * Around the base's init, in direction ->dir: starts before it, started after it with the base's
 * result @ok. Lengths are in bytes; @key and @iv are the application's, NULL: unchanged.
 * starts_with: for an init that comes with the setting @set. 1, or 0 if the base fails.
 */
int kc_aead_starts(struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
		   size_t iv_len);
/* Call it instead of kc_aead_starts() if the init comes with a setting. */
int kc_aead_starts_with(struct kc_aead *c, const struct kc_setting *set, const uint8_t *key,
			size_t key_len, const uint8_t *iv, size_t iv_len);
/* Call it after the base's init. */
void kc_aead_started(struct kc_aead *c, const uint8_t *key, const uint8_t *iv, size_t iv_len,
		     bool ok);

/* Around a setting. KC_NOTED: the base need not get it; KC_FAILED: it must not. */
enum kc_outcome { KC_FAILED, KC_NOTED, KC_TO_BASE };
/* Call it before the base gets the setting. */
enum kc_outcome kc_aead_sets(struct kc_aead *c, const struct kc_setting *set);
/* Call it after the base got the setting; @ok: it accepted it. */
void kc_aead_was_set(struct kc_aead *c, const struct kc_setting *set, bool ok);

/*
 * Call it before the base is asked for anything that depends on earlier calls. 1, or 0 if the base
 * fails.
 */
int kc_aead_asks(struct kc_aead *c);

/* Gets @len bytes of the tag. 1, or 0 if that fails. */
int kc_aead_get_tag(struct kc_aead *c, uint8_t *tag, size_t len);

/*
 * Tells the base everything, and leaves this context to it for good. Call it before anything that
 * does not fit or that we do not know, such as handing out a pointer to the nonce, through which
 * the application may write at any time. 1, or 0 if the base fails.
 */
int kc_aead_give_up(struct kc_aead *c);

/* OpenSSL's provider functions; @ctx is a struct kc_aead. */
void *kc_aead_dup(void *ctx); /* NULL also where the base has no such function */
void kc_aead_free(void *ctx);
kc_update_fn kc_aead_update, kc_aead_oneshot;
kc_final_fn kc_aead_final;

/*
 * The rest is for the files of AEADs alone. Plays a call that the base is about to do: tells the
 * base what must precede it, and enters the next phase. 1, or 0 if the base fails.
 */
int kc_aead_pass_on(struct kc_aead *c, enum kc_call call);

/* Takes notes of nonce, AAD and tag again from now on. */
static inline void kc_aead_wake(struct kc_aead *c)
{
	c->asleep = 0;
	c->checked = 0;
	c->end = NULL;
}

/*
 * Sets the threshold of the phase. While a tag is owed every call is inspected, because the base
 * may make another tag.
 */
static inline void kc_aead_look(struct kc_aead *c)
{
	c->threshold = 0;
	if ((c->phase == KC_PHASE_BASE || c->phase == KC_PHASE_BASE_FOR_EVER) && !c->owes_tag)
		c->threshold = KC_NO_DETOUR;
}

/* Enters @phase, awake. */
static inline void kc_aead_enter_phase(struct kc_aead *c, enum kc_phase phase)
{
	c->phase = phase;
	kc_aead_wake(c);
	kc_aead_look(c);
}

/* Like kc_aead_pass_on(), but fast if the table has nothing to do. */
static inline int kc_aead_pass(struct kc_aead *c, enum kc_call call)
{
	const struct kc_step *step = &kc_aead_table[c->phase][call];

	if (step->act != KC_PASS || c->copy)
		return kc_aead_pass_on(c, call);
	/* In the same phase nothing changes, and a sleeping context goes on sleeping. */
	if (step->next != c->phase)
		kc_aead_enter_phase(c, step->next);
	return 1;
}

/*
 * Gives the base the tag that is owed, if it can take it. Call it only if one is owed. @is_set:
 * another tag was set since this one was made.
 */
void kc_aead_pay(struct kc_aead *c, bool is_set);

/* Call it when the kernel has made, or found right, a tag of the key's length. */
void kc_aead_owe(struct kc_aead *c, const uint8_t *tag);

/* Call it when the base has made a tag itself. */
void kc_aead_owe_nothing(struct kc_aead *c);

/* Call it when the base has returned @len bytes of a tag. */
static inline void kc_aead_correct_tag(const struct kc_aead *c, uint8_t *tag, size_t len)
{
	if (c->owes_tag)
		memcpy(tag, c->made, len);
}

/*
 * True if the base's final will make no tag. From OpenSSL 3.0.22 on, CCM's makes one if there is
 * none yet.
 */
bool kc_aead_stays_owed(const struct kc_aead *c);

/* The base's update while a tag is owed: it may make another one. */
int kc_aead_update_owing(struct kc_aead *c, kc_update_fn *update, unsigned char *out, size_t *outl,
			 size_t outsize, const unsigned char *in, size_t inl);

/* Has the base do an update that it was passed. */
static inline int kc_aead_update_base(struct kc_aead *c, kc_update_fn *update, unsigned char *out,
				      size_t *outl, size_t outsize, const unsigned char *in,
				      size_t inl)
{
	if (c->owes_tag)
		return kc_aead_update_owing(c, update, out, outl, outsize, in, inl);
	return update(c->base_ctx, out, outl, outsize, in, inl);
}

/* True if there is anything that the base was not told, or may be told again. */
bool kc_aead_has_notes(const struct kc_aead *c);

/* Plays a call that was done without the base. */
static inline void kc_aead_enter(struct kc_aead *c, enum kc_call call)
{
	kc_aead_enter_phase(c, kc_aead_table[c->phase][call].next);
}

/* Returns the table's act for a call. */
static inline enum kc_act kc_aead_act(const struct kc_aead *c, enum kc_call call)
{
	return kc_aead_table[c->phase][call].act;
}

/* The base failed, so its state is unknown: gives up, and returns 0. */
int kc_aead_failed(struct kc_aead *c);

/* Returns the base's result @ok; gives up if it is 0. */
static inline int kc_aead_done(struct kc_aead *c, int ok)
{
	return ok ? ok : kc_aead_failed(c);
}

/* Keeps @len bytes of input, as direction ->dir has it; false if memory is short. */
bool kc_aead_take_copy(struct kc_aead *c, const uint8_t *in, size_t len);

/* Drops that input, which the base need not get. */
void kc_aead_drop_copy(struct kc_aead *c);

/*
 * Drops a request in flight, as if it had not been made. Its job was abandoned: a call that enters
 * the context now cannot come from that job, which is in the middle of an update. Calls that are
 * passed on look for such a request, as they look for kept input (->copy); other calls do so by
 * kc_aead_come_in().
 */
void kc_aead_abandon(struct kc_aead *c);

/* Call it when a call begins: drops an abandoned request. */
static inline void kc_aead_come_in(struct kc_aead *c)
{
	if (kc_gate_is_busy(&c->gate))
		kc_aead_abandon(c);
}

/*
 * Asks the kernel for the text at @req's in. @in: all the input around it, of which @inl bytes are
 * copied first and the copy is kept; NULL: keep none. @nonce: ->lengths.nonce bytes. 0: done;
 * -errno of the kernel; 1: not tried. Unless it returns 0, nothing is written and no copy is kept.
 */
int kc_aead_ask_kernel(struct kc_aead *c, struct kc_req *req, const uint8_t *nonce,
		       const uint8_t *in, size_t inl);

/*
 * Enters the phase of a short record, which the base does, and whose AAD may go to it at once.
 * False if this AAD is not one's. If the base then fails, call kc_aead_failed().
 */
bool kc_aead_pass_short_record(struct kc_aead *c, const uint8_t *aad, size_t len);

/* Notes a record's AAD; false if the base would refuse it. */
bool kc_aead_note_record(struct kc_aead *c, const uint8_t *aad, size_t len);

/* Does the record whose AAD is noted: an update; @is_long: long enough for the kernel. */
int kc_aead_record(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl, bool is_long);

/* True if the base counts the records of this context, and does not know of the kernel's. */
static inline bool kc_aead_counts_records(const struct kc_aead *c)
{
	return c->key_dir == KC_ENCRYPT && c->base->set_record_nonce;
}

/* Tells the base of the kernel's last record, and the noted AAD. 1, or 0 if it fails. */
int kc_aead_tell_records(struct kc_aead *c);

#endif
