/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets a process learn from the requests that it makes anyway: a few are done both by the kernel
 * and in software, and timed. No lock: each number is an independent fact, and a lost one is
 * measured again.
 */
#ifndef KC_OFFLOAD_LEARN_H
#define KC_OFFLOAD_LEARN_H

#include "core/clock.h"
#include "policy/policy.h"

/* One request that was done both ways. */
struct kc_pair {
	enum kc_dir dir;
	size_t len;
	uint64_t soft_ns, kernel_ns;
};

/* The clock that counts for this candidate: wall time, or the thread's CPU time. */
static inline uint64_t kc_learn_clock(const struct kc_candidate *candidate)
{
	return candidate->counts_cpu ? kc_thread_ns() : kc_now_ns();
}

/* A product of bytes that does not wrap, and that a count of bytes can reach. */
static inline size_t kc_bytes_times(size_t bytes, unsigned times)
{
	return bytes > SIZE_MAX / 2 / times ? SIZE_MAX / 2 : bytes * times;
}

/* The driver has given the right answers: forgets earlier results. @bytes: see kc_learn_wait(). */
void kc_learn_begin(struct kc_candidate *candidate, size_t bytes);

/*
 * Should requests of this size be done both ways, until there are enough pairs? Not after kcrypto
 * tune.
 */
bool kc_learn_is_new(const struct kc_candidate *candidate, enum kc_dir dir, size_t len);

/* Moves the threshold if this pair shows that it is wrong, and sets the time of the next look. */
void kc_learn_pair(struct kc_candidate *candidate, const struct kc_pair *pair);

/*
 * Takes the time of a request that only the kernel did. False: it no longer pays, or needs another
 * look.
 */
bool kc_learn_kernel(struct kc_candidate *candidate, enum kc_dir dir, size_t len, uint64_t ns);

/*
 * Counts a request of @len bytes. Is it the one to look at? *@share: the bytes of before_look that
 * the context took in advance. give: takes back what it has left.
 */
bool kc_learn_is_turn(struct kc_candidate *candidate, size_t *share, size_t len);
void kc_learn_give(struct kc_candidate *candidate, size_t bytes);

/* This many bytes must pass first. */
void kc_learn_wait(struct kc_candidate *candidate, size_t bytes);

#endif
