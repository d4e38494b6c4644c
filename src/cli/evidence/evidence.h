/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a driver's requests were done by its device or by the kernel's software. The evidence is
 * interrupts or, if there are none, the time per byte compared with that of the kernel's own
 * software.
 */
#ifndef KC_CLI_EVIDENCE_EVIDENCE_H
#define KC_CLI_EVIDENCE_EVIDENCE_H

#include "cli/evidence/interrupts.h"
#include "core/base.h"
#include "policy/terms.h"

enum kc_doer {
	KC_DONE_UNTOLD, /* no request was made */
	KC_DONE_UNKNOWN,
	KC_DONE_BY_DEVICE,   /* it raised interrupts */
	KC_DONE_BY_POLLING,  /* no interrupts, but the time is unlike software's */
	KC_DONE_BY_SOFTWARE, /* no interrupts, and the time is like software's */
};

#define KC_EVIDENCE_SIZES 6

/*
 * How closely: interrupts at one length; at two lengths, and the time compared with that of the
 * kernel's software; or that at several lengths.
 */
enum kc_look { KC_LOOK_BRIEFLY, KC_LOOK_QUICKLY, KC_LOOK_CLOSELY };

struct kc_evidence {
	enum kc_doer by;
	unsigned requests;
	size_t from, to; /* bytes: the shortest and longest request that raised interrupts */
	char text[240];	 /* a sentence */
	/*
	 * Times of a request of the shortest and the longest length, by the driver and by software.
	 */
	char times[120];
};

/*
 * Makes requests by a session with the candidate's driver. Asks the kernel's own software through
 * AF_ALG, if that is there. Takes a few tenths of a second, longer with slow engines; call it in a
 * child.
 */
void kc_evidence_find(struct kc_candidate *candidate, const struct kc_base *base, enum kc_look look,
		      struct kc_evidence *evidence);

/* The same in a child, because a sick driver can hang. Without an answer @evidence is zero. */
void kc_evidence_ask(struct kc_candidate *candidate, enum kc_look look,
		     struct kc_evidence *evidence);

/* Returns "device", "polled device", "software" or "unknown"; NULL: no request was made. */
const char *kc_doer_word(enum kc_doer by);

/* True if the device was seen at work. */
bool kc_is_at_work(enum kc_doer by);

/*
 * Returns the word for a driver; no other code makes that claim. "hardware" only if the device was
 * seen at work, "hardware?" if only the driver's name and flags say so; "software", "unknown".
 */
const char *kc_claim_word(enum kc_nature nature, enum kc_doer by);

/* The result of requests of one length. ns: of one, the lowest of several. */
struct kc_sample {
	size_t len;
	enum kc_raised raised;
	uint64_t ns;
};

#define KC_PACES 3

/* Times of a request of the first and the last length, in ns; 0: not known. */
struct kc_pace {
	uint64_t device[2], software[2];
};

/*
 * Concludes from @n samples, shortest first, from the words for their interrupts, and from KC_PACES
 * paces, which all have to agree, because a busy machine disturbs each. @name: of the kernel's
 * software.
 */
void kc_evidence_conclude(struct kc_evidence *evidence, const struct kc_sample *samples, size_t n,
			  const char *words, const struct kc_pace *paces, const char *name);

#endif
