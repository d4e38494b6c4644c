/* SPDX-License-Identifier: Apache-2.0 */
/* What a process learns from the times of its own requests: it moves the terms of a candidate. */
#ifndef KC_POLICY_LEARN_H
#define KC_POLICY_LEARN_H

#include "policy/terms.h"

/* One request that was done both ways. */
struct kc_pair {
	enum kc_dir dir;
	size_t len;
	uint64_t soft_ns, kernel_ns;
	bool in_job, amid_others; /* which were in flight, and delayed it */
	uint32_t traits;	  /* offload/classes.h */
};

/*
 * Should requests of this size, or with these traits at this size, be done both ways, until there
 * are enough pairs? Not after kcrypto tune.
 */
bool kc_terms_is_new(const struct kc_candidate *candidate, enum kc_dir dir, size_t len,
		     uint32_t traits);

/* Moves an end of the range if this pair shows that it is wrong, and sets before_look. */
void kc_terms_pair(struct kc_candidate *candidate, const struct kc_pair *pair);

/*
 * Takes the time of a request that only the kernel did; of more bytes than a request may have, that
 * of several in flight, which may pay where one alone does not. If it no longer pays, the next
 * request of the context is a pair.
 */
void kc_terms_kernel(struct kc_candidate *candidate, struct kc_stake *stake, enum kc_dir dir,
		     size_t len, uint64_t ns);

/*
 * Takes what a request in a job cost its thread: its own work, and its share of the time in which
 * the thread had nothing to do. After a pair in a job that does not pay, a few more requests go to
 * the kernel, to see whether they pay when several are in flight.
 */
void kc_terms_flight(struct kc_candidate *candidate, enum kc_dir dir, size_t len, uint64_t ns);

#endif
