/* SPDX-License-Identifier: Apache-2.0 */
/* A worker looks at the clock rarely, unless it measures latencies. */
#include "cli/bench/turns.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/clock.h"

#define BATCH_NS    100000 /* between two readings of the clock */
#define PARTS	    8	   /* of each power of two: latencies are exact to an eighth */
#define LATENCIES   (40 * PARTS)
#define SLOW_FACTOR 6 /* a busy or emulated machine's deadlines are so much later */

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

struct kc_tally {
	uint64_t calls, process_ns;  /* of a turn; process_ns: of all threads, with the first one */
	uint32_t latency[LATENCIES]; /* of all turns */
	bool failed;
};

static unsigned bucket_of(uint64_t ns)
{
	unsigned power = 0;

	for (uint64_t n = ns; n >= 2 * PARTS; n >>= 1)
		power++;
	power = power * PARTS + (unsigned)(ns >> power);
	return power < LATENCIES ? power : LATENCIES - 1;
}

/* The largest value of a bucket. */
static uint64_t ns_of(unsigned bucket)
{
	unsigned power = bucket < 2 * PARTS ? 0 : bucket / PARTS - 1;

	return (uint64_t)(bucket - power * PARTS + 1) << power;
}

/* A thread of a crew's process. */
struct worker {
	const struct kc_job *job;
	void *state;
	struct kc_tally *tally;
	uint64_t ns;
	bool is_alone;
};

static void *work(void *arg)
{
	const struct worker *w = arg;
	struct kc_tally *t = w->tally;
	uint64_t start = kc_now_ns(), end = start + w->ns, now = start;

	t->calls = 0;
	for (uint64_t batch = 1; now < end && !t->failed;) {
		for (uint64_t i = 0; i < batch && !t->failed; i++)
			t->failed = !w->job->once(w->state);
		now = kc_now_ns();
		t->calls += batch;
		if (!w->is_alone)
			t->latency[bucket_of(now - start)]++;
		else if (now - start < BATCH_NS)
			batch *= 2;
		start = now;
	}
	return NULL;
}

/* A process of one thread stays one: it may be treated better than others. */
static void take_turn(struct worker *workers, unsigned n, unsigned ms)
{
	pthread_t thread[KC_MAX_PROCESSES];
	struct kc_meter from = kc_meter_read(), to;
	unsigned begun = 1;

	for (unsigned i = 0; i < n; i++)
		workers[i].ns = (uint64_t)ms * 1000000;
	while (begun < n && pthread_create(&thread[begun], NULL, work, &workers[begun]) == 0)
		begun++;
	work(&workers[0]);
	for (unsigned i = 1; i < begun; i++)
		pthread_join(thread[i], NULL);
	to = kc_meter_read();
	workers[0].tally->failed |= begun < n;
	workers[0].tally->process_ns = to.process_ns - from.process_ns;
}

struct start {
	struct kc_crew *crew;
	const struct kc_job *job;
	unsigned i; /* the process's number */
};

static void be_crew(void *arg, int done)
{
	const struct start *s = arg;
	const struct kc_crew *crew = s->crew;
	struct worker *workers = calloc(crew->threads, sizeof(*workers));
	unsigned ms;

	for (unsigned i = 0; workers && i < crew->threads; i++) {
		workers[i] = (struct worker){ .job = s->job,
					      .state = s->job->begin(s->job->arg),
					      .tally = &crew->tally[s->i * crew->threads + i],
					      .is_alone = crew->n * crew->threads == 1 };
		workers[i].tally->failed = !workers[i].state;
	}
	while (workers && read(crew->go[s->i][0], &ms, sizeof(ms)) == (ssize_t)sizeof(ms)) {
		take_turn(workers, crew->threads, ms);
		if (write(done, "", 1) != 1)
			break;
	}
}

static size_t bytes_of(const struct kc_crew *crew)
{
	return (size_t)crew->n * crew->threads * sizeof(struct kc_tally);
}

/* The pipes' other ends stay open here, too: nobody gets a signal by writing to a dead process. */
void kc_crew_start(struct kc_crew *crew, const struct kc_job *job, const struct kc_load *load)
{
	*crew = (struct kc_crew){ .n = load->processes, .threads = load->threads };
	crew->tally = mmap(NULL, bytes_of(crew), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	crew->has_failed = crew->tally == MAP_FAILED;
	for (unsigned i = 0; i < crew->n; i++) {
		struct start start = { crew, job, i };

		crew->go[i][0] = crew->go[i][1] = crew->child[i].fd = -1;
		crew->has_failed = crew->has_failed || pipe(crew->go[i]) != 0 ||
				   !kc_child_start(&crew->child[i], be_crew, &start);
	}
}

bool kc_crew_turn(struct kc_crew *crew, unsigned ms, struct kc_turn *turn)
{
	struct kc_meter from = kc_meter_read(), to;
	char done;

	*turn = (struct kc_turn){ .calls = 0 };
	for (unsigned i = 0; i < crew->n && !crew->has_failed; i++)
		crew->has_failed = write(crew->go[i][1], &ms, sizeof(ms)) != (ssize_t)sizeof(ms);
	for (unsigned i = 0; i < crew->n && !crew->has_failed; i++)
		crew->has_failed = !kc_child_read(&crew->child[i], &done, 1,
						  SLOW_FACTOR * (KC_CHILD_SECONDS + ms / 1000));
	to = kc_meter_read();
	turn->took = kc_meter_between(&from, &to);
	turn->took.process_ns = 0;
	for (unsigned i = 0; i < crew->n * crew->threads && !crew->has_failed; i++) {
		const struct kc_tally *t = &crew->tally[i];

		crew->has_failed = t->failed || !t->calls;
		turn->calls += t->calls;
		turn->took.process_ns += t->process_ns;
	}
	return !crew->has_failed;
}

double kc_crew_p99_us(const struct kc_crew *crew)
{
	uint64_t sums[LATENCIES] = { 0 }, total = 0, seen = 0;

	for (unsigned i = 0; i < crew->n * crew->threads; i++)
		for (unsigned b = 0; b < LATENCIES; b++) {
			sums[b] += crew->tally[i].latency[b];
			total += crew->tally[i].latency[b];
		}
	for (unsigned b = 0; total && b < LATENCIES; b++) {
		seen += sums[b];
		if (seen * 100 >= total * 99)
			return (double)ns_of(b) / 1e3;
	}
	return 0;
}

void kc_crew_end(struct kc_crew *crew)
{
	for (unsigned i = 0; i < crew->n; i++) {
		kc_child_end(&crew->child[i]);
		for (int k = 0; k < 2; k++)
			if (crew->go[i][k] >= 0)
				close(crew->go[i][k]);
	}
	if (crew->tally != MAP_FAILED)
		munmap(crew->tally, bytes_of(crew));
}
