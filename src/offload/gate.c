/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a session pays, what its failures cost, and when a request becomes a pair. */
#include "offload/gate.h"

#include <errno.h>

#include "core/quiet.h"
#include "offload/learn.h"
#include "offload/pair.h"
#include "stats/stats.h"
#include "offload/trial.h"

void kc_gate_return(struct kc_gate *gate)
{
	kc_gate_leave(gate);
	kc_learn_give(gate->candidate, gate->share);
	gate->share = 0;
}

static void take_candidate(struct kc_gate *gate, struct kc_candidate *candidate)
{
	if (candidate == gate->candidate)
		return;
	kc_learn_give(gate->candidate, gate->share);
	gate->share = 0;
	gate->candidate = candidate;
}

void kc_gate_renew_several(struct kc_gate *gate, enum kc_dir dir)
{
	struct kc_candidate *now = kc_candidate_now(gate->first);

	if (now)
		take_candidate(gate, now);
	gate->threshold = kc_candidates_threshold(gate->first, dir);
}

static unsigned trust_of(const struct kc_candidate *candidate)
{
	return atomic_load_explicit(&candidate->trust, memory_order_acquire);
}

/* Each failure in a row doubles the bytes to wait before the next try. */
static size_t backed_off(const struct kc_candidate *candidate, size_t bytes)
{
	unsigned failures = atomic_load_explicit(&candidate->failures, memory_order_relaxed);

	return kc_bytes_times(bytes, 1u << (failures < 8 ? failures : 8));
}

/*
 * Bytes that software must do before a session is worth its price. After kcrypto tune, the first
 * session is opened twice, once for the known answer.
 */
static size_t price(const struct kc_candidate *candidate)
{
	size_t cost = atomic_load_explicit(&candidate->session_bytes, memory_order_relaxed);

	return backed_off(candidate,
			  kc_bytes_times(cost, trust_of(candidate) == KC_PROVEN ? 2 : 1));
}

static bool is_at_once(const struct kc_gate *gate)
{
	const struct kc_candidate *candidate = gate->candidate;

	return candidate->threshold_fixed && gate->threshold == 0 &&
	       atomic_load_explicit(&candidate->failures, memory_order_relaxed) == 0;
}

/* If sessions outlive contexts, the bytes of all contexts count, otherwise only this one's. */
static void wait_for_session(struct kc_gate *gate, size_t len)
{
	if (gate->candidate->alg->kind == KC_DIGEST)
		atomic_fetch_add_explicit(&gate->candidate->waited, len, memory_order_relaxed);
	else
		gate->waited += len;
}

/* After a trial, another candidate may be faster. */
static bool driver_trusted(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
			   size_t len)
{
	struct kc_candidate *candidate = gate->candidate;
	unsigned trust = trust_of(candidate);

	if (trust == KC_TRUSTED || trust == KC_PROVEN || trust == KC_REFUSED)
		return trust != KC_REFUSED;
	/* The bytes before the trial are no less software's than those after it. */
	if (!is_at_once(gate) && !kc_learn_is_turn(candidate, &gate->share, len)) {
		wait_for_session(gate, len);
		return false;
	}
	if (kc_trial(candidate, base) == KC_TRUSTED)
		return kc_candidate_for(gate->first, dir, len) == candidate;
	kc_learn_wait(candidate, backed_off(candidate, KC_BYTES_BEFORE_TRIAL));
	return false;
}

/* Is this one for the kernel: as it pays, or to see whether it does? */
static bool is_kernels(struct kc_gate *gate, enum kc_dir dir, size_t len)
{
	struct kc_candidate *candidate = gate->candidate;

	gate->threshold = atomic_load_explicit(&candidate->threshold[dir], memory_order_relaxed);
	if (len >= candidate->floor && kc_learn_is_turn(candidate, &gate->share, len)) {
		gate->is_pair = true;
		gate->threshold = 0;
	}
	return len >= gate->threshold;
}

static bool is_paid(struct kc_gate *gate, size_t len)
{
	struct kc_candidate *candidate = gate->candidate;
	size_t waited =
		gate->waited + atomic_load_explicit(&candidate->waited, memory_order_relaxed);

	if (gate->is_pair || waited >= price(candidate)) {
		gate->waited = 0;
		atomic_store_explicit(&candidate->waited, 0, memory_order_relaxed);
		return true;
	}
	wait_for_session(gate, len);
	return false;
}

