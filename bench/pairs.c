/* SPDX-License-Identifier: Apache-2.0 */
/* A slice is as many calls as take slice_us; their number is measured beforehand. */
#include "pairs.h"

#include <stdio.h>
#include <stdlib.h>

#include <openssl/err.h>

#include "cli/bench/turns.h"
#include "core/clock.h"

#define MAX_ROUNDS 1001
#define WARM_UPS   3 /* rounds: an emulator must translate the code first */
#define SLICE_US   20000

void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench: %s\n", what);
	ERR_print_errors_fp(stderr);
	exit(1);
}

struct side {
	pairs_fn *f;
	void *arg;
	unsigned long calls; /* in a slice */
	double ns[MAX_ROUNDS];
};

/* Returns ns per call. */
static double slice(const struct side *s)
{
	uint64_t start = kc_now_ns();

	for (unsigned long i = 0; i < s->calls; i++)
		must(s->f(s->arg), "a measured call failed");
	return (double)(kc_now_ns() - start) / (double)s->calls;
}

static bool turn(void *arg, size_t who, unsigned round)
{
	struct side *s = (struct side *)arg + who;

	s->ns[round] = slice(s);
	return true;
}

struct pairs pairs_measure(pairs_fn *a, void *a_arg, pairs_fn *b, void *b_arg, unsigned rounds,
			   unsigned slice_us)
{
	static struct side side[2];
	static double ratio[MAX_ROUNDS], adds[MAX_ROUNDS];

	side[0].f = a;
	side[0].arg = a_arg;
	side[1].f = b;
	side[1].arg = b_arg;
	for (int i = 0; i < 2; i++)
		for (side[i].calls = 1; slice(&side[i]) * (double)side[i].calls < slice_us * 1e3;)
			side[i].calls *= 2;
	rounds = rounds < MAX_ROUNDS ? rounds : MAX_ROUNDS;
	kc_turns(2, rounds, UINT64_MAX, turn, side);
	for (unsigned i = 0; i < rounds; i++) {
		ratio[i] = side[1].ns[i] / side[0].ns[i];
		adds[i] = side[1].ns[i] - side[0].ns[i];
	}
	return (struct pairs){ .ratio = kc_median(ratio, rounds),
			       .a_ns = kc_median(side[0].ns, rounds),
			       .b_ns = kc_median(side[1].ns, rounds),
			       .adds_ns = kc_median(adds, rounds) };
}

const size_t job_sizes[JOB_SIZES] = { 1024, 4096, 16384, JOB_LARGEST };

static _Alignas(4096) unsigned char in[JOB_LARGEST], out[JOB_LARGEST + 16];

int job_run(void *arg)
{
	const struct job *j = arg;
	int n;

	return EVP_CipherUpdate(j->ctx, j->in_place ? in : out, &n, in, (int)j->len);
}

int job_run_raw(void *arg)
{
	const struct job *j = arg;

	return raw_run(j->raw, j->in_place ? in : out, in, j->len);
}

struct pairs job_compare(EVP_CIPHER_CTX *ctx, const struct raw *raw, size_t len, int in_place,
			 unsigned rounds)
{
	struct job j = { .ctx = ctx, .raw = raw, .len = len, .in_place = in_place };

	pairs_measure(job_run_raw, &j, job_run, &j, WARM_UPS, SLICE_US);
	return pairs_measure(job_run_raw, &j, job_run, &j, rounds, SLICE_US);
}

void job_settle(EVP_CIPHER_CTX *ctx, const struct raw *raw)
{
	for (size_t i = 0; i < JOB_SIZES; i++)
		job_compare(ctx, raw, job_sizes[i], 0, 1);
}

void flip_switch(void)
{
	const char *path = getenv("SWITCH");
	FILE *f = path ? fopen(path, "w") : NULL;

	must(!path || (f && fputs("1", f) >= 0 && fclose(f) == 0), "SWITCH can't be written");
}
