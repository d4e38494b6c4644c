/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs slices. A single process with a single thread works in this process; several are forked for
 * each slice, after all drivers have been tried here, and start together when a pipe is closed.
 */
#include "cli/bench/slice.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/bench/advice.h"
#include "cli/child.h"
#include "cli/run/counters.h"
#include "cli/run/meter.h"
#include "core/clock.h"

#define BATCH_NS   100000 /* between two readings of the clock */
#define ALL	   0.99	  /* except the bytes that passed before a session was open */
#define RECORD_END 160	  /* bytes of a CBC record, on average of sealing and opening */
#define PARTS	   8	  /* of each power of two: latencies are exact to an eighth */
#define LATENCIES  (40 * PARTS)

/* A worker's results, in memory that processes share. */
struct tally {
	uint64_t requests;
	uint32_t latency[LATENCIES];
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

static void work_for(struct kc_work *w, uint64_t ns, bool each, struct tally *t)
{
	uint64_t start = kc_now_ns(), end = start + ns, now = start;

	for (unsigned batch = 1; now < end && !t->failed;) {
		for (unsigned i = 0; i < batch && !t->failed; i++)
			t->failed = !w->once(w);
		now = kc_now_ns();
		t->requests += batch;
		if (each)
			t->latency[bucket_of(now - start)]++;
		else if (now - start < BATCH_NS)
			batch *= 2;
		start = now;
	}
}

/* One of several workers that run at a time. */
struct worker {
	const struct kc_contender *contender;
	const struct kc_task *task;
	uint64_t ns;
	int go; /* a pipe's end: work begins when the other end is closed */
	struct tally *tally;
};

static int begin_work(struct kc_work *w, const struct kc_contender *c, const struct kc_task *t)
{
	if (t->is_record)
		return kc_work_begin_records(w, c->lib, t->alg, c->is_ktls, t->size);
	return kc_work_begin(w, c->lib, c->properties, t->alg, t->dir, t->size);
}

static void *one_worker(void *arg)
{
	struct worker *wk = arg;
	struct kc_work w;
	char c;

	wk->tally->failed = !begin_work(&w, wk->contender, wk->task);
	while (read(wk->go, &c, 1) > 0)
		;
	if (!wk->tally->failed)
		work_for(&w, wk->ns, true, wk->tally);
	kc_work_end(&w);
	return NULL;
}

struct crew {
	struct worker first;
	unsigned threads;
	int start; /* the pipe's other end, which a child must not hold */
};

/* The tally of a worker that does not begin says so. */
static void one_process(void *arg, int fd)
{
	const struct crew *crew = arg;
	pthread_t *thread = calloc(crew->threads, sizeof(*thread));
	struct worker *worker = calloc(crew->threads, sizeof(*worker));
	unsigned n = 0;

	(void)fd;
	close(crew->start);
	for (unsigned i = 0; i < crew->threads; i++)
		crew->first.tally[i].failed = true;
	while (thread && worker && n < crew->threads) {
		worker[n] = crew->first;
		worker[n].tally += n;
		if (pthread_create(&thread[n], NULL, one_worker, &worker[n]) != 0)
			break;
		n++;
	}
	while (n)
		pthread_join(thread[--n], NULL);
}

/* Work begins when our end of the pipe is closed. */
static void run_many(const struct worker *model, const struct kc_load *load, int start,
		     struct kc_meter *from)
{
	static struct kc_child child[KC_MAX_PROCESSES];
	unsigned seconds = KC_CHILD_SECONDS + load->slice_ms / 1000, n;
	char none;

