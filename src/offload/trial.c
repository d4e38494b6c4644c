/* SPDX-License-Identifier: Apache-2.0 */
/* The first use of a driver: whether it is right, what it costs, and which thread tries it. */
#include "offload/trial.h"

#include <errno.h>
#include <string.h>

#include "core/process.h"
#include "offload/answers.h"
#include "session/buffers.h"
#include "session/session.h"
#include "stats/stats.h"

/* Opens a session. *@ns becomes the time that took, if it is the lowest so far. 0 or -errno. */
static int open_timed(struct kc_session *session, struct kc_candidate *c, const struct kc_key *key,
		      uint64_t *ns)
{
	uint64_t start = kc_terms_clock(&c->terms), took;
	int err = kc_session_open(session, c, key);

	took = kc_terms_clock(&c->terms) - start;
	if (took < *ns)
		*ns = took;
	return err;
}

/*
 * Opens a second session, with key 2, beside the one with key 1: a driver may have room for only
 * one key. If the configuration allows no second session, the first one is closed.
 */
static enum kc_reason take_turns(struct kc_answers *a, struct kc_candidate *c, uint64_t *open_ns)
{
	struct kc_session *first = a->session, second;
	enum kc_reason why;
	int err;

	kc_session_init(&second);
	kc_answers_rekey(a, 2);
	err = open_timed(&second, c, &a->key, open_ns);
	if (err == -EMFILE) {
		kc_session_close(first);
		err = open_timed(&second, c, &a->key, open_ns);
	}
	if (err)
		return KC_OPEN_FAILED;
	a->session = &second;
	why = kc_answers_ask(a);
	a->session = first;
	kc_answers_rekey(a, 1);
	if (why == KC_OK && first->fd >= 0)
		why = kc_answers_ask(a);
	kc_session_close(&second);
	return why;
}

/*
 * Opens two more sessions and takes the shorter time; the first opening does not count because it
 * may have loaded modules. Each is a chance to ask with another key.
 */
static enum kc_reason reopen(struct kc_answers *a, struct kc_candidate *c, uint64_t *open_ns)
{
	bool has_key = kc_answers_rekey(a, 1);
	enum kc_reason why = KC_OK;

	*open_ns = UINT64_MAX;
	kc_session_close(a->session);
	if (open_timed(a->session, c, &a->key, open_ns) != 0)
		return KC_OPEN_FAILED;
	if (has_key)
		why = kc_answers_ask(a);
	if (why != KC_OK)
		return why;
	return take_turns(a, c, open_ns);
}

/*
 * Believes the tune file: about the driver, if the examination there was complete, and about the
 * terms. With both, only the first question is asked, which gives no prices.
 */
static enum kc_reason try_driver(struct kc_answers *a, struct kc_candidate *c, uint64_t start)
{
	struct kc_prices prices[2];
	uint64_t open_ns;
	bool is_known = c->is_examined && c->terms.is_tuned;
	enum kc_reason why = kc_answers_check(a, is_known ? NULL : prices);

	if (c->terms.is_tuned || why != KC_OK)
		return why;
	why = reopen(a, c, &open_ns);
	if (why == KC_OK)
		kc_terms_tried(c, prices, open_ns, kc_terms_clock(&c->terms) - start);
	return why;
}

/*
 * A driver is bound by its own name, so an opened session has that driver. If none opens, the
 * kernel may be hiding all hardware; asking that makes the kernel search for modules.
 */
static enum kc_reason why_closed(const struct kc_candidate *candidate, int err)
{
	if (candidate->reason != KC_OK) /* got another driver, which may not be used */
		return candidate->reason;
	if (err != -ENOENT)
		return KC_OPEN_FAILED;
	if (!candidate->driver[0]) /* none was listed, and the kernel can't make one */
		return KC_NO_DRIVER;
	if (candidate->nature != KC_HARDWARE)
		return KC_OPEN_FAILED;
	if (kc_session_probe_software(candidate->backend))
		return KC_HARDWARE_HIDDEN;
	return KC_OPEN_FAILED;
}

