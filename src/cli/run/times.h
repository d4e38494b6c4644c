/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times of requests of one length, by software and by a driver. The lowest of several counts,
 * since no disturbance makes one faster.
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

/* What makes the requests, which lie in the memory of ->answers. */
struct kc_timer {
	struct kc_candidate *candidate;
	const struct kc_base *base;
	void *base_ctx; /* for the timed requests */
	bool has_key;	/* it does, in the direction of these */
	struct kc_answers answers;
	struct kc_session session;
	struct kc_req req;
	uint64_t slice_ns; /* one side works so long at a time; 0: for one request */
	uint64_t until_ns; /* of the clock: when a slow driver is timed no more than it must */
	bool is_slow;	   /* a request takes longer than a slice */
	size_t within;	   /* bytes from a page's start to the output */
	enum kc_reason why;
};

/* Of requests of one length by one side. */
struct kc_times {
	uint64_t least[KC_TIMES_AGREEING]; /* ns of one, lowest first */
	double machine_ns, requests;
};

/* Makes requests of @len bytes ready. One is checked: sets ->why if it is wrong. */
void kc_timer_prepare(struct kc_timer *timer, enum kc_dir dir, size_t len);

/* Requests that are ready, for a slice; adds to @times. Sets ->why if one fails. */
void kc_timer_slice(struct kc_timer *timer, enum kc_side side, struct kc_times *times);

/* Is the time up, because of slow requests? A busy machine gets the time that it needs. */
bool kc_timer_is_up(const struct kc_timer *timer);

/* The times of both sides in turns, until they are steady. */
void kc_times_take(struct kc_timer *timer, enum kc_dir dir, size_t len,
		   struct kc_times times[KC_SIDES]);

/* The lowest time of single requests by one side, however long a slice is; ns. */
uint64_t kc_times_glance(struct kc_timer *timer, enum kc_dir dir, size_t len, enum kc_side side);

#endif
