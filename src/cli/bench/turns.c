/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the crews. A process looks at the clock rarely. */
#include "cli/bench/turns.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/clock.h"

#define BATCH_NS    100000 /* between two readings of the clock */
#define SLOW_FACTOR 6	   /* a busy or emulated machine's deadlines are so much later */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double kc_quantile(const double *sorted, size_t n, double part)
{
	double at = (double)(n - 1) * part;
	size_t i = (size_t)at;

	return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

struct kc_quartiles kc_quartiles(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_size);
	return (struct kc_quartiles){ kc_quantile(v, n, 0.25), kc_quantile(v, n, 0.5),
				      kc_quantile(v, n, 0.75) };
}

double kc_median(double *v, size_t n)
{
	return kc_quartiles(v, n).median;
}

bool kc_turns(size_t n, unsigned rounds, bool (*turn)(void *arg, size_t who, unsigned round),
	      void *arg)
{
	for (unsigned round = 0; round < rounds; round++)
		for (size_t i = 0; i < n; i++)
			if (!turn(arg, (i + round) % n, round))
				return false;
	return true;
}

/* What a process answers after its turn. */
struct tally {
	uint64_t calls, process_ns;
	bool failed;
};

static struct tally work(const struct kc_job *job, void *state, unsigned ms)
{
	struct kc_meter from = kc_meter_read(), to;
	uint64_t start = kc_now_ns(), end = start + (uint64_t)ms * 1000000, now = start;
	struct tally t = { .calls = 0 };

	for (uint64_t batch = 1; now < end && !t.failed; start = now) {
		for (uint64_t i = 0; i < batch && !t.failed; i++)
			t.failed = !job->once(state);
		now = kc_now_ns();
		t.calls += batch;
		if (now - start < BATCH_NS)
			batch *= 2;
	}
	to = kc_meter_read();
	t.process_ns = to.process_ns - from.process_ns;
	return t;
}

struct start {
	const struct kc_job *job;
	int go; /* the end of a pipe from which it reads how long a turn is */
};

static void be_crew(void *arg, int out)
{
	const struct start *s = arg;
	void *state = s->job->begin(s->job->arg);
	unsigned ms;

	while (state && read(s->go, &ms, sizeof(ms)) == (ssize_t)sizeof(ms)) {
		struct tally t = work(s->job, state, ms);

		if (write(out, &t, sizeof(t)) != (ssize_t)sizeof(t))
			break;
	}
}

/* The pipes' other ends stay open here, too: nobody gets a signal by writing to a dead process. */
void kc_crew_start(struct kc_crew *crew, const struct kc_job *job, unsigned n)
{
	*crew = (struct kc_crew){ .n = n };
	for (unsigned i = 0; i < n; i++) {
		crew->go[i][0] = crew->go[i][1] = crew->child[i].fd = -1;
		if (!crew->has_failed)
			crew->has_failed = pipe(crew->go[i]) != 0 ||
					   !kc_child_start(&crew->child[i], be_crew,
							   &(struct start){ job, crew->go[i][0] });
	}
}

bool kc_crew_turn(struct kc_crew *crew, unsigned ms, struct kc_turn *turn)
{
	struct kc_meter from = kc_meter_read(), to;
	uint64_t process_ns = 0;
	struct tally t;

	turn->calls = 0;
	for (unsigned i = 0; i < crew->n && !crew->has_failed; i++)
		crew->has_failed = write(crew->go[i][1], &ms, sizeof(ms)) != (ssize_t)sizeof(ms);
	for (unsigned i = 0; i < crew->n && !crew->has_failed; i++) {
		crew->has_failed = !kc_child_read(&crew->child[i], &t, sizeof(t),
						  SLOW_FACTOR * (KC_CHILD_SECONDS + ms / 1000)) ||
				   t.failed;
		turn->calls += t.calls;
		process_ns += t.process_ns;
	}
	to = kc_meter_read();
	turn->took = kc_meter_between(&from, &to);
	turn->took.process_ns = process_ns;
	return !crew->has_failed;
}

void kc_crew_end(struct kc_crew *crew)
{
	for (unsigned i = 0; i < crew->n; i++) {
		kc_child_end(&crew->child[i]);
		for (int k = 0; k < 2; k++)
			if (crew->go[i][k] >= 0)
				close(crew->go[i][k]);
	}
}
