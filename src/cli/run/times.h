/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times of requests of one length, by software and by a driver. The lowest of several counts,
 * because no disturbance makes a request faster.
 */
#ifndef KC_CLI_RUN_TIMES_H
#define KC_CLI_RUN_TIMES_H

#include "cli/probe/passes.h"
#include "offload/answers.h"
#include "session/request.h"

#define KC_TIMES_AGREEING 3 /* lowest times: two may be wrong in the same way by chance */
#define KC_TIMES_NONE                                                                              \
	{                                                                                          \
		.least = { UINT64_MAX, UINT64_MAX, UINT64_MAX }                                    \
	}

/* Makes the requests, in the memory of ->answers. */
struct kc_timer {
	struct kc_candidate *candidate;
	const struct kc_base *base;
	void *base_ctx; /* for the timed requests */
	bool has_key;	/* base_ctx has the key, in the direction of the requests */
	struct kc_answers answers;
	struct kc_session session;
	struct kc_req req;
	uint64_t slice_ns; /* time that one side works in a row; 0: one request */
	uint64_t until_ns; /* of the clock: then a slow driver is timed only as much as it must */
	bool is_slow;	   /* a request to the driver takes longer than a slice */
	size_t within;	   /* bytes from a page's start to the output */
	enum kc_reason why;
};

/* Times of requests of one length by one side. */
struct kc_times {
	uint64_t least[KC_TIMES_AGREEING]; /* ns of one, lowest first */
	double machine_ns, requests;
};

/* Prepares requests of @len bytes, and checks one: sets ->why if its answer is wrong. */
void kc_timer_prepare(struct kc_timer *timer, enum kc_dir dir, size_t len);

/* Does prepared requests for a slice, and adds to @times. Sets ->why if one fails. */
void kc_timer_slice(struct kc_timer *timer, enum kc_side side, struct kc_times *times);

/* True if the time is up because requests are slow. A busy machine gets the time that it needs. */
bool kc_timer_is_up(const struct kc_timer *timer);

/* Times both sides in turns, until the times are steady. */
void kc_times_take(struct kc_timer *timer, enum kc_dir dir, size_t len,
		   struct kc_times times[KC_SIDES]);

/* Returns the lowest time of single requests by one side in ns, whatever the slice is. */
uint64_t kc_times_glance(struct kc_timer *timer, enum kc_dir dir, size_t len, enum kc_side side);

#endif
