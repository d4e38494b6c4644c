/* SPDX-License-Identifier: Apache-2.0 */
/* Learning from the times of a process's own requests: moves the terms of a candidate. */
#ifndef KC_POLICY_LEARN_H
#define KC_POLICY_LEARN_H

#include "policy/terms.h"

/* The result of one request that was done both ways. */
struct kc_pair {
	enum kc_dir dir;
	size_t len;
	uint64_t soft_ns, kernel_ns;
	bool in_job, amid_others; /* in a job; while others were in flight, which delayed it */
	uint32_t traits;	  /* see offload/classes.h */
};

/*
 * True if requests of this size, or with these traits at this size, are still to be done both ways
 * because there are too few pairs. Not called after kcrypto tune.
 */
bool kc_terms_is_new(const struct kc_candidate *candidate, enum kc_dir dir, size_t len,
		     uint32_t traits);

/*
 * Takes in a pair: moves an end of the range if the pair shows that it is wrong; sets before_look.
 */
void kc_terms_pair(struct kc_candidate *candidate, const struct kc_pair *pair);

/*
 * Takes in the time of a request that only the kernel did. More bytes than a request may have mean
 * several in flight, which may pay where one alone does not. If it no longer pays, the context's
 * next request becomes a pair.
 */
void kc_terms_kernel(struct kc_candidate *candidate, struct kc_stake *stake, enum kc_dir dir,
		     size_t len, uint64_t ns);

/*
 * Takes in what a request in a job cost its thread: its own work, and its share of the time in
 * which the thread had nothing to do. After a pair in a job that does not pay, a few more requests
 * go to the kernel, to learn whether several in flight pay.
 */
void kc_terms_flight(struct kc_candidate *candidate, enum kc_dir dir, size_t len, uint64_t ns);

#endif
