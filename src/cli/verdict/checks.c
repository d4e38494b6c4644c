/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of checks. A child makes each one, and the parent watches the number of answered
 * requests: a driver from which none comes for long hangs, and is asked no more.
 */
#include "cli/verdict/checks.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/run/counters.h"

/* From the surest to the roughest: a driver that hangs has answered as much as possible by then. */
const struct kc_check kc_checks[] = {
	{ "known answers", NULL, kc_ask_known },
	{ "lengths", NULL, kc_ask_lengths },
	{ "largest requests", NULL, kc_ask_largest },
	{ "alignments", NULL, kc_ask_alignments },
	{ "IVs", kc_has_no_iv, kc_ask_ivs },
	{ "counter wraps", kc_has_no_counter, kc_ask_counters },
	{ "AAD lengths", kc_is_no_aead, kc_ask_aad },
	{ "forged messages", kc_is_no_aead, kc_ask_tags },
	{ "many sessions", NULL, kc_ask_sessions },
	{ "parallel sessions", NULL, kc_ask_parallel },
	{ "random messages", NULL, kc_ask_random },
	{ "speed", NULL, kc_ask_speed },
	{ "wrong keys", kc_takes_any_key, kc_ask_keys },
	{ "broken requests", kc_takes_any_request, kc_ask_broken },
};
const size_t kc_n_checks = sizeof(kc_checks) / sizeof(kc_checks[0]);
_Static_assert(sizeof(kc_checks) / sizeof(kc_checks[0]) <= KC_MAX_CHECKS, "raise KC_MAX_CHECKS");

static void examine(struct kc_exam *e, const struct kc_check *check)
{
	int err;

	if (!kc_exam_begin(e, KC_MAX_REQUEST, 1)) {
		kc_exam_find(e, KC_NOT_ASKED, "OpenSSL does not have it, or memory is short");
		return;
	}
	err = kc_exam_open(e);
	if (err)
		kc_exam_find(e, KC_NOT_ASKED, "no session: %s", strerror(-err));
	else if (check->run(e))
		e->finding->ruling = KC_IS_RIGHT;
	kc_exam_end(e);
}

/* Until the child ends; false: no answer came for too long. */
static bool wait_for(struct kc_child *child, const struct kc_exam *e)
{
	uint64_t seen = 0, now;
	char none;

	for (unsigned seconds = 0; seconds < KC_VERDICT_SECONDS; seconds++) {
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

static void conclude(struct kc_exam *e, const struct kc_child *child, bool is_back)
{
	bool is_one = e->finding->question.len; /* and not one of several at a time */
	char asked[120];

	if (!is_back) {
		kc_question_text(e->alg, &e->finding->question, asked, sizeof(asked));
		kc_exam_find(e, KC_HANGS, "%s%sno answer within %d seconds", is_one ? asked : "",
			     is_one ? ": " : "", KC_VERDICT_SECONDS);
	} else if (child->has_ended && WIFSIGNALED(child->status) &&
		   e->finding->ruling == KC_NOT_ASKED && !e->finding->text[0]) {
		kc_exam_find(e, KC_DIES, "the process that asked ended by signal %d",
			     WTERMSIG(child->status));
	}
}

struct job {
	struct kc_exam *e;
	const struct kc_check *check;
};

static void work(void *arg, int fd)
{
	const struct job *job = arg;

	(void)fd;
	examine(job->e, job->check);
}

/* False: there was no process to ask in. */
static bool check_apart(struct kc_exam *e, const struct kc_check *check)
{
	struct job job = { e, check };
	struct kc_child child;
	bool is_back;

	if (!kc_child_start(&child, work, &job))
		return false;
	is_back = wait_for(&child, e);
	kc_child_end(&child);
	conclude(e, &child, is_back);
	return true;
}

static bool run_one(struct kc_verdict *v, size_t n, size_t row)
{
	struct kc_candidate *c = &v->subject->candidate[row];
	struct kc_finding *f = &v->finding[n][row];
	struct kc_exam e = { .candidate = c,
			     .alg = c->alg,
			     .subject = v->subject,
			     .seconds = v->seconds,
			     .speed = &v->speed[row],
			     .finding = f,
			     .requests = &f->requests };
	const char *why = kc_checks[n].why_not ? kc_checks[n].why_not(c->alg) : NULL;
	bool ok = true;

	if (v->is_over)
		why = "the driver hangs";
	if (why)
		kc_exam_find(&e, KC_NOT_ASKED, "%s", why);
	else
		ok = check_apart(&e, &kc_checks[n]);
	v->is_over |= f->ruling == KC_HANGS;
	return ok;
}

static void show_progress(size_t n)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s", n < kc_n_checks ? kc_checks[n].word : "");
}

static void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

bool kc_verdict_run(struct kc_verdict *v)
{
	bool ok;

	v->finding = shared(KC_MAX_CHECKS * sizeof(*v->finding));
	v->speed = shared(KC_ALG_COUNT * sizeof(*v->speed));
	ok = v->finding && v->speed;
	kc_log_begin(&v->log);
	for (size_t n = 0; ok && n < kc_n_checks; n++) {
		show_progress(n);
		for (size_t row = 0; ok && row < v->subject->n; row++)
			ok = run_one(v, n, row);
	}
	show_progress(kc_n_checks);
	kc_log_end(&v->log);
	return ok;
}

static bool has(const struct kc_verdict *v, enum kc_ruling from, enum kc_ruling to)
{
	for (size_t n = 0; n < kc_n_checks; n++)
		for (size_t row = 0; row < v->subject->n; row++)
			if (v->finding[n][row].ruling >= from && v->finding[n][row].ruling <= to)
				return true;
	return false;
}

bool kc_verdict_is_bad(const struct kc_verdict *v)
{
	return v->log.is_alarming || has(v, KC_IS_WRONG, KC_DIES);
}

bool kc_verdict_is_good(const struct kc_verdict *v)
{
	return !kc_verdict_is_bad(v) && has(v, KC_IS_RIGHT, KC_IS_RIGHT);
}
