/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the candidate's terms, opens sessions, and counts what their failures cost. */
#include "offload/gate.h"

#include <errno.h>

#include "core/quiet.h"
#include "offload/pair.h"
#include "offload/classes.h"
#include "offload/trial.h"
#include "policy/learn.h"
#include "stats/stats.h"

void kc_gate_return(struct kc_gate *gate)
{
	kc_gate_leave(gate);
	kc_terms_give(gate->candidate, &gate->stake);
}

static void take_candidate(struct kc_gate *gate, struct kc_candidate *candidate)
{
	if (candidate != gate->candidate)
		kc_terms_give(gate->candidate, &gate->stake);
	gate->candidate = candidate;
}

void kc_gate_renew_several(struct kc_gate *gate, enum kc_dir dir)
{
	struct kc_candidate *now = kc_candidate_now(gate->first);

	if (now)
		take_candidate(gate, now);
	gate->threshold = kc_candidates_threshold(gate->first, now, dir);
}

/* The configuration says so, and no failure contradicts it. */
static bool is_at_once(const struct kc_gate *gate)
{
	const struct kc_terms *terms = &gate->candidate->terms;

	return terms->is_fixed && gate->threshold <= terms->least &&
	       atomic_load_explicit(&gate->candidate->failures, memory_order_relaxed) == 0;
}

/*
 * Makes the driver's trial if it has none and this request is the one for it. True if the candidate
 * may do the request; after a trial, another one may be faster.
 */
static bool ensure_trial(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
			 size_t len)
{
	struct kc_candidate *candidate = gate->candidate;
	unsigned trust = atomic_load(&candidate->trust);

	if (trust == KC_TRUSTED || trust == KC_PROVEN)
		return true;
	/* The bytes before the trial are no less software's than those after it. */
	if (!is_at_once(gate) && !kc_terms_take_turn(candidate, &gate->stake, len)) {
		kc_terms_wait(candidate, &gate->stake, len);
		return false;
	}
	return kc_trial(candidate, base) == KC_TRUSTED &&
	       kc_candidate_for(gate->first, dir, len) == candidate;
}

/* Where it is lower in jobs. */
static __attribute__((cold, noinline)) size_t threshold_here(const struct kc_terms *terms,
							     enum kc_dir dir)
{
	return kc_job_can_pause() ? kc_terms_threshold(terms, dir) : kc_terms_alone(terms, dir);
}

/* Notes the longest request of the session, which is open, as far as the process knows it now. */
static void note_limit(struct kc_gate *gate)
{
	size_t longest = kc_terms_longest(&gate->candidate->terms);

	/* A whole message is compared although it may be too long to pay. */
	if (gate->is_pair && kc_alg_is_whole(gate->candidate->alg))
		longest = SIZE_MAX;
	gate->is_ranged = longest != SIZE_MAX;
	gate->limit = longest < gate->session.limit ? longest : gate->session.limit;
}

/* Takes a request for the kernel if it pays, or as a pair to see whether it does. */
static inline __attribute__((always_inline)) bool claim_request(struct kc_gate *gate,
								enum kc_dir dir, size_t len)
{
	struct kc_candidate *candidate = gate->candidate;

	gate->threshold = kc_terms_threshold(&candidate->terms, dir);
	if (atomic_load_explicit(&candidate->terms.alone[dir], memory_order_relaxed))
		gate->threshold = threshold_here(&candidate->terms, dir);
	if (len >= candidate->terms.floor && kc_terms_take_turn(candidate, &gate->stake, len)) {
		gate->is_pair = true;
		gate->threshold = candidate->terms.least;
		note_limit(gate);
	}
	return len >= gate->threshold;
}

/* Is a message too long to be worth a session? */
static bool is_too_long(const struct kc_gate *gate, size_t len)
{
	return !gate->is_pair && kc_alg_is_whole(gate->candidate->alg) &&
	       len > kc_terms_longest(&gate->candidate->terms);
}

/* The sandbox is asked each time, which can take as long as a request. */
static bool resume(struct kc_gate *gate)
{
	uint64_t start = kc_terms_clock(&gate->candidate->terms);

	if (!kc_session_resume(&gate->session, gate->candidate))
		return false;
	gate->resume_ns = kc_terms_clock(&gate->candidate->terms) - start;
	return true;
}

