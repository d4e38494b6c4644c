/* SPDX-License-Identifier: Apache-2.0 */
/* The first use of a driver: is it right, what does it cost, and who finds that out. */
#include "core/trial.h"

#include <errno.h>
#include <stdlib.h>

#include "core/answers.h"
#include "core/clock.h"
#include "core/mark.h"
#include "core/scratch.h"
#include "core/session.h"

/* How often a request is measured at most, until some runs agree. */
#define MAX_RUNS 16

struct trial {
	struct kc_choice *choice;
	struct kc_answers answers;
	struct kc_session session;
	uint64_t soft_ns; /* of a request as long as the session takes */
};

#define AGREEING 3 /* so many: two may be wrong in the same way by chance */

/* The least of some measurements, in ns, the very least first. */
struct least {
	uint64_t ns[AGREEING];
};

static const struct least nothing_yet = { { UINT64_MAX, UINT64_MAX, UINT64_MAX } };

static void note(struct least *l, uint64_t ns)
{
	for (int i = 0; i < AGREEING; i++) {
		uint64_t was = l->ns[i];

		l->ns[i] = ns < was ? ns : was;
		ns = ns < was ? was : ns;
	}
}

/* Where nothing came between, all runs of the same work take the same time. */
static bool agree(const struct least *l)
{
	return l->ns[AGREEING - 1] - l->ns[0] <= l->ns[0] / 8;
}

/*
 * What the work costs when nothing comes between. Where nothing is decided by it but an order of
 * two, two runs will do.
 */
static enum kc_reason least(struct trial *t, enum kc_dir dir, size_t len, uint64_t *soft,
			    uint64_t *kernel)
{
	struct least s = nothing_yet, k = nothing_yet;
	int most = t->choice->threshold_fixed ? 2 : MAX_RUNS;

	for (int i = 0; i < most && (i < AGREEING || !agree(&s) || !agree(&k)); i++) {
		enum kc_reason why = kc_answers_one(&t->answers, dir, len);

		if (why != KC_OK)
			return why;
		note(&s, t->answers.soft_ns);
		note(&k, t->answers.kernel_ns);
	}
	*soft = s.ns[0];
	*kernel = k.ns[0];
	return KC_OK;
}

/*
 * The kernel takes a fixed time and so much per byte, software only the latter: where the two
 * lines cross, and an eighth more.
 */
static size_t crossing(uint64_t soft, uint64_t small, uint64_t large, size_t limit, size_t block)
{
	uint64_t slope = large > small ? large - small : 0;
	uint64_t n;

	if (soft <= slope)
		return KC_THRESHOLD_MEASURED;
	n = small * limit / (soft - slope);
	n += n / 8;
	return n > limit ? KC_THRESHOLD_MEASURED : (size_t)(n + block - 1) / block * block;
}

/* What software does in so much time, bytes. */
static size_t in_bytes(const struct trial *t, uint64_t ns)
{
	uint64_t n = ns * t->session.limit / (t->soft_ns + 1);

	return n < SIZE_MAX ? (size_t)n : SIZE_MAX;
}

static enum kc_reason measure(struct trial *t, enum kc_dir dir, uint64_t open_ns)
{
	const struct kc_alg *alg = t->choice->alg;
	size_t limit = t->session.limit, length;
	uint64_t small, large, unused;
	enum kc_reason why = least(t, dir, alg->block_len, &unused, &small);

	if (why == KC_OK)
		why = least(t, dir, limit, &t->soft_ns, &large);
	if (why != KC_OK)
		return why;
	length = crossing(t->soft_ns, small, large, limit, alg->block_len);
	if (length < alg->default_threshold)
		length = alg->default_threshold;
	if (!t->choice->threshold_fixed)
		atomic_store(&t->choice->threshold[dir], length);
	atomic_store(&t->choice->speed, (unsigned)((uint64_t)limit * 1000000 / (large + 1)));
	if (!t->choice->threshold_fixed || atomic_load(&t->choice->threshold[dir]))
		atomic_store(&t->choice->session_bytes, in_bytes(t, open_ns));
	return KC_OK;
}

/* Not the first opening, which may have loaded modules; of two others what nothing came between. */
static enum kc_reason reopen(struct trial *t, uint64_t *open_ns)
{
	*open_ns = UINT64_MAX;
	for (int i = 0; i < 2; i++) {
		uint64_t start = kc_now_ns(), took;

		kc_session_close(&t->session);
		if (kc_session_open(&t->session, t->choice, &t->answers.key) != 0)
			return KC_OPEN_FAILED;
		took = kc_now_ns() - start;
		*open_ns = took < *open_ns ? took : *open_ns;
	}
	return KC_OK;
}

/* Slower than software in every direction that there is? */
static bool is_slower(const struct kc_choice *choice)
{
	for (int dir = kc_answers_first_dir(choice->alg); dir <= KC_ENCRYPT; dir++)
		if (atomic_load(&choice->threshold[dir]) != SIZE_MAX)
			return false;
	return true;
}

static enum kc_reason try_all(struct trial *t)
{
	uint64_t open_ns = 0;
	enum kc_reason why = kc_answers_check(&t->answers);

