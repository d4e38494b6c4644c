/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which calls lead an AEAD's context to the kernel: a table of phase by call, on which the code
 * runs; its cells are in request/aead/aead.c. The kernel's path is open only to a context whose
 * every call so far fits: an init with key and nonce, a tag to compare, CCM's length, AAD, one
 * text, final or the tag, and again from an init with a nonce; or TLS 1.2 records. A call with an
 * empty cell does not fit, and after a failure the base's state is unknown: kc_aead_give_up() then
 * has the base do everything in that context for good.
 *
 * At any time, what the base was told together with what is noted here equals what a base without
 * kcrypto would have been told. tests/unit/request/aead_model_test.c plays all strings of calls.
 */
#ifndef KC_REQUEST_AEAD_TABLE_H
#define KC_REQUEST_AEAD_TABLE_H

/* The columns. */
enum kc_call {
	KC_CALL_IDLE,	 /* asks, copies, or sets what changes nothing */
	KC_CALL_LENGTHS, /* CCM: sets the length of nonces or tags for the next key */
	KC_CALL_KEY,	 /* an init with a key, */
	KC_CALL_NONCE,	 /* with a nonce, in the key's direction, */
	KC_CALL_BOTH,	 /* with both */
	KC_CALL_TAG,	 /* the tag to compare, of the usual length, when decrypting */
	KC_CALL_DECLARE, /* CCM: the length of the text to come */
	KC_CALL_AAD,
	KC_CALL_TEXT,	 /* or a record, after its AAD */
	KC_CALL_WHOLE,	 /* CCM, decrypting: a text that ends the message */
	KC_CALL_FINAL,	 /* does nothing with CCM */
	KC_CALL_GET_TAG, /* the tag that was made; ends CCM's message */
	KC_CALL_FIXED,	 /* the part of the nonce that all records share */
	KC_CALL_RECORD,	 /* a record's AAD */
	KC_CALL_SHORT,	 /* a short record's, with nothing noted */
	KC_CALL_ODD,	 /* anything else: fits in no row, so all its cells are empty */
	KC_CALL_COUNT = 16,
};

/*
 * The rows: of all families; of GCM and ChaCha20-Poly1305; of CCM. A context stays in its family's
 * rows.
 */
enum kc_phase {
	KC_PHASE_BASE_FOR_EVER,
	KC_PHASE_FIXED,	  /* CCM: for records, but the key does not know the lengths */
	KC_PHASE_RECORDS, /* between two records; the base may not know of the last one */
	KC_PHASE_RECORD,  /* as above, and the next one's AAD is noted */
	KC_PHASE_TOLD,	  /* between two records; the base has the next one's AAD, and knows all */

	KC_PHASE_NEW,	/* no key */
	KC_PHASE_KEYED, /* a key, no message; the next one's tag may be noted */
	KC_PHASE_OPEN,	/* key and nonce; a tag may be noted */
	KC_PHASE_AAD,	/* as above, and AAD */
	KC_PHASE_DONE,	/* the kernel did the text, whose input is kept */
	KC_PHASE_OVER,	/* as above, and final came */
	KC_PHASE_NEXT,	/* as above, and the next message's tag is noted */
	KC_PHASE_BASE,	/* the base does this message, or did it, and was told all of it */

	KC_PHASE_CCM_NEW,    /* no key, or one that does not know the lengths */
	KC_PHASE_CCM_KEYED,  /* no message is left; the next one's tag may be noted */
	KC_PHASE_CCM_OPEN,   /* key and nonce; a tag may be noted */
	KC_PHASE_CCM_SAID,   /* as above, and the length is noted */
	KC_PHASE_CCM_AAD,    /* as above, and the AAD */
	KC_PHASE_CCM_DONE,   /* the kernel encrypted; the tag was not asked for yet */
	KC_PHASE_CCM_OVER,   /* it was; or the kernel decrypted */
	KC_PHASE_CCM_NEXT,   /* as above, and the next message's tag is noted */
	KC_PHASE_CCM_BASE,   /* the base does this message, and may have parts of others */
	KC_PHASE_CCM_SEALED, /* as above, and it has encrypted; only the tag is missing */
	KC_PHASE_COUNT
};

/* What is done before the context enters the next phase. */
enum kc_act {
	KC_GIVE_UP, /* the call does not fit */
	KC_ANSWER,  /* answered from what the kernel did */
	KC_PASS,    /* the base does it; kept input is dropped, a noted tag stays */
	KC_TELL,    /* the base is told everything noted, then does it */
	KC_BASE,    /* as TELL; the message is the base's: next is the cell in that row */
	KC_NOTE,    /* only noted; KC_BASE if it does not fit in our buffers */
	KC_KERNEL,  /* the kernel does it; KC_BASE if it does not */
};

struct kc_step {
	unsigned char act;  /* enum kc_act */
	unsigned char next; /* enum kc_phase */
};

extern const struct kc_step kc_aead_table[KC_PHASE_COUNT][KC_CALL_COUNT];

#endif
