/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of checks. A child makes each one, and the parent watches the number of answered
 * requests: a driver from which none comes for long hangs, and is asked no more.
 */
#include "cli/selftest/checks.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cli/child.h"
#include "cli/run/counters.h"

/* From the surest to the roughest: a driver that hangs has answered as much as possible by then. */
const struct kc_check kc_checks[] = {
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
const size_t kc_n_checks = sizeof(kc_checks) / sizeof(kc_checks[0]);
_Static_assert(sizeof(kc_checks) / sizeof(kc_checks[0]) <= KC_MAX_CHECKS, "raise KC_MAX_CHECKS");

struct job {
	struct kc_exam exam;
	const struct kc_check *check;
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
		kc_exam_none(e, "no session: %s", strerror(-err));
	else if (job->check->run(e))
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

static void conclude(struct kc_exam *e, const struct kc_child *child, bool is_back)
{
	bool is_one = e->finding->question.len; /* and not one of several at a time */
	char asked[120];

	if (!is_back) {
		kc_question_text(e->alg, &e->finding->question, asked, sizeof(asked));
		kc_exam_find(e, KC_HANGS, "%s%sno answer within %d seconds", is_one ? asked : "",
			     is_one ? ": " : "", KC_HANG_SECONDS);
	} else if (child->has_ended && WIFSIGNALED(child->status) &&
		   e->finding->ruling == KC_NOT_ASKED && !e->finding->text[0]) {
		kc_exam_find(e, KC_DIES, "the process that asked ended by signal %d",
			     WTERMSIG(child->status));
	}
}

/* False: there was no process to ask in. */
static bool check_apart(struct job *job)
{
	struct kc_child child;
	bool is_back;

	if (!kc_child_start(&child, examine, job))
		return false;
	is_back = wait_for(&child, &job->exam);
	kc_child_end(&child);
	conclude(&job->exam, &child, is_back);
	return true;
}

const struct kc_finding *kc_finding_of(const struct kc_examination *all, size_t check, size_t n)
{
	return &all->finding[check * all->n + n];
}

/* Once a driver hangs, it is not asked again for any of its algorithms. */
static bool does_hang(const struct kc_examination *all, const struct kc_candidate *c)
{
	for (size_t i = 0; i < kc_n_checks * all->n; i++) {
		const struct kc_candidate *other = all->candidate[i % all->n];

		if (all->finding[i].ruling == KC_HANGS && other->backend == c->backend &&
		    strcmp(other->driver, c->driver) == 0)
			return true;
	}
	return false;
}

static bool run_one(struct kc_examination *all, size_t check, size_t n)
{
	struct kc_candidate *c = all->candidate[n];
	struct kc_finding *f = &all->finding[check * all->n + n];
	struct job job = { .exam = { .all = all,
				     .candidate = c,
				     .alg = c->alg,
				     .speed = &all->speed[n],
				     .finding = f,
				     .requests = &f->requests },
			   .check = &kc_checks[check] };
	const char *why = kc_checks[check].why_not ? kc_checks[check].why_not(c->alg) : NULL;

	if (does_hang(all, c))
		why = "the driver hangs";
	if (!why)
		return check_apart(&job);
	kc_exam_find(&job.exam, KC_NOT_ASKED, "%s", why);
	return true;
}

static void *shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

bool kc_checks_run(struct kc_examination *all,
		   void (*found)(const struct kc_examination *all, size_t check, size_t subject))
{
	bool ok;

	if (!all->n)
		return true;
	all->finding = shared(kc_n_checks * all->n * sizeof(*all->finding));
	all->speed = shared(all->n * sizeof(*all->speed));
	ok = all->finding && all->speed;
	for (size_t check = 0; ok && check < kc_n_checks; check++)
		for (size_t n = 0; ok && n < all->n; n++) {
			if (!kc_checks[check].is_quick && !all->listed.driver[0])
				continue;
			ok = run_one(all, check, n);
			found(all, check, n);
		}
	return ok;
}

bool kc_checks_found(const struct kc_examination *all, enum kc_ruling from, enum kc_ruling to)
{
	for (size_t i = 0; i < kc_n_checks * all->n; i++)
		if (all->finding[i].ruling >= from && all->finding[i].ruling <= to)
			return true;
	return false;
}
