/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which calls lead an AEAD's context to the kernel: one table, phase by call, on which the code
 * runs. The kernel's path is open only to a context whose every call so far fits: an init with key
 * and nonce, a tag to compare, CCM's length, AAD, one text, final or the tag, and again from an
 * init with a nonce; or TLS 1.2 records. Where a cell is empty the call does not fit, and where the
 * base fails nobody knows its state: kc_aead_give_up() then has the base do everything in that
 * context for good.
 *
 * At any time, what the base was told together with what is noted here equals what a base without
 * kcrypto would have been told. tests/unit/request/aead_model_test.c plays all strings of calls.
 */
#ifndef KC_REQUEST_AEAD_TABLE_H
#define KC_REQUEST_AEAD_TABLE_H

/* The columns. */
enum kc_call {
	KC_CALL_IDLE,	 /* asks, copies, or sets what changes nothing */
	KC_CALL_LENGTHS, /* CCM: changes the length of nonces or tags, which the next key takes */
	KC_CALL_KEY,	 /* an init with a key, */
	KC_CALL_NONCE,	 /* with a nonce, in the key's direction, */
	KC_CALL_BOTH,	 /* with both */
	KC_CALL_TAG,	 /* the tag to compare, of the usual length, when decrypting */
	KC_CALL_DECLARE, /* CCM: how long the text will be */
	KC_CALL_AAD,
	KC_CALL_TEXT,	 /* or a record, after its AAD */
	KC_CALL_WHOLE,	 /* CCM, decrypting: a text that is the message to its end */
	KC_CALL_FINAL,	 /* CCM has none to do */
	KC_CALL_GET_TAG, /* the tag that was made; it ends CCM's message */
	KC_CALL_FIXED,	 /* the part of the nonce that all records share */
	KC_CALL_RECORD,	 /* a record's AAD */
	KC_CALL_ODD,	 /* anything else: fits in no row, so all its cells are empty */
	KC_CALL_COUNT = 16,
};

/* The rows: of all families; of GCM and ChaCha20-Poly1305; of CCM. A context stays in its rows. */
enum kc_phase {
	KC_PHASE_BASE_FOR_EVER,
	KC_PHASE_FIXED,	  /* CCM: records will come, but the key does not know the lengths */
	KC_PHASE_RECORDS, /* between two; the last one's input may be kept */
	KC_PHASE_RECORD,  /* likewise, and the next one's AAD is noted */

	KC_PHASE_NEW,	/* no key */
	KC_PHASE_KEYED, /* a key, and no message; the next one's tag may be noted */
	KC_PHASE_OPEN,	/* key and nonce; a tag may be noted */
	KC_PHASE_AAD,	/* likewise, and AAD */
	KC_PHASE_DONE,	/* the kernel did the text, whose input is kept */
	KC_PHASE_OVER,	/* likewise, and final came */
	KC_PHASE_NEXT,	/* likewise, and the next message's tag is noted */
	KC_PHASE_BASE,	/* the base does this message and was told all of it */

	KC_PHASE_CCM_NEW,    /* no key, or one that does not know the lengths */
	KC_PHASE_CCM_KEYED,  /* nothing is left of a message; the next one's tag may be noted */
	KC_PHASE_CCM_OPEN,   /* key and nonce; a tag may be noted */
	KC_PHASE_CCM_SAID,   /* likewise, and the length is noted */
	KC_PHASE_CCM_AAD,    /* likewise, and the AAD */
	KC_PHASE_CCM_DONE,   /* the kernel encrypted, and the tag has not been asked for */
	KC_PHASE_CCM_OVER,   /* it has; or the kernel decrypted */
	KC_PHASE_CCM_NEXT,   /* likewise, and the next message's tag is noted */
	KC_PHASE_CCM_BASE,   /* the base does this message, and may have parts of others */
	KC_PHASE_CCM_SEALED, /* likewise, and it has encrypted; the tag is all that is missing */
	KC_PHASE_COUNT
};

