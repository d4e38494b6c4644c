/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The point where a context's requests go either to the kernel or to software, on the candidate's
 * terms (policy/terms.h); the same for every kind of algorithm.
 */
#ifndef KC_OFFLOAD_GATE_H
#define KC_OFFLOAD_GATE_H

#include "core/base.h"
#include "policy/policy.h"
#include "session/request.h"

#define KC_NO_DETOUR SIZE_MAX /* bytes, as a threshold */

struct kc_gate_done {
	size_t bytes; /* done by the kernel; wraps */
	unsigned failed;
};

struct kc_gate {
	struct kc_candidate *first;	/* the first of the row's candidates */
	struct kc_candidate *candidate; /* the one in use */
	size_t threshold;		/* bytes: the terms', of this direction; 0 for a pair */
	size_t entry; /* bytes: a shorter request needs no look at anything else here */
	struct kc_stake stake;
	bool is_pair;	    /* the next request is to be done both ways */
	uint64_t resume_ns; /* what it took to get a digest's session again: the next request's */
	struct kc_gate_done done;
	struct kc_session session;
	/* While it is open. */
	size_t limit;	/* bytes: a longer request does not pay, or is not possible */
	bool is_ranged; /* it does not pay */
	uint64_t known; /* the mark of a request that showed nothing new; or 0 */
};

/* For a context of the row whose first candidate this is. */
static inline void kc_gate_init(struct kc_gate *gate, struct kc_candidate *first)
{
	gate->first = first;
	gate->candidate = first;
	memset(&gate->threshold, 0,
	       offsetof(struct kc_gate, session) - offsetof(struct kc_gate, threshold));
	kc_session_init(&gate->session);
}

/* After a copy of another context: the session stays with the original. */
static inline void kc_gate_copied(struct kc_gate *gate)
{
	gate->stake.share = 0;
	kc_session_init(&gate->session);
}

/*
 * The session belongs to the gate: others only query it, end it, or leave it to the next context.
 */
static inline bool kc_gate_is_open(const struct kc_gate *gate)
{
	return gate->session.fd >= 0;
}

/* Are requests in flight? */
static inline bool kc_gate_is_busy(const struct kc_gate *gate)
{
	return kc_gate_is_open(gate) && gate->session.in_flight;
}

/* Closes the session; the gate may be used on. */
static inline void kc_gate_close(struct kc_gate *gate)
{
	kc_session_close(&gate->session);
}

/* Between two messages: another context may get the session. */
static inline void kc_gate_leave(struct kc_gate *gate)
{
	if (kc_gate_is_open(gate))
		kc_session_leave(&gate->session, gate->candidate);
}

/* Ends the context's use of it; inline because most contexts have nothing to return. */
void kc_gate_return(struct kc_gate *gate);

/* At the end of a context: what the gate took in advance goes back. */
static inline void kc_gate_end(struct kc_gate *gate)
{
	if (kc_gate_is_open(gate) || gate->stake.share)
		kc_gate_return(gate);
}

/*
 * Is there something that another key would end, and is @key, of @len bytes like @old, the same?
 * Compares nothing where there is nothing to lose.
 */
static inline bool kc_gate_keeps(const struct kc_gate *gate, const uint8_t *old, const uint8_t *key,
				 size_t len)
{
	return (kc_gate_is_open(gate) || gate->stake.waited) && kc_key_is_same(old, key, len);
}

/* Before @key replaces @old: another key needs another session, which must be earned again. */
static inline void kc_gate_rekey(struct kc_gate *gate, const uint8_t *old, const uint8_t *key,
				 size_t len)
{
	if (kc_gate_keeps(gate, old, key, len))
		return;
	kc_gate_close(gate);
	gate->stake.waited = 0;
}

/*
 * Several candidates, and no session with one of them: the best as of now, and the lowest
 * threshold.
 */
void kc_gate_renew_several(struct kc_gate *gate, enum kc_dir dir);

/* At a new message or key: updates from what the process has learned. */
static inline void kc_gate_renew(struct kc_gate *gate, enum kc_dir dir)
{
	size_t floor;

	if (gate->first->next && !kc_gate_is_open(gate))
		kc_gate_renew_several(gate, dir);
	else
		gate->threshold = kc_terms_threshold(&gate->candidate->terms, dir);
	floor = kc_terms_floor(&gate->candidate->terms);
	gate->entry = floor < gate->threshold ? floor : gate->threshold;
}

/*
 * Fast path: true if a request of @len bytes certainly stays in software. If false, call
 * kc_gate_open().
 */
static inline bool kc_gate_stay(struct kc_gate *gate, size_t len)
{
	if (len >= gate->threshold || len > gate->stake.share)
		return false;
	gate->stake.share -= len;
	return true;
}

/*
 * If a session is open for a request of @len bytes, or worth opening now, with @key: the bytes of
 * its longest request. Otherwise 0. If one candidate fails, the next one is tried at once. Sets
 * ->threshold; unless 0 is returned, @len is at least that.
 */
size_t kc_gate_open(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
		    const struct kc_key *key, size_t len);

/* Notes the longest request of the session, which is open, as far as the process knows it now. */
void kc_gate_note_limit(struct kc_gate *gate);

/*
 * Does one request, like kc_session_run(); a failure counts against the candidate. The base repeats
 * some requests: if the answers differ, the process refuses the driver, and the request has failed.
 * Updates ->threshold.
 */
int kc_gate_run(struct kc_gate *gate, const struct kc_base *base, const struct kc_key *key,
		const struct kc_req *req);

/*
 * Several requests in flight, where the backend has them. claim_pair: counts this request; true if
 * it is to be done both ways, by kc_gate_run(), while nothing is in flight. It stays so until it
 * is done. submit and reap: see session/request.h. took: the @len bytes of all took so long.
 */
static inline bool kc_gate_queues(const struct kc_gate *gate)
{
	return gate->session.backend->submit;
}

/* Is this request to be done both ways? Then it is claimed. */
bool kc_gate_claim_pair(struct kc_gate *gate, const struct kc_req *req, size_t key_len);
/* Submits; see session/request.h. */
int kc_gate_submit(struct kc_gate *gate, const struct kc_req *req, struct kc_flight *flight);
/* Reaps; see session/request.h. */
int kc_gate_reap(struct kc_gate *gate, const struct kc_req *req, const struct kc_flight *flight,
		 bool waits);
/* All requests of an update of @len bytes took so long. */
void kc_gate_took(struct kc_gate *gate, enum kc_dir dir, size_t len, uint64_t ns);

/* The tag that the last request called bad was right: counts as a failure like any other. */
void kc_gate_mistaken(struct kc_gate *gate);

#endif
