/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the crews. A process reads the clock rarely. */
#include "cli/bench/turns.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"

#define BATCH_NS    100000 /* between two readings of the clock */
#define SLOW_FACTOR 6	   /* deadlines are so many times later, for busy or emulated machines */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns a quantile of sorted values, interpolated; @part: 0 to 1. */
static double quantile(const double *sorted, size_t n, double part)
{
	double at = (double)(n - 1) * part;
	size_t i = (size_t)at;

	if (i + 1 >= n)
		return sorted[i];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

struct kc_quartiles kc_quartiles(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_size);
	return (struct kc_quartiles){ quantile(v, n, 0.25), quantile(v, n, 0.5),
				      quantile(v, n, 0.75) };
}

double kc_median(double *v, size_t n)
{
	return kc_quartiles(v, n).median;
}

#define LEAST_ROUNDS 2 /* the first one does not count */

bool kc_turns(size_t n, unsigned rounds, uint64_t end_ns,
	      bool (*turn)(void *arg, size_t who, unsigned round), void *arg)
{
	for (unsigned round = 0; round < rounds; round++) {
		if (round >= LEAST_ROUNDS && kc_now_ns() >= end_ns)
			break;
		for (size_t i = 0; i < n; i++)
			if (!turn(arg, (i + round) % n, round))
				return false;
	}
	return true;
}

/* Does a process's turn, and returns its answer; no calls: one of them failed. */
static struct kc_turn work_for(const struct kc_job *job, void *state, unsigned ms)
{
	struct kc_meter from = kc_meter_read();
	uint64_t start = kc_now_ns(), end = start + (uint64_t)ms * 1000000, now = start;
	struct kc_turn turn = { .calls = 0 };
	bool ok = true;

	if (!ms)
		turn.calls = 1;
	for (uint64_t batch = 1; now < end && ok; start = now) {
		for (uint64_t i = 0; i < batch && ok; i++)
			ok = job->once(state);
		now = kc_now_ns();
		turn.calls += batch;
		if (now - start < BATCH_NS)
			batch *= 2;
	}
	turn.calls *= ok;
	turn.took = kc_meter_since(&from);
	return turn;
}

struct order {
	size_t task;
	unsigned ms;
};

static bool get_ready(const struct kc_job *job, void **state, size_t *task, size_t wanted)
{
	if (*state && *task == wanted)
		return true;
	if (*state)
		job->end(*state);
	*task = wanted;
	*state = job->begin(job->arg, wanted);
	return *state;
}

/* A process of a crew: the parent tells it the task and the length of each turn. */
static void be_crew(void *arg, int fd)
{
	const struct kc_job *job = arg;
	struct order order;
	void *state = NULL;
	size_t task = 0;

	while (read(fd, &order, sizeof(order)) == (ssize_t)sizeof(order)) {
		struct kc_turn turn;

		if (!get_ready(job, &state, &task, order.task))
			break;
		turn = work_for(job, state, order.ms);
		if (write(fd, &turn, sizeof(turn)) != (ssize_t)sizeof(turn))
			break;
	}
}

void kc_crew_start(struct kc_crew *crew, const struct kc_job *job, unsigned n)
{
	struct kc_job own = *job;

	*crew = (struct kc_crew){ .has_failed = false };
	while (crew->n < n && !crew->has_failed)
		crew->has_failed = !kc_child_start(&crew->child[crew->n++], be_crew, &own);
}

bool kc_crew_is_silent(const struct kc_crew *crew)
{
	for (unsigned i = 0; i < crew->n; i++)
		if (crew->child[i].is_silent)
			return true;
	return false;
}

bool kc_crew_turn(struct kc_crew *crew, size_t task, unsigned ms, struct kc_turn *turn)
{
	unsigned seconds = SLOW_FACTOR * (KC_CHILD_SECONDS + ms / 1000);
	struct kc_meter from = kc_meter_read();
	struct kc_turn sum = { .calls = 0 }, one = sum;
	struct order order = { .task = task, .ms = ms };

	for (unsigned i = 0; i < crew->n && !crew->has_failed; i++)
		crew->has_failed = send(crew->child[i].fd, &order, sizeof(order), MSG_NOSIGNAL) !=
				   (ssize_t)sizeof(order);
	for (unsigned i = 0; i < crew->n && !crew->has_failed; i++) {
		if (!kc_child_read(&crew->child[i], &one, sizeof(one), seconds) || !one.calls)
			crew->has_failed = true;
		sum.calls += one.calls;
		sum.took.process_ns += one.took.process_ns;
	}
	*turn = (struct kc_turn){ sum.calls, kc_meter_since(&from) };
	turn->took.process_ns = sum.took.process_ns;
	return !crew->has_failed;
}

void kc_crew_end(struct kc_crew *crew)
{
	for (unsigned i = 0; i < crew->n; i++)
		kc_child_end(&crew->child[i]);
}