/* Is it worth opening a session now, and does it open? */
static bool session_opens(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
			  const struct kc_key *key, size_t len)
{
	struct kc_candidate *candidate = gate->candidate;
	uint64_t start;

	if (kc_candidate_rests(candidate) || !ensure_trial(gate, base, dir, len) ||
	    !claim_request(gate, dir, len) || is_too_long(gate, len))
		return false;
	if (candidate->alg->kind == KC_DIGEST && resume(gate))
		return true;
	if (!kc_terms_pay(candidate, &gate->stake, len, gate->is_pair) ||
	    (atomic_load(&candidate->trust) == KC_PROVEN &&
	     kc_trial(candidate, base) != KC_TRUSTED))
		return false;
	start = kc_now_ns();
	if (kc_session_open(&gate->session, candidate, key) == 0)
		return true;
	kc_rest_begin(candidate, kc_now_ns() - start);
	return false;
}

/* Tries the candidates, best first. A session is opened by libc's cancellation points. */
static bool some_session_opens(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
			       const struct kc_key *key, size_t len)
{
	KC_QUIETLY;
	struct kc_candidate *tried = NULL;

	for (unsigned i = 0; i < KC_MAX_BACKENDS; i++) {
		struct kc_candidate *now = kc_candidate_for(gate->first, dir, len);

		if (!now || now == tried)
			break;
		tried = now;
		take_candidate(gate, now);
		if (session_opens(gate, base, dir, key, len))
			return true;
	}
	kc_gate_renew(gate, dir);
	return false;
}

static bool is_usable(const struct kc_gate *gate, const struct kc_key *key)
{
	/* The tag's length belongs to it; and another context may have met a lie. */
	return gate->session.tag_len == key->tag_len &&
	       atomic_load(&gate->candidate->trust) != KC_REFUSED;
}

static __attribute__((noinline)) size_t open_anew(struct kc_gate *gate, const struct kc_base *base,
						  enum kc_dir dir, const struct kc_key *key,
						  size_t len)
{
	/* Nothing of this call is in flight yet. So that is a job's that was left for good. */
	if (kc_gate_is_busy(gate))
		kc_gate_close(gate);
	if (kc_session_ready(&gate->session)) {
		bool is_right = is_usable(gate, key), rests = kc_candidate_rests(gate->candidate);

		if (is_right && !rests)
			return claim_request(gate, dir, len) ? gate->limit : 0;
		if (is_right && !gate->first->next)
			return 0;
		kc_session_close(&gate->session);
	}
	if (!some_session_opens(gate, base, dir, key, len))
		return 0;
	gate->known = 0;
	note_limit(gate);
	return gate->limit;
}

/* Is a session open, and nothing to be learned from a request? */
static bool is_settled(const struct kc_gate *gate, enum kc_dir dir, const struct kc_key *key,
		       size_t len)
{
	const struct kc_session *session = &gate->session;
	const struct kc_terms *terms = &gate->candidate->terms;

	return kc_gate_is_open(gate) && !session->in_flight &&
	       session->process_mark == kc_process_mark() && is_usable(gate, key) &&
	       !kc_candidate_rests(gate->candidate) && len < terms->floor &&
	       !atomic_load_explicit(&terms->alone[dir], memory_order_relaxed);
}

size_t kc_gate_open(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
		    const struct kc_key *key, size_t len)
{
	gate->is_pair = false;
	if (!is_settled(gate, dir, key, len))
		return open_anew(gate, base, dir, key, len);
	gate->threshold = kc_terms_threshold(&gate->candidate->terms, dir);
	return len >= gate->threshold ? gate->limit : 0;
}

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
	note_limit(gate);
	return err;
}

static int run_alone(struct kc_gate *gate, const struct kc_req *req)
{
	struct kc_candidate *candidate = gate->candidate;
	bool is_timed = req->len >= candidate->terms.floor;
	uint64_t start = is_timed ? kc_terms_clock(&candidate->terms) : 0;
	int err = kc_session_run(&gate->session, candidate, req);

	if (!is_timed || err)
		return err;
	kc_terms_kernel(candidate, &gate->stake, req->dir, req->len,
			kc_terms_clock(&candidate->terms) - start + gate->resume_ns);
	note_limit(gate);
	return 0;
}

/* -EAGAIN: not tried. */
static __attribute__((noinline)) int run_in_job(struct kc_gate *gate, const struct kc_req *req)
{
	struct kc_candidate *candidate = gate->candidate;
	uint64_t ns;
	int err = kc_session_run_in_job(&gate->session, candidate, req, &ns);

	if (!err && ns)
		kc_terms_flight(candidate, req->dir, req->len, ns);
	return err;
}

/* Has the process seen too few like it? If not, nor will it have when the next one comes. */
static __attribute__((noinline)) bool is_new(struct kc_gate *gate, const struct kc_req *req,
					     size_t key_len, uint64_t mark)
{
	bool is_new = kc_terms_is_new(gate->candidate, req->dir, req->len,
				      kc_traits(&gate->session, req, key_len));

	if (!is_new && kc_traits_mark_is_telling(gate->session.alg))
		gate->known = mark;
	return is_new;
}