	for (n = 0; n < load->processes; n++) {
		struct crew crew = { *model, load->threads, start };

		crew.first.tally += n * load->threads;
		if (!kc_child_start(&child[n], one_process, &crew))
			break;
	}
	/* Lets all workers set up their contexts; a late one only loses part of its slice. */
	usleep(20000);
	*from = kc_meter_read();
	close(start);
	for (unsigned i = 0; i < n; i++) {
		kc_child_read(&child[i], &none, 1, seconds);
		kc_child_end(&child[i]);
	}
}

/* A contender's state over all rounds of a comparison. */
struct run {
	struct kc_work work; /* if there is one worker at a time */
	double *rates;	     /* bytes per ns, by round */
	uint64_t bytes, by_kernel, process_ns;
	int64_t machine_ns;
	bool failed;
};

static struct tally *tallies; /* for one slice */
static unsigned workers;

static void slice(struct run *r, const struct kc_contender *c, const struct kc_task *task,
		  const struct kc_load *load, unsigned round)
{
	uint64_t before = kc_counters_bytes(task->alg);
	struct kc_meter from = kc_meter_read(), to, took;
	uint64_t ns = (uint64_t)load->slice_ms * 1000000, bytes = 0;
	int go[2];

	for (unsigned i = 0; i < workers; i++)
		tallies[i].requests = tallies[i].failed = 0;
	if (workers == 1) {
		work_for(&r->work, ns, false, tallies);
	} else if (pipe(go) == 0) {
		run_many(&(struct worker){ c, task, ns, go[0], tallies }, load, go[1], &from);
		close(go[0]);
	}
	to = kc_meter_read();
	took = kc_meter_between(&from, &to);
	for (unsigned i = 0; i < workers; i++) {
		bytes += tallies[i].requests * task->size;
		r->failed |= tallies[i].failed || !tallies[i].requests;
	}
	r->rates[round] = (double)bytes / (double)(took.wall_ns + 1);
	r->bytes += bytes;
	r->by_kernel += kc_counters_bytes(task->alg) - before;
	r->machine_ns += took.machine_ns;
	r->process_ns += took.process_ns;
}

/* Bytes of a request that software does in any case. */
static size_t rest_of(const struct kc_task *task)
{
	if (task->is_record && task->alg->kind == KC_CIPHER)
		return RECORD_END;
	return task->alg->steals ? 2 * task->alg->block_len : 0;
}

bool kc_result_is_kernels(const struct kc_result *r, const struct kc_task *task)
{
	size_t rest = rest_of(task);

	return r->is_known && rest < task->size &&
	       r->kernel_share > ALL * (double)(task->size - rest) / (double)task->size;
}

/* The latency that one request in a hundred exceeds; 0 if none was timed. */
static double p99_us(const struct tally *all)
{
	uint64_t total = 0, seen = 0;

	for (unsigned i = 0; i < workers; i++)
		for (unsigned b = 0; b < LATENCIES; b++)
			total += all[i].latency[b];
	for (unsigned b = 0; total && b < LATENCIES; b++) {
		for (unsigned i = 0; i < workers; i++)
			seen += all[i].latency[b];
		if (seen * 100 >= total * 99)
			return (double)ns_of(b) / 1e3;
	}
	return 0;
}

static struct kc_result result_of(struct run *r, unsigned rounds)
{
	double gb = (double)r->bytes / 1e9, median;

	if (r->failed || !r->bytes)
		return (struct kc_result){ .is_known = false };
	median = kc_median(r->rates, rounds);
	return (struct kc_result){
		.is_known = true,
		.mb_per_s = median * 1e3,
		.spread = (kc_quantile(r->rates, rounds, 0.75) -
			   kc_quantile(r->rates, rounds, 0.25)) /
			  median,
		.machine_s_per_gb = (double)r->machine_ns / 1e9 / gb,
		.process_s_per_gb = (double)r->process_ns / 1e9 / gb,
		.kernel_share = (double)r->by_kernel / (double)r->bytes,
		.requests = r->bytes / r->work.size,
	};
}

/* Latencies belong to one contender, so a copy of the tallies keeps them over all rounds. */
static void keep_latencies(struct tally *kept)
{
	for (unsigned i = 0; i < workers; i++)
		for (unsigned b = 0; b < LATENCIES; b++) {
			kept[i].latency[b] += tallies[i].latency[b];
			tallies[i].latency[b] = 0;
		}
}

/* During the warm-up, drivers are tried, modules are loaded, and emulated code is translated. */
static void begin(struct run *r, const struct kc_contender *c, const struct kc_task *task,
		  const struct kc_load *load)
{
	struct tally unused = { .requests = 0 };

	r->rates = calloc(load->rounds, sizeof(*r->rates));
	r->failed = !r->rates || !begin_work(&r->work, c, task);
	if (!r->failed)
		work_for(&r->work, (uint64_t)load->slice_ms * 1000000, false, &unused);
	r->failed |= unused.failed;
}

static void compare(struct run *runs, struct tally **kept, const struct kc_contender *contenders,
		    size_t n, const struct kc_task *task, const struct kc_load *load)
{
	for (unsigned round = 0; round < load->rounds; round++) {
		/*
		 * Each round begins with a different contender, so that none always follows the
		 * same one.
		 */
		for (size_t k = 0; k < n; k++) {
			size_t i = (k + round) % n;

			if (runs[i].failed)
				continue;
			slice(&runs[i], &contenders[i], task, load, round);
			keep_latencies(kept[i]);
		}
	}
}

int kc_compare(const struct kc_contender *contenders, size_t n, const struct kc_task *task,
	       const struct kc_load *load, struct kc_result *results)
{
	struct run runs[KC_MAX_CONTENDERS] = { { .failed = false } };
	struct tally *kept[KC_MAX_CONTENDERS] = { NULL };
	size_t bytes;
	int ok = 1;

	workers = load->processes * load->threads;
	bytes = workers * sizeof(*tallies);
	tallies = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tallies == MAP_FAILED)
		return 0;
	for (size_t i = 0; i < n; i++) {
		kept[i] = calloc(workers, sizeof(**kept));
		begin(&runs[i], &contenders[i], task, load);
		ok &= kept[i] && runs[i].rates;
	}
	if (ok)
		compare(runs, kept, contenders, n, task, load);
	for (size_t i = 0; i < n; i++) {
		results[i] = result_of(&runs[i], load->rounds);
		results[i].p99_us = results[i].is_known ? p99_us(kept[i]) : 0;
		kc_work_end(&runs[i].work);
		free(runs[i].rates);
		free(kept[i]);
	}
	munmap(tallies, bytes);
	return ok;
}
