/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of checks. A child makes each one, and the parent watches the number of answered
 * requests: a driver from which none comes for long hangs, and is asked no more.
 */
#include "cli/selftest/selftest.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cli/child.h"
#include "cli/run/command.h"

struct check {
	const char *word;
	kc_why_not_fn *why_not; /* NULL: it can be asked of any */
	kc_ask_fn *ask;
	bool is_quick; /* asked of all drivers in use, too */
};

/* From the surest to the roughest: a driver that hangs has answered as much as possible by then. */
static const struct check checks[] = {
	{ "known answers", NULL, kc_ask_known, .is_quick = true },
	{ "lengths", NULL, kc_ask_lengths },
	{ "largest requests", NULL, kc_ask_largest },
	{ "alignments", NULL, kc_ask_alignments },
	{ "IVs", kc_has_no_iv, kc_ask_ivs },
	{ "counter wraps", kc_has_no_counter, kc_ask_counters },
	{ "AAD lengths", kc_is_no_aead, kc_ask_aad },
	{ "forged messages", kc_is_no_aead, kc_ask_tags },
	{ "many sessions", NULL, kc_ask_sessions },
	{ "parallel sessions", NULL, kc_ask_parallel },
	{ "random messages", NULL, kc_ask_random, .is_quick = true },
	{ "speed", NULL, kc_ask_speed },
	{ "wrong keys", kc_takes_any_key, kc_ask_keys },
	{ "broken requests", kc_takes_any_request, kc_ask_broken },
};

struct job {
	struct kc_exam exam;
	const struct check *check;
};

static void examine(void *arg, int fd)
{
	struct job *job = arg;
	struct kc_exam *e = &job->exam;
	int err;

	(void)fd;
	if (!kc_exam_begin(e, KC_MAX_REQUEST, 1)) {
		kc_exam_find(e, KC_NOT_ASKED, "OpenSSL does not have it, or memory is short");
		return;
	}
	err = kc_exam_open(e);
	if (err)
		kc_exam_find(e, kc_exam_none(e), "no session: %s", strerror(-err));
	else if (job->check->ask(e))
		e->finding->ruling = KC_IS_RIGHT;
	kc_exam_end(e);
}

/* Until the child ends; false: no answer came for too long. */
static bool wait_for(struct kc_child *child, const struct kc_exam *e)
{
	uint64_t seen = 0, now;
	char none;

	for (unsigned seconds = 0; seconds < KC_HANG_SECONDS; seconds++) {
		kc_child_read(child, &none, 1, 1);
		if (!child->is_silent)
			return true;
		now = *e->requests + kc_counters_requests(e->alg);
		if (now != seen)
			seconds = 0;
		seen = now;
	}
	return false;
}

/* Once a driver hangs, it is not asked again for any of its algorithms. */
static void give_up(struct kc_exam *e)
{
	const struct kc_question *q = &e->finding->question;
	char asked[120] = "";

	for (size_t i = 0; i < e->all->n; i++) {
		struct kc_candidate *c = e->all->candidate[i];

		if (c->backend == e->candidate->backend &&
		    strcmp(c->driver, e->candidate->driver) == 0)
			c->reason = KC_NO_ANSWER;
	}
	/* And not one of several at a time. */
	if (q->len)
		kc_question_text(e->alg, q, asked, sizeof(asked));
	kc_exam_find(e, KC_HANGS, "%s%sno answer within %d seconds", asked, *asked ? ": " : "",
		     KC_HANG_SECONDS);
}

/* False: there was no process to ask in. */
static bool check_apart(struct job *job)
{
	const struct kc_finding *f = job->exam.finding;
	struct kc_child child;
	bool is_back;

	if (!kc_child_start(&child, examine, job))
		return false;
	is_back = wait_for(&child, &job->exam);
	kc_child_end(&child);
	if (!is_back)
		give_up(&job->exam);
	else if (child.has_ended && WIFSIGNALED(child.status) && f->ruling == KC_NOT_ASKED &&
		 !f->text[0])
		kc_exam_find(&job->exam, KC_DIES, "the process that asked ended by signal %d",
			     WTERMSIG(child.status));
	return true;
}

static bool run_one(const struct kc_examination *all, const struct check *check, size_t n,
		    struct kc_finding *f)
{
	struct kc_candidate *c = all->candidate[n];
	struct job job = { .exam = { .all = all,
				     .candidate = c,
				     .alg = c->alg,
				     .speed = &all->speed[n],
				     .finding = f,
				     .requests = &f->requests },
			   .check = check };
	const char *why = check->why_not ? check->why_not(c->alg) : NULL;

	memset(f, 0, sizeof(*f));
	if (c->reason == KC_NO_ANSWER)
		why = "the driver hangs";
	if (why)
		kc_exam_find(&job.exam, KC_NOT_ASKED, "%s", why);
	else if (!check_apart(&job))
		return false;
	kc_report_add(check->word, c, f->ruling, f->requests, f->text);
	return true;
}

bool kc_checks_run(struct kc_examination *all)
{
	struct {
		struct kc_finding finding;
		struct kc_speed speed[KC_MAX_CANDIDATES];
	} *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	bool ok = shared != MAP_FAILED;

	all->speed = ok ? shared->speed : NULL;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		for (size_t n = 0; ok && n < all->n; n++)
			if (checks[i].is_quick || all->listed.driver[0])
				ok = run_one(all, &checks[i], n, &shared->finding);
	return ok;
}