/* What is done before the context enters the next phase. */
enum kc_act {
	KC_GIVE_UP, /* the call does not fit */
	KC_ANSWER,  /* answered from what the kernel did */
	KC_PASS,    /* the base does it; the input that is kept is dropped, a noted tag stays */
	KC_TELL,    /* the base is told all that is noted, then does it */
	KC_BASE,    /* likewise; the message is the base's: the call's cell in that row counts */
	KC_NOTE,    /* only noted; what does not fit in our places is KC_BASE */
	KC_KERNEL,  /* the kernel does it; if not, it is KC_BASE */
};

struct kc_step {
	unsigned char act;  /* enum kc_act */
	unsigned char next; /* enum kc_phase */
};

/* clang-format off */
#define P(phase) { KC_PASS, KC_PHASE_##phase }
#define T(phase) { KC_TELL, KC_PHASE_##phase }
#define B	 { KC_BASE, 0 }
#define N(phase) { KC_NOTE, KC_PHASE_##phase }
#define K(phase) { KC_KERNEL, KC_PHASE_##phase }
#define A(phase) { KC_ANSWER, KC_PHASE_##phase }
#define ODD	 { KC_GIVE_UP, 0 }
#define EVER	 P(BASE_FOR_EVER)
#define COLUMNS(...) /* for the reader */

