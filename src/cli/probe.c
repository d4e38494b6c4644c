/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that tries drivers, and the parent that waits for it only until the deadline. The child
 * answers for one candidate after another, so the first one without an answer is the one it hangs
 * in; another child goes on after that.
 */
#include "cli/probe.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/software.h"
#include "cli/child.h"
#include "cli/estimate.h"
#include "offload/trial.h"

static void conclude(struct kc_candidate *c, enum kc_reason reason)
{
	c->reason = reason;
	atomic_store(&c->trust, reason == KC_OK ? KC_TRUSTED : KC_REFUSED);
	if (reason != KC_OK)
		c->is_offered = false;
}

/* Returns the next offered candidate after @c, row by row; the first one if @c is NULL. */
static struct kc_candidate *next_offered(struct kc_policy *policy, struct kc_candidate *c)
{
	size_t i = c ? (size_t)(c->alg - kc_algs) : 0;

	c = c ? c->next : policy->row[0];
	while (!c || !c->is_offered) {
		if (c)
			c = c->next;
		else if (++i < KC_ALG_COUNT)
			c = policy->row[i];
		else
			return NULL;
	}
	return c;
}

/* Tries it like a process, but measures now what a process would learn over time. */
static enum kc_reason try_driver(struct kc_candidate *c, const struct kc_base *base)
{
	enum kc_reason why = c->is_tuned ? kc_trial_again(c, base) : kc_trial_run(c, base);
	kc_thresholds found;

	return why == KC_OK && c->floor != SIZE_MAX ? kc_estimate_run(c, base, 0, found) : why;
}

struct job {
	struct kc_policy *policy;
	struct kc_candidate *from;
};

/*
 * Sends back each candidate as it is after its trial. The child is a fork, so its pointers are
 * valid in the parent.
 */
static void work(void *arg, int fd)
{
	struct job *job = arg;
	int has_base = kc_base_open(kc_policy_offers_legacy(job->policy));

	for (struct kc_candidate *c = job->from; c; c = next_offered(job->policy, c)) {
		const struct kc_base *base = has_base ? kc_base_get(c->alg) : NULL;

		conclude(c, base ? try_driver(c, base) : KC_NO_BASE);
		if (write(fd, c, sizeof(*c)) != (ssize_t)sizeof(*c))
			return;
	}
}

_Static_assert(sizeof(struct kc_candidate) <= PIPE_BUF, "a row is written and read whole");

/*
 * This driver is never waited for again, in any row. Returns the next candidate of another driver.
 */
static struct kc_candidate *give_up(struct kc_policy *policy, struct kc_candidate *hangs)
{
	const struct kc_backend *backend = hangs->backend;
	struct kc_candidate *other = NULL;

	for (struct kc_candidate *c = hangs; c; c = next_offered(policy, c)) {
		if (c->is_offered && c->backend == backend && strcmp(c->driver, hangs->driver) == 0)
			conclude(c, KC_NO_ANSWER);
		else if (!other)
			other = c;
	}
	return other;
}

/*
 * Tries the candidates from @c on. Returns the one to go on with after a driver that hangs, or
 * NULL.
 */
static struct kc_candidate *try_from(struct kc_policy *policy, struct kc_candidate *c)
{
	struct job job = { policy, c };
	struct kc_child child;

	if (!kc_child_start(&child, work, &job))
		return NULL;
	while (c && kc_child_read(&child, c, sizeof(*c), KC_CHILD_SECONDS))
		c = next_offered(policy, c);
	kc_child_end(&child);
	return c ? give_up(policy, c) : NULL;
}

void kc_probe_run(struct kc_policy *policy)
{
	struct kc_candidate *c = next_offered(policy, NULL);

	while (c)
		c = try_from(policy, c);
	policy->offers_any = next_offered(policy, NULL) != NULL;
}
