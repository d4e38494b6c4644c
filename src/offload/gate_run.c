/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests through an open gate: which of them become pairs, and what the process learns from them.
 */
#include "offload/gate.h"

#include <errno.h>

#include "core/quiet.h"
#include "offload/classes.h"
#include "offload/pair.h"
#include "policy/learn.h"
#include "stats/stats.h"

static __attribute__((noinline)) int run_pair(struct kc_gate *gate, const struct kc_base *base,
					      const struct kc_key *key, const struct kc_req *req)
{
	struct kc_candidate *candidate = gate->candidate;
	struct kc_pair pair;
	int err = kc_pair_run(&gate->session, candidate, base, key, req, &pair);

	gate->is_pair = false;
	if (err == -KC_LIE) {
		kc_rest_refuse(candidate);
		kc_stats_error(candidate->alg, candidate->backend_number, KC_STATS_LIED);
		kc_session_close(&gate->session);
		return -EIO;
	}
	if (!err && pair.soft_ns) {
		pair.kernel_ns += gate->resume_ns;
		pair.in_job = kc_gate_queues(gate) && kc_job_can_pause();
		pair.amid_others = kc_session_flights() != 0;
		kc_terms_pair(candidate, &pair);
	}
	kc_gate_note_limit(gate);
	return err;
}

static int run_alone(struct kc_gate *gate, const struct kc_req *req)
{
	struct kc_candidate *candidate = gate->candidate;
	bool is_timed = req->len >= kc_terms_floor(&candidate->terms);
	uint64_t start = is_timed ? kc_terms_clock(&candidate->terms) : 0;
	int err = kc_session_run(&gate->session, candidate, req);

	if (!is_timed || err)
		return err;
	kc_terms_kernel(candidate, &gate->stake, req->dir, req->len,
			kc_terms_clock(&candidate->terms) - start + gate->resume_ns);
	kc_gate_note_limit(gate);
	return 0;
}

/* -EAGAIN: too many are in flight. */
static __attribute__((noinline)) int run_in_job(struct kc_gate *gate, const struct kc_req *req)
{
	struct kc_candidate *candidate = gate->candidate;
	uint64_t ns;
	int err = kc_session_run_in_job(&gate->session, candidate, req, &ns);

	if (!err && ns)
		kc_terms_flight(candidate, req->dir, req->len, ns);
	return err;
}

static inline __attribute__((always_inline)) int run_unpaired(struct kc_gate *gate,
							      const struct kc_req *req)
{
	bool is_in_job = kc_gate_queues(gate) && kc_job_can_pause();
	int err = -EAGAIN;

	gate->is_plain = gate->is_fixed && !is_in_job;
	if (is_in_job && kc_session_may_pause(&gate->session, req))
		err = run_in_job(gate, req);
	if (err == -EAGAIN)
		err = run_alone(gate, req);
	return err;
}

/*
 * Returns true if the process has seen too few requests like this one. False stays false, so the
 * mark is kept.
 */
static __attribute__((noinline)) bool claim_new(struct kc_gate *gate, const struct kc_req *req,
						size_t key_len, uint64_t mark)
{
	bool is_new = kc_terms_is_new(gate->candidate, req->dir, req->len,
				      kc_traits(&gate->session, req, key_len));

	if (!is_new && kc_traits_mark_is_telling(gate->session.alg))
		gate->known = mark;
	return is_new;
}

/*
 * True once after each failure: a device may keep something of the failed request, and answer the
 * next one with it.
 */
static inline bool take_suspicion(struct kc_candidate *c)
{
	return atomic_load_explicit(&c->is_suspect, memory_order_relaxed) &&
	       atomic_exchange_explicit(&c->is_suspect, false, memory_order_relaxed);
}

/*
 * Counts the request. True if it is to be compared: because of the configuration, after a failure,
 * or to learn from it.
 */
