/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process learns from the requests that it makes anyway: a few of them are done both by the
 * kernel and in software, and timed. No lock: each number is a fact of its own, and a lost one is
 * measured again.
 */
#ifndef KC_OFFLOAD_LEARN_H
#define KC_OFFLOAD_LEARN_H

#include "policy/policy.h"

/* One request that was done both ways. */
struct kc_pair {
	enum kc_dir dir;
	size_t len;
	uint64_t soft_ns, kernel_ns;
};

/* By the clock that counts for this candidate: the wall's, or the thread's CPU time. */
uint64_t kc_learn_clock(const struct kc_candidate *candidate);

/*
 * The driver has shown the right answers: forgets what was learned before. @bytes: kc_learn_wait().
 */
void kc_learn_begin(struct kc_candidate *candidate, size_t bytes);

/* Are requests of this size to be done both ways, until enough were? Not after kcrypto tune. */
bool kc_learn_is_new(const struct kc_candidate *candidate, enum kc_dir dir, size_t len);

/* Moves the threshold where this shows that it is wrong, and says when to look again. */
void kc_learn_pair(struct kc_candidate *candidate, const struct kc_pair *pair);

/* One request of the kernel's alone. False: it no longer pays, or that has to be looked at. */
bool kc_learn_kernel(struct kc_candidate *candidate, enum kc_dir dir, size_t len, uint64_t ns);

/* Of the bytes that may go by before the next look, up to @want; and what was not used, back. */
size_t kc_learn_take(struct kc_candidate *candidate, size_t want);
void kc_learn_give(struct kc_candidate *candidate, size_t bytes);

/* None are left: is it this thread that looks? */
bool kc_learn_is_turn(struct kc_candidate *candidate);

/* So many bytes have to go by first. */
void kc_learn_wait(struct kc_candidate *candidate, size_t bytes);

#endif
