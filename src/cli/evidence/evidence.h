/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who did the requests that a driver got: its device, or the kernel's software? By interrupts and,
 * where there are none, by the time per byte beside that of the kernel's own software.
 */
#ifndef KC_CLI_EVIDENCE_EVIDENCE_H
#define KC_CLI_EVIDENCE_EVIDENCE_H

#include "cli/evidence/interrupts.h"
#include "core/base.h"
#include "policy/terms.h"

enum kc_doer {
	KC_DONE_UNTOLD, /* nothing was asked */
	KC_DONE_UNKNOWN,
	KC_DONE_BY_DEVICE,   /* it raised interrupts */
	KC_DONE_BY_POLLING,  /* none, but it is not as slow or fast as software */
	KC_DONE_BY_SOFTWARE, /* none, and it is */
};

#define KC_EVIDENCE_SIZES 6

/*
 * How closely: for interrupts at one length; at two, and beside the time of the kernel's software;
 * or at several.
 */
enum kc_look { KC_LOOK_BRIEFLY, KC_LOOK_QUICKLY, KC_LOOK_CLOSELY };

struct kc_evidence {
	enum kc_doer by;
	unsigned requests;
	size_t from, to; /* bytes: the shortest and longest request that raised interrupts */
	char text[240];	 /* a sentence */
	/* Of a request of the shortest and the longest length, by the driver and by software. */
	char times[120];
};

/*
 * Makes requests by a session with the candidate's driver. The kernel's own software is asked
 * through AF_ALG, if it is there. Takes a few tenths of a second, and more with slow engines; call
 * it in a child.
 */
void kc_evidence_find(struct kc_candidate *candidate, const struct kc_base *base, enum kc_look look,
		      struct kc_evidence *evidence);

/* The same in a child, as a sick driver can hang. Without an answer @evidence is zero. */
void kc_evidence_ask(struct kc_candidate *candidate, enum kc_look look,
		     struct kc_evidence *evidence);

/* "device", "polled device", "software", "unknown"; NULL: nothing was asked. */
const char *kc_doer_word(enum kc_doer by);

/* Was the device seen at work? */
bool kc_is_at_work(enum kc_doer by);

/*
 * The one source of what is said about a driver: "hardware" only where the device was seen at work,
 * "hardware?" where no more is known than the driver's name and flags; "software", "unknown".
 */
const char *kc_claim_word(enum kc_nature nature, enum kc_doer by);

/* What requests of one length showed; ns of one, the lowest of several. */
struct kc_sample {
	size_t len;
	enum kc_raised raised;
	uint64_t ns;
};

#define KC_PACES 3

/* What a request of the first and of the last length takes, in ns; 0: not known. */
struct kc_pace {
	uint64_t device[2], software[2];
};

/*
 * Concludes from @n samples, shortest first, the words for their interrupts, and KC_PACES, of which
 * all have to say the same, as a busy machine disturbs each. @name: of that software.
 */
void kc_evidence_conclude(struct kc_evidence *evidence, const struct kc_sample *samples, size_t n,
			  const char *words, const struct kc_pace *paces, const char *name);

#endif