	if (why == KC_OK)
		why = reopen(t, &open_ns);
	for (int dir = kc_answers_first_dir(t->choice->alg); why == KC_OK && dir <= KC_ENCRYPT;
	     dir++)
		why = measure(t, (enum kc_dir)dir, open_ns);
	return why == KC_OK && is_slower(t->choice) ? KC_SLOWER : why;
}

/*
 * A driver is bound by its own name, so one that opens is that one. Where it does not open, is that
 * because the kernel hides all hardware? The question costs the kernel a search for modules.
 */
static enum kc_reason why_closed(const struct kc_choice *choice, int err)
{
	bool hidden;

	if (choice->reason != KC_OK) /* another driver than was listed, which may not be used */
		return choice->reason;
	hidden = err == -ENOENT && choice->nature == KC_HARDWARE &&
		 choice->backend->hides_hardware &&
		 choice->backend->hides_hardware(choice->software) == 1;

	return hidden ? KC_HARDWARE_HIDDEN : KC_OPEN_FAILED;
}

/* @ask: what is to be found out in the session. */
static enum kc_reason open_and_try(struct trial *t, const struct kc_base *base,
				   enum kc_reason (*ask)(struct trial *t))
{
	enum kc_reason why;
	int err;

	t->answers.session = &t->session;
	t->answers.base_ctx = base->newctx(base);
	if (!t->answers.base_ctx)
		return KC_NO_MEMORY;
	err = kc_session_open(&t->session, t->choice, &t->answers.key);
	why = err ? why_closed(t->choice, err) : ask(t);
	kc_session_close(&t->session);
	base->freectx(t->answers.base_ctx);
	return why;
}

/*
 * A device may have been busy and a machine disturbed: one that lost is tried again, but once that
 * costs a hundredth of what software did. Until then large requests have to come by here.
 */
static void give_time(struct trial *t, uint64_t took)
{
	struct kc_choice *choice = t->choice;

	atomic_store(&choice->before_trial, in_bytes(t, took * 50));
	for (int dir = KC_DECRYPT; dir <= KC_ENCRYPT && !choice->threshold_fixed; dir++)
		atomic_store(&choice->threshold[dir], choice->alg->default_threshold);
}

enum kc_reason kc_trial_run(struct kc_choice *choice, const struct kc_base *base)
{
	struct trial t = { .choice = choice };
	uint64_t start = kc_now_ns(), took;
	enum kc_reason why;
	uint8_t *mem = kc_pages_new(KC_MAX_REQUEST + 3 * KC_ANSWERS_EACH);

	if (!mem)
		return KC_NO_MEMORY;
	kc_session_init(&t.session);
	kc_answers_init(&t.answers, base, mem, mem + KC_MAX_REQUEST, KC_ANSWERS_EACH);
	why = open_and_try(&t, base, try_all);
	free(mem);
	took = kc_now_ns() - start;
	atomic_store(&choice->trial_us, (unsigned)(took / 1000 + 1));
	if (why == KC_SLOWER)
		give_time(&t, took);
	return why;
}

static enum kc_reason try_vector(struct trial *t)
{
	return kc_answers_vector(&t->answers);
}

enum kc_reason kc_trial_again(struct kc_choice *choice, const struct kc_base *base)
{
	struct trial t = { .choice = choice };
	uint8_t *room = kc_scratch_take(), *mem = kc_scratch_take();
	enum kc_reason why = KC_NO_MEMORY;

	kc_session_init(&t.session);
	if (room && mem) {
		kc_answers_init(&t.answers, base, room, mem, 2 * KC_ANSWERS_VECTOR);
		why = open_and_try(&t, base, try_vector);
	}
	kc_scratch_give(mem, 0);
	kc_scratch_give(room, 0);
	return why;
}

/* What may pass is tried again, after twice as much was done in software. */
static enum kc_trust verdict(struct kc_choice *choice, enum kc_reason why)
{
	if (why == KC_OK)
		return KC_TRUSTED;
	/* A reason in the choice: its driver is not the one that was listed, nor admitted. */
	if (why == KC_WRONG_ANSWER || why == KC_HARDWARE_HIDDEN || choice->reason != KC_OK)
		return KC_REFUSED;
	atomic_fetch_add(&choice->failures, 1);
	atomic_store(&choice->waited_bytes, 0);
	return KC_UNTRIED;
}

enum kc_trust kc_trial(struct kc_choice *choice, const struct kc_base *base)
{
	unsigned ours = KC_ON_TRIAL + kc_process_mark();
	unsigned seen = atomic_load(&choice->trust);
	enum kc_trust result;

	/* A child whose parent was at a trial never sees the end of it: it makes its own. */
	if (seen == ours || seen == KC_TRUSTED || seen == KC_REFUSED)
		return seen == ours ? KC_ON_TRIAL : (enum kc_trust)seen;
	if (!atomic_compare_exchange_strong(&choice->trust, &seen, ours))
		return KC_ON_TRIAL;
	result = verdict(choice, seen == KC_PROVEN ? kc_trial_again(choice, base) :
						     kc_trial_run(choice, base));
	atomic_store(&choice->trust, result);
	if (seen == KC_PROVEN)
		return result;
	/* Of two ways to hardware the faster one is gone, so both have to be known. */
	if (result == KC_TRUSTED && choice->next && choice->next->backend &&
	    choice->next->nature == choice->nature)
		kc_trial(choice->next, base);
	return result;
}
