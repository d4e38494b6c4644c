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
#include "cli/tune/crossover.h"
#include "offload/trial.h"

#define ROUNDS	     3			       /* per pass */
#define PER_CROSSING (6 * KC_CROSSOVER_PASSES) /* sizes measured in one direction, roughly */

/* A candidate's share of the time, for one slice of software or backend in one direction. */
static unsigned slice_ms(const struct kc_tuning *tuning)
{
	size_t slices = tuning->n * 2 * PER_CROSSING * 2 * (ROUNDS + 1);
	size_t ms = (size_t)tuning->seconds * 1000 / slices;

	return ms < 1 ? 1 : ms > 200 ? 200 : (unsigned)ms;
}

static uint32_t as_fact(size_t bytes)
{
	return bytes >= KC_TUNED_NEVER ? KC_TUNED_NEVER : (uint32_t)bytes;
}

static bool measure(const struct kc_candidate *c, const struct kc_load *load, struct kc_fact *fact)
{
	struct kc_field field = { .trusts_seccomp = true };
	bool ok = kc_field_add_software(&field) &&
		  kc_field_add_backend(&field, c->alg, c->backend->name, c->driver);
	bool has_text = c->alg->kind == KC_CIPHER || c->alg->kind == KC_AEAD;

	for (int dir = has_text ? KC_DECRYPT : KC_ENCRYPT; ok && dir <= KC_ENCRYPT; dir++) {
		struct kc_crossover found;

		ok = kc_crossover_find(&field, c->alg, (enum kc_dir)dir, c->max_request, load,
				       &found);
		for (int p = 0; ok && p < KC_PREFER_COUNT; p++)
			fact->threshold[p][dir] = as_fact(found.bytes[p]);
	}
	kc_field_clear(&field);
	return ok;
}

/* First finds out whether it is right, then what it costs. */
static struct kc_fact find_out(struct kc_candidate *c, const struct kc_load *load, bool has_base)
{
	const struct kc_base *base = has_base ? kc_base_get(c->alg) : NULL;
	struct kc_fact fact = { .reason = KC_NO_BASE };

	memset(fact.threshold, 0xff, sizeof(fact.threshold));
	if (base)
		fact.reason = kc_trial_run(c, base);
	/* A trial's requests are short; these have any length. */
	if (fact.reason == KC_OK)
		fact.reason = kc_estimate_run(c, base);
	if (fact.reason != KC_OK && fact.reason != KC_SLOWER)
		return fact;
	fact.session_bytes = as_fact(atomic_load(&c->session_bytes));
	fact.speed = atomic_load(&c->speed);
	fact.reason = measure(c, load, &fact) ? KC_OK : KC_REQUEST_FAILED;
	return fact;
}

struct job {
	const struct kc_tuning *tuning;
	size_t from;
};

static void work(void *arg, int fd)
{
	const struct job *job = arg;
	const struct kc_load load = {
		.processes = 1, .threads = 1, .rounds = ROUNDS, .slice_ms = slice_ms(job->tuning)
	};
	bool has_base = kc_base_open(true);

	for (size_t i = job->from; i < job->tuning->n; i++) {
		struct kc_fact fact = find_out(job->tuning->candidate[i], &load, has_base);

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
	fact->speed = found->speed;
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
