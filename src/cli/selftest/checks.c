/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of checks. A child makes each check, and the parent watches the number of answered
 * requests: a driver that gives no answer for long hangs, and is not asked again.
 */
#include "cli/selftest/selftest.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cli/child.h"
#include "cli/run/command.h"
#include "cli/screen.h"
#include "core/clock.h"

/* Each of these functions returns NULL, or why a check does not fit the algorithm. */
static const char *lacks_iv(const struct kc_candidate *c)
{
	if (c->alg->iv_len)
		return NULL;
	return "it has no IV";
}

static const char *lacks_counter(const struct kc_candidate *c)
{
	const struct kc_alg *alg = c->alg;
	bool has_one = alg->kind == KC_CIPHER && alg->iv_rule == KC_IV_ADD_BLOCKS;

	if (has_one)
		return NULL;
	return "its IV is not a counter that may wrap";
}

static const char *lacks_tag(const struct kc_candidate *c)
{
	const struct kc_alg *alg = c->alg;
	if (alg->kind == KC_AEAD)
		return NULL;
	return "it has no tag";
}

static const char *lacks_tag_lengths(const struct kc_candidate *c)
{
	const struct kc_alg *alg = c->alg;
	bool has_some = alg->kind == KC_AEAD && !alg->nonce_len;

	if (has_some)
		return NULL;
	return "its tag and its nonce have one length";
}

static const char *lacks_key_length(const struct kc_candidate *c)
{
	const struct kc_alg *alg = c->alg;
	if (alg->key_len && !alg->legacy)
		return NULL;
	return "it has no key, or one of any length";
}

static const char *lacks_blocks(const struct kc_candidate *c)
{
	if (kc_exam_unit(c, KC_NAMED) > 1)
		return NULL;
	return "a message of any length is right";
}

static const char *lacks_messages(const struct kc_candidate *c)
{
	if (c->whole)
		return "it is a part of messages";
	return NULL;
}

#define TIME_IS_UP "the time was up"

struct check {
	const char *word;
	kc_question_fn *question; /* this, or the next */
	kc_ask_fn *ask;
	const char *(*unfit)(const struct kc_candidate *c); /* NULL: it fits any */
	enum kc_depth from;				    /* asked from this depth on, */
	bool is_last;					    /* but at no deeper one */
};

/*
 * From the surest to the roughest: if a driver hangs, it has answered as much as possible by then.
 */
static const struct check checks[] = {
	{ "known answers", .ask = kc_ask_known },
	/* The other depths ask as often in other ways. */
	{ "repetitions", .ask = kc_ask_repeated, .is_last = true },
	{ "interrupts", .ask = kc_ask_interrupts, .from = KC_NAMED },
	{ "lengths", kc_of_length, .from = KC_TO_BE_TRUSTED },
	{ "largest requests", kc_of_largest, .from = KC_TO_BE_TRUSTED },
	{ "alignments", kc_of_alignment, .from = KC_TO_BE_TRUSTED },
	{ "IVs", kc_of_iv, .unfit = lacks_iv, .from = KC_TO_BE_TRUSTED },
	{ "counter wraps", kc_of_counter, .unfit = lacks_counter, .from = KC_TO_BE_TRUSTED },
	{ "AAD lengths", kc_of_aad, .unfit = lacks_tag, .from = KC_TO_BE_TRUSTED },
	{ "forged messages", .ask = kc_ask_tags, .unfit = lacks_tag, .from = KC_TO_BE_TRUSTED },
	{ "tag lengths", .ask = kc_ask_tag_lengths, .unfit = lacks_tag_lengths,
	  .from = KC_TO_BE_TRUSTED },
	{ "many sessions", .ask = kc_ask_sessions, .from = KC_TO_BE_TRUSTED },
	{ "parallel sessions", .ask = kc_ask_parallel, .from = KC_TO_BE_TRUSTED },
	{ "after a rest", .ask = kc_ask_rested, .from = KC_TO_BE_TRUSTED },
	{ "random messages", .ask = kc_ask_random, .unfit = lacks_messages },
	{ "wrong keys", .ask = kc_ask_keys, .unfit = lacks_key_length, .from = KC_NAMED },
	{ "broken requests", .ask = kc_ask_broken, .unfit = lacks_blocks, .from = KC_NAMED },
};

#define N_CHECKS (sizeof(checks) / sizeof(checks[0]))

struct job {
	struct kc_exam exam;
	const struct check *check;
};

/* False: the finding has a ruling. */
static bool ask_all(struct kc_exam *e, kc_question_fn *question)
{
	for (unsigned i = 0;; i++) {
		struct kc_question q = { .len = 0 };

		if (!question(e, i, &q))
			return true;
		q.len = kc_exam_fit(e, q.len);
		if (!kc_exam_ask_both(e, q))
			return false;
	}
}