/* The sandbox is asked each time, which can take as long as a request. */
static bool resumes(struct kc_gate *gate)
{
	uint64_t start = kc_learn_clock(gate->candidate);

	if (!kc_session_resume(&gate->session, gate->candidate))
		return false;
	gate->resume_ns = kc_learn_clock(gate->candidate) - start;
	return true;
}

/* Is it worth opening a session now, and does it open? */
static bool session_opens(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
			  const struct kc_key *key, size_t len)
{
	struct kc_candidate *candidate = gate->candidate;

	if (!driver_trusted(gate, base, dir, len) || !is_kernels(gate, dir, len))
		return false;
	if (candidate->alg->kind == KC_DIGEST && resumes(gate))
		return true;
	if (!is_paid(gate, len) ||
	    (trust_of(candidate) == KC_PROVEN && kc_trial(candidate, base) != KC_TRUSTED))
		return false;
	if (kc_session_open(&gate->session, candidate, key) == 0)
		return true;
	atomic_fetch_add(&candidate->failures, 1);
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

bool kc_gate_open(struct kc_gate *gate, const struct kc_base *base, enum kc_dir dir,
		  const struct kc_key *key, size_t len)
{
	gate->is_pair = false;
	if (kc_session_ready(&gate->session)) {
		if (gate->session.tag_len == key->tag_len &&
		    trust_of(gate->candidate) != KC_REFUSED)
			return is_kernels(gate, dir, len);
		/* The tag's length belongs to it; and another context may have met a lie. */
		kc_session_close(&gate->session);
	}
	return some_session_opens(gate, base, dir, key, len);
}

/* The driver gave a wrong answer. */
static void refuse(struct kc_gate *gate)
{
	struct kc_candidate *candidate = gate->candidate;

	atomic_store(&candidate->trust, KC_REFUSED);
	kc_stats_error(candidate->alg, candidate->backend_number, KC_LIED);
	kc_session_close(&gate->session);
	kc_learn_wait(candidate, SIZE_MAX / 2);
}

/* Is this one of the requests to be compared according to the configuration? Counts it. */
static bool is_verified(struct kc_candidate *candidate)
{
	return atomic_fetch_add_explicit(&candidate->to_verify, 1, memory_order_relaxed) %
		       candidate->verify ==
	       0;
}

static int run_pair(struct kc_gate *gate, const struct kc_base *base, const struct kc_key *key,
		    const struct kc_req *req)
{
	struct kc_candidate *candidate = gate->candidate;
	struct kc_pair pair;
	int err = kc_pair_run(&gate->session, candidate, base, key, req, &pair);

	if (err == -KC_LIE)
		refuse(gate);
	if (!err && pair.soft_ns) {
		pair.kernel_ns += gate->resume_ns;
		kc_learn_pair(candidate, &pair);
	}
	return err == -KC_LIE ? -EIO : err;
}

int kc_gate_run(struct kc_gate *gate, const struct kc_base *base, const struct kc_key *key,
		const struct kc_req *req)
{
	KC_KEEPS_ERRNO;
	struct kc_candidate *candidate = gate->candidate;
	bool is_pair = (candidate->verify && is_verified(candidate)) || gate->is_pair ||
		       kc_learn_is_new(candidate, req->dir, req->len);
	bool is_timed = !is_pair && req->len >= candidate->floor;
	uint64_t start = is_timed ? kc_learn_clock(candidate) : 0;
	int err = is_pair ? run_pair(gate, base, key, req) :
			    kc_session_run(&gate->session, candidate, req);

	if (!err && is_timed &&
	    !kc_learn_kernel(candidate, req->dir, req->len,
			     kc_learn_clock(candidate) - start + gate->resume_ns))
		gate->share = 0;
	gate->is_pair = false;
	gate->resume_ns = 0;
	gate->threshold =
		atomic_load_explicit(&candidate->threshold[req->dir], memory_order_relaxed);
	/* An AEAD's bad tag is an answer, but some drivers report it for a failed request. */
	if (err && (err != -EBADMSG || candidate->alg->kind != KC_AEAD))
		atomic_fetch_add(&candidate->failures, 1);
	if (err)
		gate->done.failed++;
	else
		gate->done.bytes += req->len;
	return err;
}

void kc_gate_mistaken(struct kc_gate *gate)
{
	atomic_fetch_add(&gate->candidate->failures, 1);
	kc_stats_error(gate->candidate->alg, gate->candidate->backend_number, KC_REQUEST_FAILED);
	kc_session_close(&gate->session);
}