bool kc_gate_claim_pair(struct kc_gate *gate, const struct kc_req *req, size_t key_len)
{
	struct kc_candidate *c = gate->candidate;
	uint64_t mark;

	if (!gate->is_pair && c->verify)
		gate->is_pair =
			!(atomic_fetch_add_explicit(&c->to_verify, 1, memory_order_relaxed) %
			  c->verify);
	if (!gate->is_pair)
		gate->is_pair = take_suspicion(c);
	if (gate->is_pair || c->is_examined)
		return gate->is_pair;
	mark = kc_traits_mark(req);
	gate->is_pair = mark != gate->known && claim_new(gate, req, key_len, mark);
	return gate->is_pair;
}

/*
 * Returns when a request begins, in ns; 0 if nothing has failed yet, so that nobody needs the time.
 */
static inline uint64_t begin(const struct kc_gate *gate)
{
	if (!atomic_load_explicit(&gate->candidate->has_failed, memory_order_relaxed))
		return 0;
	return kc_now_ns();
}

/*
 * Records a failure, which it returns, of a request that began at @start. The cost of the very
 * first one is unknown, and its errno does not tell: a driver may report a timeout at once.
 */
static __attribute__((noinline)) int fail(struct kc_gate *gate, int err, uint64_t start)
{
	gate->failure_ns = start ? kc_now_ns() - start : 0;
	/* An AEAD's bad tag is an answer, though some drivers report one for a failed request. */
	if (err != -EBADMSG)
		kc_rest_begin(gate->candidate, gate->failure_ns);
	gate->done.failed++;
	return err;
}

/* Records a request's result, which it returns, and takes in what has been learned. */
static __attribute__((noinline)) int settle(struct kc_gate *gate, const struct kc_req *req, int err,
					    uint64_t start)
{
	gate->resume_ns = 0;
	gate->threshold = kc_terms_threshold(&gate->candidate->terms, req->dir);
	if (err)
		return fail(gate, err, start);
	gate->done.bytes += req->len;
	return 0;
}

__attribute__((cold)) int kc_gate_failed_plain(struct kc_gate *gate, int err)
{
	return fail(gate, err, 0);
}

int kc_gate_run(struct kc_gate *gate, const struct kc_base *base, const struct kc_key *key,
		const struct kc_req *req)
{
	KC_KEEPS_ERRNO;
	uint64_t start = begin(gate);
	int err;

	if (kc_gate_claim_pair(gate, req, key->len))
		err = run_pair(gate, base, key, req);
	else
		err = run_unpaired(gate, req);
	return settle(gate, req, err, start);
}

int kc_gate_submit(struct kc_gate *gate, const struct kc_req *req, struct kc_flight *flight)
{
	KC_KEEPS_ERRNO;
	uint64_t start = begin(gate);
	int err = kc_session_submit(&gate->session, gate->candidate, req, flight);

	if (!err || err == -EAGAIN)
		return err;
	return settle(gate, req, err, start);
}

int kc_gate_reap(struct kc_gate *gate, const struct kc_req *req, const struct kc_flight *flight,
		 bool waits)
{
	KC_KEEPS_ERRNO;
	uint64_t start = begin(gate);
	int err = kc_session_reap(&gate->session, gate->candidate, req, flight, waits);

	if (err == -EAGAIN)
		return err;
	return settle(gate, req, err, start);
}

void kc_gate_took(struct kc_gate *gate, enum kc_dir dir, size_t len, uint64_t ns)
{
	struct kc_candidate *candidate = gate->candidate;

	if (len >= kc_terms_floor(&candidate->terms))
		kc_terms_kernel(candidate, &gate->stake, dir, len, ns);
	gate->threshold = kc_terms_threshold(&candidate->terms, dir);
}

void kc_gate_mistaken(struct kc_gate *gate)
{
	kc_rest_begin(gate->candidate, gate->failure_ns);
	kc_stats_error(gate->candidate->alg, gate->candidate->backend_number,
		       KC_STATS_REQUEST_FAILED);
	kc_session_close(&gate->session);
}