static const struct kc_step kc_aead_table[KC_PHASE_COUNT][KC_CALL_COUNT] = {
COLUMNS(                     IDLE,       LENGTHS,  KEY,        NONCE,      BOTH,       TAG,  DECLARE, AAD,  TEXT,       WHOLE, FINAL, GET_TAG, FIXED,      RECORD)
[KC_PHASE_BASE_FOR_EVER] = { EVER,       EVER,     EVER,       EVER,       EVER,       EVER, EVER,    EVER, EVER,       EVER,  EVER,  EVER,    EVER,       EVER },
[KC_PHASE_FIXED] =         { P(FIXED),   P(FIXED), P(RECORDS), ODD,        P(RECORDS), ODD,  ODD,     ODD,  ODD,        ODD,   ODD,   ODD,     P(FIXED),   ODD },
[KC_PHASE_RECORDS] =       { T(RECORDS), T(FIXED), T(RECORDS), T(RECORDS), T(RECORDS), ODD,  ODD,     ODD,  ODD,        ODD,   ODD,   ODD,     T(RECORDS), N(RECORD) },
[KC_PHASE_RECORD] =        { T(RECORD),  ODD,      ODD,        ODD,        ODD,        ODD,  ODD,     ODD,  K(RECORDS), ODD,   ODD,   ODD,     ODD,        N(RECORD) },

COLUMNS(             IDLE,     LENGTHS, KEY,      NONCE,   BOTH,    TAG,      DECLARE, AAD,     TEXT,    WHOLE, FINAL,    GET_TAG,  FIXED,      RECORD)
[KC_PHASE_NEW] =   { T(NEW),   ODD,     P(KEYED), P(NEW),  P(OPEN), N(NEW),   ODD,     ODD,     ODD,     ODD,   ODD,      ODD,      ODD,        ODD },
[KC_PHASE_KEYED] = { T(KEYED), ODD,     P(KEYED), P(OPEN), P(OPEN), N(KEYED), ODD,     B,       B,       ODD,   T(KEYED), P(KEYED), T(RECORDS), ODD },
[KC_PHASE_OPEN] =  { T(OPEN),  ODD,     B,        P(OPEN), P(OPEN), N(OPEN),  ODD,     N(AAD),  K(DONE), ODD,   B,        ODD,      T(RECORDS), ODD },
[KC_PHASE_AAD] =   { B,        ODD,     B,        P(OPEN), P(OPEN), N(AAD),   ODD,     N(AAD),  K(DONE), ODD,   B,        ODD,      T(RECORDS), ODD },
[KC_PHASE_DONE] =  { B,        ODD,     B,        P(OPEN), P(OPEN), ODD,      ODD,     ODD,     ODD,     ODD,   A(OVER),  ODD,      ODD,        ODD },
[KC_PHASE_OVER] =  { T(KEYED), ODD,     T(KEYED), P(OPEN), P(OPEN), N(NEXT),  ODD,     ODD,     ODD,     ODD,   ODD,      A(OVER),  ODD,        ODD },
[KC_PHASE_NEXT] =  { T(KEYED), ODD,     T(KEYED), P(OPEN), P(OPEN), N(NEXT),  ODD,     ODD,     ODD,     ODD,   ODD,      ODD,      ODD,        ODD },
[KC_PHASE_BASE] =  { P(BASE),  ODD,     P(BASE),  P(OPEN), P(OPEN), P(BASE),  ODD,     P(BASE), P(BASE), ODD,   P(KEYED), P(BASE),  P(RECORDS), ODD },

COLUMNS(                  IDLE,          LENGTHS,    KEY,          NONCE,       BOTH,        TAG,          DECLARE,     AAD,         TEXT,          WHOLE,        FINAL,         GET_TAG,      FIXED,      RECORD)
[KC_PHASE_CCM_NEW] =    { P(CCM_NEW),    P(CCM_NEW), P(CCM_KEYED), ODD,         P(CCM_OPEN), N(CCM_NEW),   ODD,         ODD,         ODD,           ODD,          ODD,           ODD,          T(FIXED),   ODD },
[KC_PHASE_CCM_KEYED] =  { P(CCM_KEYED),  P(CCM_NEW), P(CCM_KEYED), P(CCM_OPEN), P(CCM_OPEN), N(CCM_KEYED), B,           B,           B,             B,            P(CCM_KEYED),  ODD,          T(RECORDS), ODD },
[KC_PHASE_CCM_OPEN] =   { B,             ODD,        B,            P(CCM_OPEN), P(CCM_OPEN), N(CCM_OPEN),  N(CCM_SAID), B,           B,             B,            ODD,           ODD,          T(RECORDS), ODD },
[KC_PHASE_CCM_SAID] =   { B,             ODD,        B,            B,           B,           N(CCM_SAID),  ODD,         N(CCM_AAD),  K(CCM_DONE),   K(CCM_OVER),  ODD,           ODD,          ODD,        ODD },
[KC_PHASE_CCM_AAD] =    { B,             ODD,        B,            B,           B,           N(CCM_AAD),   ODD,         B,           K(CCM_DONE),   K(CCM_OVER),  ODD,           ODD,          ODD,        ODD },
[KC_PHASE_CCM_DONE] =   { T(CCM_SEALED), ODD,        B,            B,           B,           ODD,          ODD,         ODD,         ODD,           ODD,          A(CCM_DONE),   A(CCM_OVER),  ODD,        ODD },
[KC_PHASE_CCM_OVER] =   { T(CCM_KEYED),  T(CCM_NEW), T(CCM_KEYED), P(CCM_OPEN), P(CCM_OPEN), N(CCM_NEXT),  ODD,         ODD,         ODD,           ODD,          A(CCM_OVER),   ODD,          ODD,        ODD },
[KC_PHASE_CCM_NEXT] =   { B,             ODD,        B,            P(CCM_OPEN), P(CCM_OPEN), N(CCM_NEXT),  ODD,         ODD,         ODD,           ODD,          ODD,           ODD,          ODD,        ODD },
[KC_PHASE_CCM_BASE] =   { P(CCM_BASE),   ODD,        P(CCM_BASE),  P(CCM_BASE), P(CCM_BASE), P(CCM_BASE),  P(CCM_BASE), P(CCM_BASE), P(CCM_SEALED), P(CCM_KEYED), P(CCM_BASE),   P(CCM_BASE),  P(RECORDS), ODD },
[KC_PHASE_CCM_SEALED] = { P(CCM_SEALED), ODD,        P(CCM_BASE),  P(CCM_BASE), P(CCM_BASE), P(CCM_BASE),  P(CCM_BASE), P(CCM_BASE), P(CCM_SEALED), P(CCM_BASE),  P(CCM_SEALED), P(CCM_KEYED), P(RECORDS), ODD },
};
/* clang-format on */

#undef P
#undef T
#undef B
#undef N
#undef K
#undef A
#undef ODD
#undef EVER
#undef COLUMNS

#endif
