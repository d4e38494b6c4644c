/* SPDX-License-Identifier: Apache-2.0 */
/* The first use of a driver: is it right, what does it cost, and which thread finds out? */
#include "offload/trial.h"

#include <errno.h>

#include "offload/known_answers.h"
#include "core/clock.h"
#include "offload/learn.h"
#include "core/process.h"
#include "session/buffers.h"
#include "session/session.h"
#include "stats/stats.h"

struct trial {
	struct kc_candidate *candidate;
	struct kc_answers answers;
	struct kc_session session;
	uint64_t start; /* ns */
};

/*
 * The first opening does not count, because it may have loaded modules; of two others, the shorter
 * one does.
 */
static enum kc_reason reopen(struct trial *t, uint64_t *open_ns)
{
	*open_ns = UINT64_MAX;
	for (int i = 0; i < 2; i++) {
		uint64_t start = kc_learn_clock(t->candidate), took;

		kc_session_close(&t->session);
		if (kc_session_open(&t->session, t->candidate, &t->answers.key) != 0)
			return KC_OPEN_FAILED;
		took = kc_learn_clock(t->candidate) - start;
		*open_ns = took < *open_ns ? took : *open_ns;
	}
	return KC_OK;
}

/* The time that @p->len bytes add to the fixed time of a request; ns. */
static uint64_t slope_of(const struct kc_prices *p)
{
	return p->kernel_long > p->kernel_short ? p->kernel_long - p->kernel_short : 0;
}

static unsigned kib_ns(const struct kc_prices *p)
{
	return (unsigned)(slope_of(p) * 1024 / p->len);
}

/*
 * The kernel takes a fixed time plus a time per byte, software only the latter. Returns the length
 * where the two lines cross, plus an eighth. The process's own requests will show whether it is
 * right.
 */
static size_t crossing(const struct kc_candidate *c, const struct kc_prices *p)
{
	uint64_t slope = slope_of(p);
	size_t block = c->alg->block_len;
	uint64_t n;

	if (p->soft_long <= slope)
		return SIZE_MAX;
	n = p->kernel_short * p->len / (p->soft_long - slope);
	n += n / 8;
	if (n > c->max_request)
		return SIZE_MAX;
	n = (n + block - 1) / block * block;
	return n < c->floor ? c->floor : (size_t)n;
}

/* The bytes that software does in that time. */
static size_t in_bytes(uint64_t ns, const struct kc_prices *p)
{
	uint64_t n = ns * p->len / (p->soft_long + 1);

	return n < SIZE_MAX ? (size_t)n : SIZE_MAX;
}

static enum kc_reason try_all(struct trial *t)
{
	struct kc_prices prices[2] = { { .len = 0 } };
	struct kc_candidate *c = t->candidate;
	uint64_t open_ns = 0;
	enum kc_reason why = kc_answers_check(&t->answers, prices);

	if (why == KC_OK)
		why = reopen(t, &open_ns);
	if (why != KC_OK)
		return why;
	for (int dir = kc_answers_first_dir(c->alg); c->floor != SIZE_MAX && dir <= KC_ENCRYPT;
	     dir++)
		atomic_store(&c->threshold[dir], crossing(c, &prices[dir]));
	atomic_store(&c->once_ns, (unsigned)prices[KC_ENCRYPT].kernel_short);
	atomic_store(&c->kib_ns, kib_ns(&prices[KC_ENCRYPT]));
	if (!c->threshold_fixed || atomic_load(&c->threshold[KC_ENCRYPT]))
		atomic_store(&c->session_bytes, in_bytes(open_ns, &prices[KC_ENCRYPT]));
	/* Until the first pair, software does enough work to make this an eighth of it. */
	kc_learn_begin(c, in_bytes(8 * (kc_learn_clock(c) - t->start), &prices[KC_ENCRYPT]));
	return KC_OK;
}

/*
 * A driver is bound by its own name, so if it opens, it is that driver. If it does not open, is
 * that because the kernel hides all hardware? This question makes the kernel search for modules.
 */
static enum kc_reason why_closed(const struct kc_candidate *candidate, int err)
{
	bool hidden;

	if (candidate->reason != KC_OK) /* not the listed driver, and one that may not be used */
		return candidate->reason;
	hidden = err == -ENOENT && candidate->nature == KC_HARDWARE &&
		 kc_session_is_software(candidate);

