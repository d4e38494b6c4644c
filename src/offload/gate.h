/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The point in a context where each request goes to the kernel or to software, on the candidate's
 * terms (policy/terms.h). The same for every kind of algorithm.
 */
#ifndef KC_OFFLOAD_GATE_H
#define KC_OFFLOAD_GATE_H

#include "core/base.h"
#include "core/process.h"
#include "core/quiet.h"
#include "policy/policy.h"
#include "session/request.h"
#include "stats/stats.h"

#define KC_NO_DETOUR SIZE_MAX /* bytes, as a threshold */

struct kc_gate_done {
	size_t bytes; /* done by the kernel; wraps */
	unsigned failed;
};

struct kc_gate {
	struct kc_candidate *first;	/* the first of the row's candidates */
	struct kc_candidate *candidate; /* the one in use */
	size_t threshold;		/* bytes: the terms' in this direction; less for a pair */
	size_t entry; /* bytes: shorter requests need no look at the rest of the gate */
	struct kc_stake stake;
	bool is_pair;	     /* the next request is to be done both ways */
	bool is_plain;	     /* see kc_gate_is_plain() */
	uint64_t resume_ns;  /* ns that resuming a digest's session took, for the next request */
	uint64_t failure_ns; /* ns that the last request that failed took */
	struct kc_gate_done done;
	struct kc_session session;
	/* Valid while the session is open. */
	size_t limit;	/* bytes: longer requests do not pay, or are not possible */
	bool is_ranged; /* the limit is that longer ones do not pay */
	bool is_fixed;	/* none is measured, and none is compared for the configuration */
	uint64_t known; /* mark of a request that showed nothing new; or 0 */
};

/* Initialises the gate for a row; @first is the row's first candidate. */
static inline void kc_gate_init(struct kc_gate *gate, struct kc_candidate *first)
{
	gate->first = first;
	gate->candidate = first;
	memset(&gate->threshold, 0,
	       offsetof(struct kc_gate, session) - offsetof(struct kc_gate, threshold));
	kc_session_init(&gate->session);
}

/* Call it after a context was copied: the session stays with the original. */
static inline void kc_gate_copied(struct kc_gate *gate)
{
	gate->stake.share = 0;
	kc_session_init(&gate->session);
}

/*
 * True while a session is open. The session belongs to the gate; others only query it, close it, or
 * leave it to the next context.
 */
static inline bool kc_gate_is_open(const struct kc_gate *gate)
{
	return gate->session.fd >= 0;
}

/* True while requests are in flight. */
static inline bool kc_gate_is_busy(const struct kc_gate *gate)
{
	return kc_gate_is_open(gate) && gate->session.in_flight;
}

/* Closes the session. The gate can open another. */
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

/* Does the work of kc_gate_end(). */
void kc_gate_return(struct kc_gate *gate);

/*
 * Call it at a context's end: gives back what the gate took in advance. Inline, because most
 * contexts have nothing to give back.
 */
static inline void kc_gate_end(struct kc_gate *gate)
{
	if (kc_gate_is_open(gate) || gate->stake.share)
		kc_gate_return(gate);
}

/*
 * True if another key would end something and @key is the same as @old, both of @len bytes.
 * Compares nothing if there is nothing to lose.
 */
static inline bool kc_gate_keeps(const struct kc_gate *gate, const uint8_t *old, const uint8_t *key,
				 size_t len)
{
	return (kc_gate_is_open(gate) || gate->stake.waited) && kc_key_is_same(old, key, len);
}

/* Call it before @key replaces @old: another key needs another session, earned again. */
static inline void kc_gate_rekey(struct kc_gate *gate, const uint8_t *old, const uint8_t *key,
				 size_t len)
{
	if (kc_gate_keeps(gate, old, key, len))
		return;
	kc_gate_close(gate);
	gate->stake.waited = 0;
}

/*
 * For several candidates, with no session open: takes the candidate that is best now, and the
 * lowest threshold.
 */
void kc_gate_renew_several(struct kc_gate *gate, enum kc_dir dir);

/* Call it at a new message or key: takes in what the process has learned. */
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
 * Returns the length of the longest request, in bytes, if a session is open for a request of @len
 * bytes, or is worth opening now with @key; otherwise 0. If a candidate fails, it tries the next
 * one at once. Sets ->threshold; unless it returns 0, @len is at least that.
 */
size_t kc_gate_open(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
		    const struct kc_key *key, size_t len);

/* Sets the limit of the open session from what the process knows now. */
void kc_gate_note_limit(struct kc_gate *gate);

/*
 * Does one request, like kc_session_run(); a failure counts against the candidate. Some requests
 * are pairs, which the base does, too: if the answers differ, the process refuses the driver, and
 * the request has failed. Updates ->threshold.
 */
int kc_gate_run(struct kc_gate *gate, const struct kc_base *base, const struct kc_key *key,
		const struct kc_req *req);

/*
 * After kc_gate_run(), ->is_plain is true if the request was no pair and in no job, and ->is_fixed.
 * If nothing was asked of the gate since, this may be asked for the same request with other bytes,
 * outside a job, too. True: that one needs only kc_gate_run_plain().
 */
static inline bool kc_gate_is_plain(const struct kc_gate *gate)
{
	return kc_gate_is_open(gate) && kc_process_has(gate->session.process_mark) &&
	       !atomic_load_explicit(&gate->candidate->has_failed, memory_order_relaxed);
}

/* Records a failure of kc_gate_run_plain(), which it returns. */
int kc_gate_failed_plain(struct kc_gate *gate, int err);

/* Does one request, as kc_gate_run() does. */
static inline int kc_gate_run_plain(struct kc_gate *gate, const struct kc_req *req)
{
	KC_KEEPS_ERRNO;
	int err = kc_session_run_unfailed(&gate->session, gate->candidate, req);

	if (err)
		return kc_gate_failed_plain(gate, err);
	gate->done.bytes += req->len;
	return 0;
}

/*
 * True if the backend can have several requests in flight. Then kc_gate_claim_pair() comes before
 * each request, kc_gate_submit() and kc_gate_reap() do it, and kc_gate_took() follows all of them.
 */
static inline bool kc_gate_queues(const struct kc_gate *gate)
{
	return gate->session.backend->submit;
}

/*
 * Counts a request. True if it is to be done both ways: by kc_gate_run(), with nothing in flight;
 * it stays claimed until then.
 */
bool kc_gate_claim_pair(struct kc_gate *gate, const struct kc_req *req, size_t key_len);
/* Submits a request; see session/request.h. */
int kc_gate_submit(struct kc_gate *gate, const struct kc_req *req, struct kc_flight *flight);
/* Reaps a request; see session/request.h. */
int kc_gate_reap(struct kc_gate *gate, const struct kc_req *req, const struct kc_flight *flight,
		 bool waits);
/* Reports the time @ns that all requests of an update took together, @len bytes. */
void kc_gate_took(struct kc_gate *gate, enum kc_dir dir, size_t len, uint64_t ns);

/* The last request called a tag bad that was right: counts as a failure like any other. */
void kc_gate_mistaken(struct kc_gate *gate);

#endif
