/* SPDX-License-Identifier: Apache-2.0 */
/* Times requests of two lengths, each until several runs agree. */
#include "cli/estimate.h"

#include <stdlib.h>

#include "offload/known_answers.h"
#include "session/buffers.h"
#include "session/session.h"

/* The most runs of a request, if they do not agree before. */
#define MAX_RUNS 16

struct estimate {
	struct kc_candidate *candidate;
	struct kc_answers answers;
	struct kc_session session;
};

#define AGREEING 3 /* this many: two may be wrong in the same way by chance */

/* The lowest of several measurements, in ns, lowest first. */
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

/* Without a disturbance, all runs of the same work take the same time. */
static bool agree(const struct least *l)
{
	return l->ns[AGREEING - 1] - l->ns[0] <= l->ns[0] / 8;
}

/* Returns the cost of the work when nothing disturbs it. */
static enum kc_reason least(struct estimate *t, enum kc_dir dir, size_t len, uint64_t *soft,
			    uint64_t *kernel)
{
	struct least s = nothing_yet, k = nothing_yet;

	for (int i = 0; i < MAX_RUNS && (i < AGREEING || !agree(&s) || !agree(&k)); i++) {
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
 * The kernel takes a fixed time plus a time per byte, software only the latter. Returns the length
 * where the two lines cross, plus an eighth.
 */
static size_t crossing(uint64_t soft, uint64_t small, uint64_t large, size_t limit, size_t block)
{
	uint64_t slope = large > small ? large - small : 0;
	uint64_t n;

	if (soft <= slope)
		return SIZE_MAX;
	n = small * limit / (soft - slope);
	n += n / 8;
	return n > limit ? SIZE_MAX : (size_t)(n + block - 1) / block * block;
}

static enum kc_reason measure(struct estimate *t, enum kc_dir dir)
{
	const struct kc_alg *alg = t->candidate->alg;
	size_t limit = t->session.limit, length;
	uint64_t small, large, soft, unused;
	enum kc_reason why = least(t, dir, alg->block_len, &unused, &small);

	if (why == KC_OK)
		why = least(t, dir, limit, &soft, &large);
	if (why != KC_OK)
		return why;
	length = crossing(soft, small, large, limit, alg->block_len);
	if (length < kc_alg_floor(alg))
		length = kc_alg_floor(alg);
	atomic_store(&t->candidate->threshold[dir], length);
	atomic_store(&t->candidate->speed, (unsigned)((uint64_t)limit * 1000000 / (large + 1)));
	return KC_OK;
}

/* Is it slower than software in every direction that exists? */
static bool is_slower(const struct kc_candidate *candidate)
{
	for (int dir = kc_answers_first_dir(candidate->alg); dir <= KC_ENCRYPT; dir++)
		if (atomic_load(&candidate->threshold[dir]) != SIZE_MAX)
			return false;
	return true;
}

static enum kc_reason in_session(struct estimate *t)
{
	enum kc_reason why = KC_OK;

	if (kc_session_open(&t->session, t->candidate, &t->answers.key) != 0)
		return KC_OPEN_FAILED;
	for (int dir = kc_answers_first_dir(t->candidate->alg); why == KC_OK && dir <= KC_ENCRYPT;
	     dir++)
		why = measure(t, (enum kc_dir)dir);
	kc_session_close(&t->session);
	return why == KC_OK && is_slower(t->candidate) ? KC_SLOWER : why;
}

enum kc_reason kc_estimate_run(struct kc_candidate *candidate, const struct kc_base *base)
{
	const size_t each = KC_ANSWERS_EACH(KC_MAX_REQUEST);
	struct estimate t = { .candidate = candidate };
	uint8_t *mem = kc_pages_new(KC_MAX_REQUEST + 3 * each);
	enum kc_reason why = KC_NO_MEMORY;

	if (!mem)
		return why;
	kc_session_init(&t.session);
	kc_answers_init(&t.answers, candidate, base, mem, mem + KC_MAX_REQUEST, each);
	t.answers.session = &t.session;
	t.answers.base_ctx = base->newctx(base);
	if (t.answers.base_ctx) {
		why = in_session(&t);
		base->freectx(t.answers.base_ctx);
	}
	free(mem);
	return why;
}
