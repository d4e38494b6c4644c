/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the candidate's terms, opens sessions, and counts what their failures cost. */
#include "offload/gate.h"

#include "core/quiet.h"
#include "offload/classes.h"
#include "offload/trial.h"

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

/* True if the configuration says so, and no failure contradicts it. */
static bool is_at_once(const struct kc_gate *gate)
{
	const struct kc_terms *terms = &gate->candidate->terms;

	return terms->is_fixed && gate->threshold <= terms->least &&
	       atomic_load_explicit(&gate->candidate->failures, memory_order_relaxed) == 0;
}

/* True if the driver had its trial, or kcrypto tune examined it to the end. */
static bool is_tried(const struct kc_candidate *candidate)
{
	unsigned trust = atomic_load(&candidate->trust);

	return trust == KC_TRUSTED || (trust == KC_PROVEN && candidate->is_examined);
}

/*
 * Makes the driver's trial if it had none and this request's turn has come. True if the candidate
 * may do the request; after a trial, another candidate may be faster.
 */
static bool ensure_trial(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
			 size_t len)
{
	struct kc_candidate *candidate = gate->candidate;

	if (is_tried(candidate))
		return true;
	/* Software's bytes before the trial count towards a session, too. */
	if (!is_at_once(gate) && !kc_terms_take_turn(candidate, &gate->stake, len)) {
		kc_terms_wait(candidate, &gate->stake, len);
		return false;
	}
	return kc_trial(candidate, base) == KC_TRUSTED &&
	       kc_candidate_for(gate->first, dir, len) == candidate;
}

/* For terms whose threshold is lower in jobs. */
static __attribute__((cold, noinline)) size_t threshold_here(const struct kc_terms *terms,
							     enum kc_dir dir)
{
	if (kc_job_can_pause())
		return kc_terms_threshold(terms, dir);
	return kc_terms_alone(terms, dir);
}

void kc_gate_note_limit(struct kc_gate *gate)
{
	const struct kc_terms *terms = &gate->candidate->terms;
	size_t longest = gate->is_pair ? kc_terms_look(terms) : kc_terms_longest(terms);

	/* A whole message that may be too long to pay is still compared. */
	if (gate->is_pair && kc_alg_is_whole(gate->candidate->alg))
		longest = SIZE_MAX;
	gate->is_ranged = longest != SIZE_MAX;
	gate->limit = longest < gate->session.limit ? longest : gate->session.limit;
}

/* Claims a request for the kernel if it pays, or as a pair to learn whether it does. */
static inline __attribute__((always_inline)) bool claim_request(struct kc_gate *gate,
								enum kc_dir dir, size_t len)
{
	struct kc_candidate *candidate = gate->candidate;

	gate->threshold = kc_terms_threshold(&candidate->terms, dir);
	if (atomic_load_explicit(&candidate->terms.alone[dir], memory_order_relaxed))
		gate->threshold = threshold_here(&candidate->terms, dir);
	if (len >= kc_terms_floor(&candidate->terms) &&
	    kc_terms_take_turn(candidate, &gate->stake, len)) {
		gate->is_pair = true;
		gate->threshold = candidate->terms.least;
		kc_gate_note_limit(gate);
	}
	return len >= gate->threshold;
}

/* True if a message is too long to be worth a session. */
static bool is_too_long(const struct kc_gate *gate, size_t len)
{
	return !gate->is_pair && kc_alg_is_whole(gate->candidate->alg) &&
	       len > kc_terms_longest(&gate->candidate->terms);
}

/* Timed, because asking the sandbox each time can take as long as a request. */
static bool resume(struct kc_gate *gate)
{
	uint64_t start = kc_terms_clock(&gate->candidate->terms);

	if (!kc_session_resume(&gate->session, gate->candidate))
		return false;
	gate->resume_ns = kc_terms_clock(&gate->candidate->terms) - start;
	return true;
}

/* Opens a session if that is worth it now. True if it opened. */
static bool try_candidate(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
			  const struct kc_key *key, size_t len)
{
	struct kc_candidate *candidate = gate->candidate;
	uint64_t start;

	if (kc_candidate_let_rest(candidate) || !ensure_trial(gate, base, dir, len) ||
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

/* Tries the candidates, best first. Opening uses cancellation points of libc. */
static bool try_candidates(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
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
		if (try_candidate(gate, base, dir, key, len))
			return true;
	}
	kc_gate_renew(gate, dir);
	return false;
}

static bool is_usable(const struct kc_gate *gate, const struct kc_key *key)
{
	/* A session has one tag length. And another context may have caught the driver lying. */
	if (gate->session.tag_len != key->tag_len)
		return false;
	return atomic_load(&gate->candidate->trust) != KC_REFUSED;
}

/* Are this candidate's requests neither measured nor compared, once their traits are known? */
static bool has_fixed_terms(const struct kc_candidate *candidate)
{
	return kc_terms_floor(&candidate->terms) == SIZE_MAX && !candidate->verify &&
	       kc_traits_mark_is_telling(candidate->alg);
}

static __attribute__((noinline)) size_t open_anew(struct kc_gate *gate, const struct kc_base *base,
						  enum kc_dir dir, const struct kc_key *key,
						  size_t len)
{
	/* Nothing of this call is in flight yet, so the request belongs to an abandoned job. */
	if (kc_gate_is_busy(gate))
		kc_gate_close(gate);
	if (kc_session_keep_own(&gate->session)) {
		bool is_right = is_usable(gate, key);
		bool rests = kc_candidate_let_rest(gate->candidate);

		if (is_right && !rests && claim_request(gate, dir, len))
			return gate->limit;
		if (is_right && (!rests || !gate->first->next))
			return 0;
		kc_session_close(&gate->session);
	}
	if (!try_candidates(gate, base, dir, key, len))
		return 0;
	gate->known = 0;
	gate->is_fixed = has_fixed_terms(gate->candidate);
	kc_gate_note_limit(gate);
	return gate->limit;
}

/* True if a session is open, and this request has nothing to teach. */
static bool is_settled(const struct kc_gate *gate, enum kc_dir dir, const struct kc_key *key,
		       size_t len)
{
	const struct kc_session *session = &gate->session;
	const struct kc_terms *terms = &gate->candidate->terms;

	return kc_gate_is_open(gate) && !session->in_flight &&
	       session->process_mark == kc_process_mark() && is_usable(gate, key) &&
	       !kc_candidate_has_rest(gate->candidate) && len < kc_terms_floor(terms) &&
	       !atomic_load_explicit(&terms->alone[dir], memory_order_relaxed);
}

size_t kc_gate_open(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
		    const struct kc_key *key, size_t len)
{
	gate->is_pair = gate->is_plain = false;
	if (!is_settled(gate, dir, key, len))
		return open_anew(gate, base, dir, key, len);
	gate->threshold = kc_terms_threshold(&gate->candidate->terms, dir);
	if (len >= gate->threshold)
		return gate->limit;
	return 0;
}
