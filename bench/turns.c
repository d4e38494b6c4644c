/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent gives a worker its turn through a pipe; the worker answers with its calls per second.
 */
#include "turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>

#define MAX_ROUNDS 1001
#define BATCH_NS   200000 /* between two readings of the clock, roughly */

struct worker {
	int go, done;
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double children_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}

/* Calls per second; 0 if one failed. */
static double slice(const struct turns_work *work, void *state, unsigned ms, unsigned long *batch)
{
	double start = now_ns(), end = start + ms * 1e6, now = start, last;
	double cpu = children_ns();
	unsigned long calls = 0;

	while (now < end) {
		last = now;
		for (unsigned long i = 0; i < *batch; i++)
			if (!work->once(state))
				return 0;
		calls += *batch;
		now = now_ns();
		if (now - last < BATCH_NS / 2)
			*batch *= 2;
		else if (now - last > BATCH_NS * 2 && *batch > 1)
			*batch /= 2;
	}
	return (double)calls * 1e9 / (work->by_children ? children_ns() - cpu : now - start);
}

static void be_worker(const struct turns_work *work, const char *what, const struct contender *c,
		      int go, int done)
{
	OSSL_LIB_CTX *lib;
	unsigned long batch = 1;
	void *state = NULL;
	unsigned ms;

	if (c->variable)
		setenv(c->variable, c->value, 1);
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	lib = OSSL_LIB_CTX_new();
	if (lib && OSSL_LIB_CTX_load_config(lib, c->cnf))
		state = work->begin(lib, c->cnf, what);
	while (read(go, &ms, sizeof(ms)) == (ssize_t)sizeof(ms)) {
		double rate = state ? slice(work, state, ms, &batch) : 0;

		if (rate == 0)
			ERR_print_errors_fp(stderr);
		if (write(done, &rate, sizeof(rate)) != (ssize_t)sizeof(rate))
			break;
	}
	_exit(0);
}

/* If the worker does not start, its first turn fails. */
static struct worker start(const struct turns_work *work, const char *what,
			   const struct contender *c)
{
	int go[2], done[2];

	if (pipe(go) != 0 || pipe(done) != 0)
		return (struct worker){ -1, -1 };
	if (fork() == 0) {
		close(go[1]);
		close(done[0]);
		be_worker(work, what, c, go[0], done[1]);
	}
	close(go[0]);
	close(done[1]);
	return (struct worker){ go[1], done[0] };
}

static bool turn(const struct worker *w, unsigned ms, double *rate)
{
	return write(w->go, &ms, sizeof(ms)) == (ssize_t)sizeof(ms) &&
	       read(w->done, rate, sizeof(*rate)) == (ssize_t)sizeof(*rate) && *rate > 0;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *v, unsigned n)
{
	double sorted[MAX_ROUNDS];

	for (unsigned i = 0; i < n; i++)
		sorted[i] = v[i];
	qsort(sorted, n, sizeof(*sorted), by_size);
	return sorted[n / 2];
}

static struct turns compare(struct contender *contenders, int n, double (*rate)[MAX_ROUNDS],
			    unsigned rounds)
{
	static double ratio[MAX_ROUNDS];
	struct turns t = { .best = 0 };

	for (int i = 0; i < n; i++) {
		contenders[i].per_second = median(rate[i], rounds);
		if (i < n - 1 && contenders[i].per_second > contenders[t.best].per_second)
			t.best = i;
	}
	for (unsigned r = 0; r < rounds; r++)
		ratio[r] = rate[n - 1][r] / rate[t.best][r];
	qsort(ratio, rounds, sizeof(*ratio), by_size);
	t.ratio = ratio[rounds / 2];
	t.low = ratio[rounds / 4];
	t.high = ratio[rounds * 3 / 4];
	return t;
}

bool turns_measure(const struct turns_work *work, const char *what, struct contender *contenders,
		   int n, unsigned warm_ms, unsigned slice_ms, unsigned rounds, struct turns *turns)
{
	static double rate[TURNS_MAX][MAX_ROUNDS];
	struct worker worker[TURNS_MAX];
	bool ok = true;

	rounds = rounds < MAX_ROUNDS ? rounds : MAX_ROUNDS;
	for (int i = 0; i < n; i++) {
		worker[i] = start(work, what, &contenders[i]);
		ok = ok && turn(&worker[i], i == n - 1 ? warm_ms : slice_ms, &rate[i][0]);
	}
	/*
	 * Each round begins with a different contender, so that none always follows the same one.
	 */
	for (unsigned r = 0; r < rounds; r++)
		for (int i = 0; i < n; i++) {
			int k = (int)((i + r) % (unsigned)n);

			ok = ok && turn(&worker[k], slice_ms, &rate[k][r]);
		}
	for (int i = 0; i < n; i++) {
		close(worker[i].go);
		close(worker[i].done);
	}
	if (ok)
		*turns = compare(contenders, n, rate, rounds);
	return ok;
}
