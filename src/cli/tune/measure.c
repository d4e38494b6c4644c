/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that tries and measures drivers one after another, and the parent that waits for each
 * only until its deadline. If a driver hangs, another child goes on with the next one.
 */
#include "cli/tune/tune.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/software.h"
#include "cli/child.h"
#include "cli/estimate.h"
#include "offload/trial.h"

#define PASSES 3 /* more where they do not agree */

/* A candidate's share of the time, for one slice of software or backend in one direction. */
static uint64_t slice_ns(const struct kc_tuning *tuning)
{
	size_t slices = tuning->n * 2 * PASSES * KC_ESTIMATE_SIZES * KC_ESTIMATE_ROUNDS * 2;
	uint64_t ns = (uint64_t)tuning->seconds * 1000000000 / slices;

	return ns < 100000 ? 100000 : ns > 200000000 ? 200000000 : ns;
}

static uint32_t as_fact(size_t bytes)
{
	if (bytes == KC_UNSETTLED)
		return KC_TUNED_UNSETTLED;
	return bytes >= KC_TUNED_UNSETTLED ? KC_TUNED_NEVER : (uint32_t)bytes;
}

/* First finds out whether it is right, then what it costs. */
static struct kc_fact find_out(struct kc_candidate *c, uint64_t ns, bool has_base)
{
	const struct kc_base *base = has_base ? kc_base_get(c->alg) : NULL;
	struct kc_fact fact = { .reason = KC_NO_BASE };
	kc_thresholds found;

	c->counts_cpu = false;
	if (base)
		fact.reason = kc_trial_run(c, base);
	if (fact.reason == KC_OK)
		fact.reason = kc_estimate_run(c, base, ns, found);
	if (fact.reason != KC_OK && fact.reason != KC_SLOWER)
		return fact;
	fact.reason = KC_OK;
	for (int i = 0; i < KC_PREFER_COUNT * 2; i++)
		fact.threshold[i / 2][i % 2] = as_fact(found[i / 2][i % 2]);
	fact.session_bytes = as_fact(atomic_load(&c->session_bytes));
	fact.once_ns = atomic_load(&c->once_ns);
	fact.kib_ns = atomic_load(&c->kib_ns);
	return fact;
}

struct job {
	const struct kc_tuning *tuning;
	size_t from;
};

static void work(void *arg, int fd)
{
	const struct job *job = arg;
	uint64_t ns = slice_ns(job->tuning);
	bool has_base = kc_base_open(true);

	for (size_t i = job->from; i < job->tuning->n; i++) {
		struct kc_fact fact = find_out(job->tuning->candidate[i], ns, has_base);

		if (write(fd, &fact, sizeof(fact)) != (ssize_t)sizeof(fact))
			return;
	}
}

_Static_assert(sizeof(struct kc_fact) <= PIPE_BUF, "a fact is written and read whole");

static void show(const struct kc_tuning *tuning, size_t done)
{
	char name[KC_ALG_NAME_SIZE];

	if (!isatty(STDERR_FILENO))
		return;
	if (done < tuning->n)
		fprintf(stderr, "\r\033[K%3zu %%  %s by %s", done * 100 / tuning->n,
			kc_alg_name(tuning->candidate[done]->alg, name, sizeof(name)),
			tuning->candidate[done]->driver);
	else
		fputs("\r\033[K", stderr);
}

static void note(struct kc_tuned *t, const struct kc_candidate *c, const struct kc_fact *found)
{
	struct kc_fact *fact = kc_tuned_add_fact(t, c);

	fact->reason = found->reason;
	fact->session_bytes = found->session_bytes;
	fact->once_ns = found->once_ns;
	fact->kib_ns = found->kib_ns;
	memcpy(fact->threshold, found->threshold, sizeof(fact->threshold));
}

/* Receives facts until one is missing. Returns the number of the first candidate without a fact. */
static size_t listen_to(const struct kc_tuning *tuning, struct kc_tuned *t, size_t from,
			struct kc_child *child)
{
	/* On a busy machine it takes several times as long as planned. */
	unsigned seconds = KC_CHILD_SECONDS + 10 * tuning->seconds / (unsigned)tuning->n;
	struct kc_fact fact;

	for (; from < tuning->n; from++) {
		show(tuning, from);
		if (!kc_child_read(child, &fact, sizeof(fact), seconds))
			break;
		note(t, tuning->candidate[from], &fact);
	}
	return from;
}

bool kc_tuning_run(const struct kc_tuning *tuning, struct kc_tuned *t)
{
	static const struct kc_fact hangs = { .reason = KC_NO_ANSWER };
	struct job job = { tuning, 0 };
	struct kc_child child;

	while (job.from < tuning->n) {
		if (!kc_child_start(&child, work, &job))
			return false;
		job.from = listen_to(tuning, t, job.from, &child);
		kc_child_end(&child);
		if (job.from < tuning->n)
			note(t, tuning->candidate[job.from++], &hangs);
	}
	show(tuning, tuning->n);
	return true;
}
