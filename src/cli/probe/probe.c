/* SPDX-License-Identifier: Apache-2.0 */
/* A child tries each driver: first whether it is right, and then from which length it pays. */
#include "cli/probe/probe.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/clock.h"
#include "cli/child.h"
#include "offload/trial.h"

#define PASSES	       3      /* of an estimate; more if they do not agree */
#define SHORTEST_SLICE 100000 /* ns */
#define LONGEST_SLICE  200000000

/*
 * Its pointers are valid in a child, which is a fork. A copy of the candidate could not be tried,
 * because it points into itself.
 */
struct probing {
	struct kc_candidate *candidate;
	uint64_t slice_ns, until_ns;
	enum kc_look look;
	struct kc_probed probed;
};

_Static_assert(sizeof(struct probing) <= PIPE_BUF, "a child's answer comes as a whole");

static void settle_trust(struct kc_candidate *c, enum kc_reason reason)
{
	c->reason = reason;
	if (reason == KC_OK) {
		atomic_store(&c->trust, KC_TRUSTED);
		return;
	}
	atomic_store(&c->trust, KC_REFUSED);
	c->is_offered = false;
}

/* Measures now what a process would learn over time. */
static enum kc_reason try_driver(struct kc_candidate *c, struct probing *q)
{
	const struct kc_base *base;
	bool is_measured;
	enum kc_reason why;

	if (!kc_base_open(c->alg->legacy))
		return KC_NO_BASE;
	base = kc_base_get(c->alg);
	if (!base)
		return KC_NO_BASE;
	why = kc_trial_run(c, base);
	if (why != KC_OK)
		return why;
	is_measured = q->slice_ns || kc_terms_floor(&c->terms) != SIZE_MAX;
	if (c->nature == KC_HARDWARE && (is_measured || q->look != KC_LOOK_BRIEFLY))
		kc_evidence_find(c, base, q->look, &q->probed.evidence);
	if (!is_measured)
		return KC_OK;
	return kc_estimate_run(c, base, q->slice_ns, q->until_ns, &q->probed.found);
}

static void try_in_child(void *data)
{
	struct probing *q = data;

	settle_trust(q->candidate, try_driver(q->candidate, q));
	q->probed.candidate = *q->candidate;
}

bool kc_probe_shares_driver(const struct kc_candidate *a, const struct kc_candidate *b)
{
	return a->backend == b->backend && strcmp(a->driver, b->driver) == 0;
}

void kc_probe_give_up(struct kc_candidate *const *list, size_t n, const struct kc_candidate *hangs)
{
	for (size_t i = 0; i < n; i++)
		if (kc_probe_shares_driver(list[i], hangs))
			settle_trust(list[i], KC_NO_ANSWER);
}

/* Returns the number of slices, of software or a backend in one direction, for @n candidates. */
static size_t count_slices(size_t n)
{
	return n * 2 * PASSES * KC_ESTIMATE_SIZES * KC_ESTIMATE_ROUNDS * 2;
}

unsigned kc_probe_cpu_seconds(size_t n)
{
	uint64_t slice_ns = KC_ESTIMATE_CPU_NS / (KC_ESTIMATE_SIZES * KC_ESTIMATE_ROUNDS) + 1;

	return (unsigned)(count_slices(n) * slice_ns / 1000000000 + 1);
}

/* Returns the length of a slice in a candidate's share of the time. */
static uint64_t slice_ns(size_t n, unsigned seconds)
{
	size_t slices = count_slices(n);
	uint64_t ns = (uint64_t)seconds * 1000000000 / slices;

	if (!seconds)
		return 0;
	if (ns < SHORTEST_SLICE)
		return SHORTEST_SLICE;
	if (ns > LONGEST_SLICE)
		return LONGEST_SLICE;
	return ns;
}

bool kc_probe_one(struct kc_candidate *const *list, size_t n, size_t i, unsigned seconds,
		  uint64_t until_ns, enum kc_look look, struct kc_probed *probed)
{
	/* On a busy machine it takes several times as long as planned. */
	unsigned deadline = KC_CHILD_SECONDS + 10 * seconds / (unsigned)n;
	struct probing q = { .candidate = list[i],
			     .slice_ns = slice_ns(n, seconds),
			     .until_ns = until_ns,
			     .look = look,
			     .probed = { .candidate = *list[i] } };
	struct kc_child child;

	/* Once here, not in each child. */
	kc_base_open(true);
	if (list[i]->is_offered && !kc_child_ask(&child, try_in_child, &q, sizeof(q), deadline)) {
		if (child.pid <= 0)
			return false;
		kc_probe_give_up(list + i, n - i, list[i]);
		q.probed.candidate = *list[i];
	}
	*probed = q.probed;
	return true;
}

size_t kc_probe_list(const struct kc_policy *policy, struct kc_candidate *list[KC_MAX_CANDIDATES])
{
	size_t n = 0;

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		for (struct kc_candidate *c = policy->row[i]; c; c = c->next) {
			if (c->is_offered)
				list[n++] = c;
			if (c->blocks && c->blocks->is_offered)
				list[n++] = c->blocks;
		}
	return n;
}

const char *kc_row_name(const struct kc_alg *alg, bool is_blocks)
{
	static const char *const ends[] = { "", " in blocks" };
	static char text[sizeof(alg->names) + sizeof(" in blocks")];

	snprintf(text, sizeof(text), "%s%s", kc_alg_name(alg), ends[is_blocks]);
	return text;
}

/* True if candidate @i will probably be done by @end. The one before it took @ns. */
static bool fits(struct kc_candidate *const *list, size_t i, uint64_t ns, uint64_t end)
{
	uint64_t now = kc_now_ns();

	if (i && kc_probe_shares_driver(list[i - 1], list[i]))
		return now + ns < end;
	return now < end;
}

void kc_probe_run(struct kc_policy *policy, unsigned seconds, enum kc_look look,
		  kc_evidences *evidences)
{
	uint64_t start = kc_now_ns(), end = start + (uint64_t)seconds * 1000000000, ns = 0;
	struct kc_candidate *list[KC_MAX_CANDIDATES];
	size_t n = kc_probe_list(policy, list);
	struct kc_probed probed;

	for (size_t i = 0; i < n && fits(list, i, ns, end); i++) {
		start = kc_now_ns();
		if (!kc_probe_one(list, n, i, 0, UINT64_MAX, look, &probed))
			break;
		ns = kc_now_ns() - start;
		*list[i] = probed.candidate;
		(*evidences)[list[i]->alg - kc_algs][kc_evidence_place(list[i])] = probed.evidence;
	}
	policy->offers_any = kc_probe_list(policy, list) > 0;
}