static bool make_check(struct job *job)
{
	if (job->check->ask)
		return job->check->ask(&job->exam);
	return ask_all(&job->exam, job->check->question);
}

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
	else if (!make_check(job))
		;
	else if (e->shared->left_out && !e->shared->asked)
		kc_exam_find(e, KC_NOT_ASKED, TIME_IS_UP);
	else
		e->finding->ruling = KC_IS_RIGHT;
	kc_exam_end(e);
}

/* Watches the child until it ends; false: no answer came for too long. */
static bool watch_child(struct kc_child *child, const struct kc_exam *e)
{
	uint64_t seen = 0, now;
	char none;

	for (unsigned seconds = 0; seconds < KC_HANG_SECONDS; seconds++) {
		kc_child_read(child, &none, 1, 1);
		if (!child->is_silent)
			return true;
		now = e->shared->requests + kc_counters_of(e->alg).requests;
		if (now != seen)
			seconds = 0;
		seen = now;
	}
	return false;
}

/* A driver that hangs is not asked again for any of its algorithms. */
static void give_up(struct kc_exam *e)
{
	const struct kc_question *q = &e->finding->question;

	kc_probe_give_up(e->all->candidate, e->all->n, e->candidate);
	/* /dev/kcrypto has stopped waiting by itself. */
	if (e->finding->ruling == KC_HANGS)
		return;
	/* The last question is known only if no others ran at the same time. */
	if (q->len)
		kc_exam_find(e, KC_HANGS, "%s: no answer within %d seconds",
			     kc_question_text(e->alg, q), KC_HANG_SECONDS);
	else
		kc_exam_find(e, KC_HANGS, "no answer within %d seconds", KC_HANG_SECONDS);
}

static bool has_died(const struct kc_child *child)
{
	return child->has_ended && WIFSIGNALED(child->status);
}

/* False: there was no process to ask in. */
static bool check_apart(struct job *job)
{
	const struct kc_finding *f = job->exam.finding;
	struct kc_child child;
	bool is_back;

	if (!kc_child_start(&child, examine, job))
		return false;
	is_back = watch_child(&child, &job->exam);
	kc_child_end(&child);
	if (!is_back || f->ruling == KC_HANGS)
		give_up(&job->exam);
	else if (has_died(&child) && f->ruling == KC_NOT_ASKED && !f->text[0])
		kc_exam_find(&job->exam, KC_DIES, "the process that asked ended by signal %d",
			     WTERMSIG(child.status));
	return true;
}

/* What a KiB takes each candidate, in ns; 0: unknown. */
static unsigned kib_ns[KC_MAX_CANDIDATES];

static bool run_one(const struct kc_examination *all, const struct check *check, size_t n,
		    struct kc_finding *f, uint64_t until, uint64_t end)
{
	struct kc_candidate *c = all->candidate[n];
	struct job job = { .exam = { .all = all,
				     .candidate = c,
				     .alg = c->alg,
				     .finding = f,
				     .shared = f,
				     .until = until,
				     .end = end,
				     .kib_ns = kib_ns[n] },
			   .check = check };
	const char *why = NULL;

	memset(f, 0, sizeof(*f));
	if (check->unfit)
		why = check->unfit(c);
	if (c->reason == KC_NO_ANSWER)
		why = "the driver hangs";
	if (!why && kc_now_ns() >= end) {
		f->left_out = 1;
		why = TIME_IS_UP;
	}
	if (why)
		kc_exam_find(&job.exam, KC_NOT_ASKED, "%s", why);
	else if (!check_apart(&job))
		return false;
	kc_progress_end();
	if (f->kib_ns)
		kib_ns[n] = f->kib_ns;
	all->tell(check->word, c, f);
	return true;
}

static bool is_made(const struct kc_examination *all, const struct check *check)
{
	if (check->is_last)
		return all->depth == check->from;
	return all->depth >= check->from;
}

static uint64_t time_until(uint64_t end, uint64_t now)
{
	if (now < end)
		return end - now;
	return 0;
}

/* A fast driver needs only a part of its time, and leaves the rest to the checks that follow. */
bool kc_checks_run(struct kc_examination *all)
{
	struct kc_finding *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t end = kc_now_ns() + (uint64_t)all->limit * 1000000000;
	bool ok = shared != MAP_FAILED;
	size_t left = 0, sum;

	for (size_t i = 0; i < N_CHECKS; i++)
		left += is_made(all, &checks[i]) * all->n;
	sum = left;
	for (size_t i = 0; i < N_CHECKS; i++)
		for (size_t n = 0; ok && is_made(all, &checks[i]) && n < all->n; n++, left--) {
			uint64_t now = kc_now_ns(), share = time_until(end, now) / left;
			const struct kc_candidate *c = all->candidate[n];

			kc_progress("examining: %3zu %%, %s by %s: %s", (sum - left) * 100 / sum,
				    kc_row_name(c->alg, c->whole), c->driver, checks[i].word);
			ok = run_one(all, &checks[i], n, shared, now + share, end);
		}
	return ok;
}