static enum kc_reason open_and_try(struct kc_answers *a, struct kc_candidate *c)
{
	struct kc_session session;
	uint64_t start = kc_terms_clock(&c->terms);
	enum kc_reason why;
	int err;

	kc_session_init(&session);
	a->session = &session;
	err = kc_session_open(&session, c, &a->key);
	if (err)
		why = why_closed(c, err);
	else
		why = try_driver(a, c, start);
	kc_session_close(&session);
	return why;
}

enum kc_reason kc_trial_run(struct kc_candidate *candidate, const struct kc_base *base)
{
	uint64_t start = kc_now_ns();
	uint8_t *room = kc_buffer_take(), *mem = kc_buffer_take();
	enum kc_reason why = KC_NO_MEMORY;
	struct kc_answers answers;

	if (room && mem) {
		kc_answers_init(&answers, candidate, base, room, mem,
				KC_ANSWERS_EACH(KC_ANSWERS_LEN));
		why = open_and_try(&answers, candidate);
	}
	kc_buffer_give(mem, 0);
	kc_buffer_give(room, 0);
	if (!candidate->terms.is_tuned)
		atomic_store(&candidate->trial_us, (unsigned)((kc_now_ns() - start) / 1000 + 1));
	return why;
}

/*
 * After a failure that took @ns and may pass, the driver is tried again when software has done
 * twice as much as before this trial, and the driver has rested.
 */
static enum kc_trust verdict(struct kc_candidate *candidate, enum kc_reason why, uint64_t ns)
{
	if (why == KC_OK)
		return KC_TRUSTED;
	if (why == KC_WRONG_ANSWER)
		kc_stats_error(candidate->alg, candidate->backend_number, KC_STATS_WRONG_ANSWER);
	if (why == KC_REQUEST_FAILED)
		kc_stats_error(candidate->alg, candidate->backend_number, KC_STATS_REQUEST_FAILED);
	/* A reason in the candidate: its driver is neither the listed one nor admitted. */
	if (why == KC_WRONG_ANSWER || why == KC_HARDWARE_HIDDEN || candidate->reason != KC_OK)
		return KC_REFUSED;
	kc_rest_begin(candidate, ns);
	kc_terms_wait_for_trial(candidate);
	return KC_UNTRIED;
}

enum kc_trust kc_trial_one(struct kc_candidate *candidate, const struct kc_base *base)
{
	unsigned ours = KC_ON_TRIAL + kc_process_mark();
	unsigned seen = atomic_load(&candidate->trust);
	enum kc_trust result;
	enum kc_reason why;
	uint64_t start;

	/* A child forked during its parent's trial never sees that trial end, and runs its own. */
	if (seen == ours)
		return KC_ON_TRIAL;
	if (seen == KC_TRUSTED || seen == KC_REFUSED)
		return (enum kc_trust)seen;
	if (!atomic_compare_exchange_strong(&candidate->trust, &seen, ours))
		return KC_ON_TRIAL;
	start = kc_now_ns();
	why = kc_trial_run(candidate, base);
	result = verdict(candidate, why, kc_now_ns() - start);
	/* Fails if the driver has lied in another row meanwhile. */
	if (!atomic_compare_exchange_strong(&candidate->trust, &ours, result))
		return KC_REFUSED;
	return result;
}

/*
 * True if @other may be faster. If several backends reach the same driver, the first one is used,
 * because the list has the cheapest first; trials of all would cost a short process more than the
 * right choice could save. kcrypto tune measures them.
 */
static bool is_rival(const struct kc_candidate *candidate, const struct kc_candidate *other)
{
	if (!other->is_offered || other->nature != candidate->nature)
		return false;
	if (strcmp(other->driver, candidate->driver) == 0)
		return false;
	return atomic_load(&other->trust) == KC_UNTRIED;
}

enum kc_trust kc_trial(struct kc_candidate *candidate, const struct kc_base *base)
{
	enum kc_trust result = kc_trial_one(candidate, base);

	for (struct kc_candidate *c = candidate->next; c && result == KC_TRUSTED; c = c->next)
		if (!candidate->terms.is_tuned && is_rival(candidate, c))
			kc_trial_one(c, base);
	return result;
}