/*
 * A device may be left with something of a request that failed, and answer the next one with it:
 * true once after each failure.
 */
static inline bool take_suspicion(struct kc_candidate *c)
{
	return atomic_load_explicit(&c->is_suspect, memory_order_relaxed) &&
	       atomic_exchange_explicit(&c->is_suspect, false, memory_order_relaxed);
}

/*
 * Counts the request. True if it is one to be compared: by the configuration, after a failure, or
 * to learn from.
 */
inline __attribute__((always_inline)) bool
kc_gate_claim_pair(struct kc_gate *gate, const struct kc_req *req, size_t key_len)
{
	struct kc_candidate *c = gate->candidate;
	uint64_t mark;

	if (!gate->is_pair && c->verify)
		gate->is_pair = atomic_fetch_add_explicit(&c->to_verify, 1, memory_order_relaxed) %
					c->verify ==
				0;
	if (!gate->is_pair)
		gate->is_pair = take_suspicion(c);
	if (gate->is_pair || c->is_examined)
		return gate->is_pair;
	mark = kc_traits_mark(req);
	gate->is_pair = mark != gate->known && is_new(gate, req, key_len, mark);
	return gate->is_pair;
}

/* When a request begins, in ns; 0: none has failed, and what one costs is not wanted. */
static inline uint64_t begin(const struct kc_gate *gate)
{
	return atomic_load_explicit(&gate->candidate->is_timed, memory_order_relaxed) ?
		       kc_now_ns() :
		       0;
}

/*
 * Of a request that began at @start. What the first failure of all took is unknown, and its errno
 * does not tell: a driver may say at once that something timed out.
 */
static uint64_t cost(uint64_t start)
{
	return start ? kc_now_ns() - start : 0;
}

/* After a request: notes what became of it, which it returns, and what has been learned. */
static inline __attribute__((always_inline)) int
settle(struct kc_gate *gate, const struct kc_req *req, int err, uint64_t start)
{
	struct kc_candidate *candidate = gate->candidate;

	gate->resume_ns = 0;
	gate->threshold = kc_terms_threshold(&candidate->terms, req->dir);
	if (!err) {
		gate->done.bytes += req->len;
		return 0;
	}
	/* An AEAD's bad tag is an answer, but some drivers report it for a failed request. */
	if (err != -EBADMSG)
		kc_rest_begin(candidate, cost(start));
	gate->done.failed++;
	return err;
}

int kc_gate_run(struct kc_gate *gate, const struct kc_base *base, const struct kc_key *key,
		const struct kc_req *req)
{
	KC_KEEPS_ERRNO;
	uint64_t start = begin(gate);
	int err;

	if (kc_gate_claim_pair(gate, req, key->len)) {
		err = run_pair(gate, base, key, req);
	} else {
		err = gate->session.backend->submit ? run_in_job(gate, req) : -EAGAIN;
		if (err == -EAGAIN)
			err = run_alone(gate, req);
	}
	return settle(gate, req, err, start);
}

int kc_gate_submit(struct kc_gate *gate, const struct kc_req *req, struct kc_flight *flight)
{
	KC_KEEPS_ERRNO;
	uint64_t start = begin(gate);
	int err = kc_session_submit(&gate->session, gate->candidate, req, flight);

	return !err || err == -EAGAIN ? err : settle(gate, req, err, start);
}

int kc_gate_reap(struct kc_gate *gate, const struct kc_req *req, const struct kc_flight *flight,
		 bool waits)
{
	KC_KEEPS_ERRNO;
	uint64_t start = begin(gate);
	int err = kc_session_reap(&gate->session, gate->candidate, req, flight, waits);

	return err == -EAGAIN ? err : settle(gate, req, err, start);
}

void kc_gate_took(struct kc_gate *gate, enum kc_dir dir, size_t len, uint64_t ns)
{
	struct kc_candidate *candidate = gate->candidate;

	if (len >= candidate->terms.floor)
		kc_terms_kernel(candidate, &gate->stake, dir, len, ns);
	gate->threshold = kc_terms_threshold(&candidate->terms, dir);
}

void kc_gate_mistaken(struct kc_gate *gate)
{
	kc_rest_begin(gate->candidate, 0);
	kc_stats_error(gate->candidate->alg, gate->candidate->backend_number,
		       KC_STATS_REQUEST_FAILED);
	kc_session_close(&gate->session);
}
