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

struct kc_evidence {
	enum kc_doer by;
	unsigned requests;
	size_t from, to; /* bytes: the shortest and longest request that raised interrupts */
	char text[240];	 /* a sentence */
	/* Of a request of the shortest and the longest length, by the driver and by software. */
	char times[120];
};

/*
 * Makes requests of several lengths, or with @is_quick of two, by a session with the candidate's
 * driver. The kernel's own software is asked through AF_ALG, if it is there. Takes a few tenths of
 * a second, and more with slow engines; call it in a child.
 */
void kc_evidence_find(struct kc_candidate *candidate, const struct kc_base *base, bool is_quick,
		      struct kc_evidence *evidence);

/* The same in a child, as a sick driver can hang. Without an answer @evidence is zero. */
void kc_evidence_ask(struct kc_candidate *candidate, bool is_quick, struct kc_evidence *evidence);

/* "device", "polled device", "software", "unknown"; NULL: nothing was asked. */
const char *kc_doer_word(enum kc_doer by);

/* What requests of one length showed; ns of one, the lowest of several. */
struct kc_sample {
	size_t len;
	enum kc_raised raised;
	uint64_t ns;
};

/*
 * Concludes from @n samples, shortest first, the words for their interrupts, and the times of
 * @software for the first and the last of these lengths, 0: not known. @name: of that software.
 */
void kc_evidence_conclude(struct kc_evidence *evidence, const struct kc_sample *samples, size_t n,
			  const char *words, const uint64_t software[2], const char *name);

#endif
