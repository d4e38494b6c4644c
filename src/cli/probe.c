/* SPDX-License-Identifier: Apache-2.0 */
/* A child tries the drivers, first whether they are right, and then from which length they pay. */
#include "cli/probe.h"

#include <limits.h>
#include <string.h>

#include "base/software.h"
#include "cli/child.h"
#include "offload/trial.h"

#define PASSES 3 /* of an estimate; more where they do not agree */

struct probe {
	struct kc_candidate *const *list;
	size_t n;
	uint64_t slice_ns;
	void (*take)(void *arg, size_t i, const struct kc_probed *probed);
	void *arg;
};

static void conclude(struct kc_candidate *c, enum kc_reason reason)
{
	c->reason = reason;
	atomic_store(&c->trust, reason == KC_OK ? KC_TRUSTED : KC_REFUSED);
	if (reason != KC_OK)
		c->is_offered = false;
}

/* Measures now what a process would learn over time. */
static enum kc_reason try_driver(struct kc_candidate *c, uint64_t slice_ns, kc_thresholds found)
{
	const struct kc_base *base = kc_base_open(c->alg->legacy) ? kc_base_get(c->alg) : NULL;
	enum kc_reason why;

	if (!base)
		return KC_NO_BASE;
	why = kc_trial_run(c, base, c->terms.is_tuned);
	if (why != KC_OK || (!slice_ns && c->terms.floor == SIZE_MAX))
		return why;
	return kc_estimate_run(c, base, slice_ns, found);
}

/* The child is a fork, so its pointers are valid in the parent. */
static void ask(void *arg, size_t i, void *answer)
{
	const struct probe *p = arg;
	struct kc_candidate *c = p->list[i];
	struct kc_probed *probed = answer;

	/* Its driver hung before. */
	if (c->is_offered)
		conclude(c, try_driver(c, p->slice_ns, probed->found));
	probed->candidate = *c;
}

static void take(void *arg, size_t i, const void *answer)
{
	const struct probe *p = arg;
	const struct kc_candidate *hangs = p->list[i];
	struct kc_probed none;

	for (size_t k = i; !answer && k < p->n; k++)
		if (p->list[k]->backend == hangs->backend &&
		    strcmp(p->list[k]->driver, hangs->driver) == 0)
			conclude(p->list[k], KC_NO_ANSWER);
	none.candidate = *hangs;
	p->take(p->arg, i, answer ? answer : &none);
}

_Static_assert(sizeof(struct kc_probed) <= PIPE_BUF, "an answer is written and read whole");

/* A candidate's share of the time, for one slice of software or backend in one direction. */
static uint64_t slice_ns(size_t n, unsigned seconds)
{
	size_t slices = n * 2 * PASSES * KC_ESTIMATE_SIZES * KC_ESTIMATE_ROUNDS * 2;
	uint64_t ns = (uint64_t)seconds * 1000000000 / slices;

	return !seconds ? 0 : ns < 100000 ? 100000 : ns > 200000000 ? 200000000 : ns;
}

bool kc_probe_each(struct kc_candidate *const *list, size_t n, unsigned seconds,
		   void (*take_one)(void *arg, size_t i, const struct kc_probed *probed), void *arg)
{
	struct probe probe = { list, n, n ? slice_ns(n, seconds) : 0, take_one, arg };
	/* On a busy machine it takes several times as long as planned. */
	const struct kc_series series = {
		.n = n,
		.size = sizeof(struct kc_probed),
		.seconds = KC_CHILD_SECONDS + (n ? 10 * seconds / (unsigned)n : 0),
		.ask = ask,
		.take = take,
	};
	struct kc_child child;

	return kc_child_each(&child, &series, &probe);
}

size_t kc_probe_list(const struct kc_policy *policy, struct kc_candidate *list[KC_MAX_CANDIDATES])
{
	size_t n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = policy->row[i]; c; c = c->next)
			if (c->is_offered)
				list[n++] = c;
	return n;
}

static void keep(void *arg, size_t i, const struct kc_probed *probed)
{
	struct kc_candidate *const *list = arg;

	*list[i] = probed->candidate;
}

void kc_probe_run(struct kc_policy *policy)
{
	struct kc_candidate *list[KC_MAX_CANDIDATES];

	kc_probe_each(list, kc_probe_list(policy, list), 0, keep, list);
	policy->offers_any = kc_probe_list(policy, list) > 0;
}