	return hidden ? KC_HARDWARE_HIDDEN : KC_OPEN_FAILED;
}

/* @ask: the questions for the session. */
static enum kc_reason open_and_try(struct trial *t, const struct kc_base *base,
				   enum kc_reason (*ask)(struct trial *t))
{
	enum kc_reason why;
	int err;

	t->answers.session = &t->session;
	t->answers.base_ctx = base->newctx(base);
	if (!t->answers.base_ctx)
		return KC_NO_MEMORY;
	err = kc_session_open(&t->session, t->candidate, &t->answers.key);
	why = err ? why_closed(t->candidate, err) : ask(t);
	kc_session_close(&t->session);
	base->freectx(t->answers.base_ctx);
	return why;
}

static enum kc_reason run(struct kc_candidate *candidate, const struct kc_base *base,
			  enum kc_reason (*ask)(struct trial *t))
{
	struct trial t = { .candidate = candidate, .start = kc_learn_clock(candidate) };
	uint8_t *room = kc_buffer_take(), *mem = kc_buffer_take();
	enum kc_reason why = KC_NO_MEMORY;

	kc_session_init(&t.session);
	if (room && mem) {
		kc_answers_init(&t.answers, candidate, base, room, mem,
				KC_ANSWERS_EACH(KC_ANSWERS_LEN));
		why = open_and_try(&t, base, ask);
	}
	kc_buffer_give(mem, 0);
	kc_buffer_give(room, 0);
	return why;
}

enum kc_reason kc_trial_run(struct kc_candidate *candidate, const struct kc_base *base)
{
	uint64_t start = kc_now_ns();
	enum kc_reason why = run(candidate, base, try_all);

	atomic_store(&candidate->trial_us, (unsigned)((kc_now_ns() - start) / 1000 + 1));
	return why;
}

static enum kc_reason try_short(struct trial *t)
{
	return kc_answers_short(&t->answers);
}

enum kc_reason kc_trial_again(struct kc_candidate *candidate, const struct kc_base *base)
{
	return run(candidate, base, try_short);
}

/* After a failure that may pass, the driver is tried again once software has done twice as much. */
static enum kc_trust verdict(struct kc_candidate *candidate, enum kc_reason why)
{
	if (why == KC_OK)
		return KC_TRUSTED;
	if (why == KC_WRONG_ANSWER)
		kc_stats_error(candidate->alg, candidate->backend_number, why);
	/* A reason in the candidate: its driver is neither the listed one nor admitted. */
	if (why == KC_WRONG_ANSWER || why == KC_HARDWARE_HIDDEN || candidate->reason != KC_OK) {
		kc_learn_wait(candidate, SIZE_MAX / 2);
		return KC_REFUSED;
	}
	atomic_fetch_add(&candidate->failures, 1);
	return KC_UNTRIED;
}

static enum kc_trust try_one(struct kc_candidate *candidate, const struct kc_base *base)
{
	unsigned ours = KC_ON_TRIAL + kc_process_mark();
	unsigned seen = atomic_load(&candidate->trust);
	enum kc_trust result;

	/* A child forked during its parent's trial never sees the end of it, and runs its own. */
	if (seen == ours || seen == KC_TRUSTED || seen == KC_REFUSED)
		return seen == ours ? KC_ON_TRIAL : (enum kc_trust)seen;
	if (!atomic_compare_exchange_strong(&candidate->trust, &seen, ours))
		return KC_ON_TRIAL;
	result = verdict(candidate, seen == KC_PROVEN ? kc_trial_again(candidate, base) :
							kc_trial_run(candidate, base));
	atomic_store(&candidate->trust, result);
	return result;
}

enum kc_trust kc_trial(struct kc_candidate *candidate, const struct kc_base *base)
{
	bool is_proven = atomic_load(&candidate->trust) == KC_PROVEN;
	enum kc_trust result = try_one(candidate, base);

	/* If several backends reach hardware, the fastest one is used, so all must be tried. */
	for (struct kc_candidate *c = candidate->next; c && result == KC_TRUSTED && !is_proven;
	     c = c->next)
		if (c->is_offered && c->nature == candidate->nature &&
		    atomic_load(&c->trust) == KC_UNTRIED)
			try_one(c, base);
	return result;
}
