/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it would cost to learn one threshold for requests inside and outside of jobs. The learning
 * is the program's own (policy/learn.c). Device, software and clock are a model, so that figures
 * are the same on each machine.
 */
#include <stdio.h>
#include <string.h>

#include "policy/first_terms.h"
#include "policy/learn.h"

#define REQUESTS 200000

/* The model, in ns: a CPU without AES instructions, an accelerator like that of bench/inflight. */
#define SOFT_PER_BYTE 24
#define OWN_WORK      15000 /* of the thread, for a request to the kernel */
#define LATENCY	      200000

/* The thresholds that a process learns. */
enum learns { TWO, THAT_OUTSIDE, THAT_IN_JOBS };

struct process {
	struct kc_candidate candidate;
	enum learns learns;
	unsigned in_jobs; /* requests in jobs, of 1024 */
	unsigned engines;
	size_t len;
	size_t passed; /* bytes since the last pair */
	uint64_t spent;
};

static uint64_t soft_ns(const struct process *p)
{
	return (uint64_t)SOFT_PER_BYTE * p->len;
}

/* While a request in a job waits, the thread makes others. */
static uint64_t kernel_ns(const struct process *p, bool in_job)
{
	uint64_t part = LATENCY / p->engines;

	if (!in_job)
		return OWN_WORK + LATENCY;
	return part > OWN_WORK ? part : OWN_WORK;
}

static void begin(struct process *p)
{
	static const struct kc_config config;
	static const struct kc_backend backend;
	struct kc_candidate *c = &p->candidate;

	c->alg = &kc_algs[KC_ALG_AES_128_CBC];
	c->backend = &backend;
	c->max_request = KC_MAX_REQUEST;
	kc_terms_init(c, &config, KC_THRESHOLD_MEASURED);
	for (int dir = 0; dir < 2; dir++)
		atomic_store(&c->terms.threshold[dir], SIZE_MAX);
	atomic_store(&c->terms.longest, SIZE_MAX);
	atomic_store(&c->terms.floor, 0);
	atomic_store(&c->terms.before_look, 0);
}

static size_t threshold(const struct process *p, bool in_job)
{
	const struct kc_terms *terms = &p->candidate.terms;

	if (p->learns == THAT_IN_JOBS || (p->learns == TWO && in_job))
		return kc_terms_threshold(terms, KC_ENCRYPT);
	return kc_terms_alone(terms, KC_ENCRYPT);
}

static void make_pair(struct process *p, bool in_job)
{
	struct kc_pair pair = { .dir = KC_ENCRYPT,
				.len = p->len,
				.soft_ns = soft_ns(p),
				.kernel_ns = kernel_ns(p, false),
				.in_job = in_job && p->learns != THAT_OUTSIDE };

	p->passed = 0;
	kc_terms_pair(&p->candidate, &pair);
	p->spent += pair.soft_ns + pair.kernel_ns;
}

static void ask_kernel(struct process *p, bool in_job)
{
	uint64_t ns = kernel_ns(p, in_job);
	struct kc_stake stake = { 0 };

	p->spent += ns;
	if (in_job && p->learns != THAT_OUTSIDE)
		kc_terms_flight(&p->candidate, KC_ENCRYPT, p->len, ns);
	if (!in_job && p->learns != THAT_IN_JOBS)
		kc_terms_kernel(&p->candidate, &stake, KC_ENCRYPT, p->len, ns);
}

static void request(struct process *p, bool in_job)
{
	p->passed += p->len;
	if (p->passed > atomic_load(&p->candidate.terms.before_look))
		make_pair(p, in_job);
	else if (p->len < threshold(p, in_job))
		p->spent += soft_ns(p);
	else
		ask_kernel(p, in_job);
}

/* Returns microseconds per request. */
static double play(enum learns learns, unsigned in_jobs, unsigned engines, size_t len)
{
	struct process p = { .learns = learns, .in_jobs = in_jobs, .engines = engines, .len = len };
	uint32_t seed = 7;

	begin(&p);
	for (int i = 0; i < REQUESTS; i++) {
		seed = seed * 1103515245 + 12345;
		request(&p, (seed >> 16 & 1023) < p.in_jobs);
	}
	return (double)p.spent / REQUESTS / 1000;
}

static void print_rows(unsigned in_jobs, unsigned engines)
{
	printf("\nengines: %u; requests in jobs: %u %%; us per request\n"
	       "  bytes  two thresholds  that outside  that in jobs\n",
	       engines, in_jobs * 100 / 1024);
	for (size_t len = 1024; len <= 65536; len *= 2) {
		double two = play(TWO, in_jobs, engines, len);
		double outside = play(THAT_OUTSIDE, in_jobs, engines, len);
		double inside = play(THAT_IN_JOBS, in_jobs, engines, len);

		printf("%7zu %15.1f %7.1f %5.2f %7.1f %5.2f\n", len, two, outside, outside / two,
		       inside, inside / two);
	}
}

int main(void)
{
	static const unsigned engines[] = { 8, 2, 1 };

	puts("One threshold, learned outside or in jobs: time per request, and divided by that of two");
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		print_rows(1024, engines[i]);
		print_rows(512, engines[i]);
	}
	return 0;
}
