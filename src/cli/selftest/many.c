/* SPDX-License-Identifier: Apache-2.0 */
/* Several sessions, each with another key: in turns, and at the same time. */
#include "cli/selftest/selftest.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/clock.h"

#define SESSIONS 64
#define TURNS	 6
#define THREADS	 8
#define AT_LEAST 100 /* requests of each thread */

/* One of them; its own finding is 'right' until it finds a fault. */
struct one {
	struct kc_exam exam;
	struct kc_finding finding;
	uint64_t until; /* ns */
};

/*
 * Opens up to @n sessions. Returns their number; a driver may have room for fewer, and the finding
 * says so.
 */
static unsigned open_all(struct kc_exam *e, struct one *all, unsigned n, size_t max)
{
	for (unsigned i = 0; i < n; i++) {
		struct kc_exam *x = &all[i].exam;
		int err = -ENOMEM;

		*x = *e;
		x->finding = &all[i].finding;
		x->finding->ruling = KC_IS_RIGHT;
		if (kc_exam_begin(x, max, i + 2))
			err = kc_exam_open(x);
		if (!err)
			continue;
		kc_exam_end(x);
		kc_exam_find(e, KC_NOT_ASKED, "the driver opened %u sessions, but no more: %s", i,
			     strerror(-err));
		return i;
	}
	return n;
}

static bool close_all(struct kc_exam *e, struct one *all, unsigned n)
{
	bool ok = n >= 2;

	for (unsigned i = 0; i < n; i++) {
		const struct kc_finding *f = &all[i].finding;

		if (ok && f->ruling != KC_IS_RIGHT)
			ok = kc_exam_find(e, f->ruling, "with %u sessions: %s", n, f->text);
		kc_exam_end(&all[i].exam);
	}
	free(all);
	return ok;
}

bool kc_ask_sessions(struct kc_exam *e)
{
	struct one *all = kc_must(calloc(SESSIONS, sizeof(*all)));
	unsigned n = open_all(e, all, SESSIONS, 4096);
	bool ok = true;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		struct kc_question q = { .len = kc_exam_fit(e, 37u << turn) };

		for (unsigned i = 0; ok && i < n; i++)
			ok = kc_exam_ask_both(&all[i].exam, q);
	}
	return close_all(e, all, n);
}

static void *work(void *arg)
{
	struct one *one = arg;
	struct kc_exam *e = &one->exam;
	uint64_t random = (uintptr_t)one;
	bool ok = true;

	for (unsigned i = 0; ok && (i < AT_LEAST || kc_now_ns() < one->until); i++) {
		size_t most = 4096;
		struct kc_question q = { .dir = KC_ENCRYPT };

		if (i % 8 == 0)
			most = e->session.limit;
		q.len = kc_exam_fit(e, (size_t)(kc_random(&random) % most) + 1);
		if (kc_exam_leaves_out(e, q.len, AT_LEAST - (unsigned)kc_min(i, AT_LEAST)))
			break;
		q.in_offset = q.out_offset = (unsigned)(kc_random(&random) % 16);
		ok = kc_exam_ask_both(e, q);
	}
	return NULL;
}

bool kc_ask_parallel(struct kc_exam *e)
{
	struct one *all = kc_must(calloc(THREADS, sizeof(*all)));
	unsigned n = open_all(e, all, THREADS, KC_MAX_REQUEST), begun = 0;
	uint64_t until = kc_now_ns() + (uint64_t)e->all->seconds * 1000000000 / e->all->n;
	pthread_t thread[THREADS];

	for (; begun < n && n >= 2; begun++) {
		all[begun].until = until;
		/* Each waits for all the others. */
		all[begun].exam.kib_ns *= n;
		if (pthread_create(&thread[begun], NULL, work, &all[begun]) != 0)
			break;
	}
	for (unsigned i = 0; i < begun; i++)
		pthread_join(thread[i], NULL);
	return close_all(e, all, n);
}
