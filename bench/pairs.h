/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paired measurement within a process, for differences of a few nanoseconds: two functions take
 * turns in short slices. And two such functions: a request through EVP, and a bare loop's request.
 */
#ifndef KC_BENCH_PAIRS_H
#define KC_BENCH_PAIRS_H

#include <openssl/evp.h>

#include "raw.h"

/* One call of the measured function. Returns 1 or 0. */
typedef int pairs_fn(void *arg);

struct pairs {
	double ratio;	   /* time of B divided by that of A, median over the rounds */
	double a_ns, b_ns; /* per call, medians, like the next */
	double adds_ns;	   /* B's time minus A's */
};

/* Measures the pair. @slice_us: the time of each side's turn. Exits if a call fails. */
struct pairs pairs_measure(pairs_fn *a, void *a_arg, pairs_fn *b, void *b_arg, unsigned rounds,
			   unsigned slice_us);

#define JOB_LARGEST 65536
#define JOB_SIZES   4

extern const size_t job_sizes[JOB_SIZES]; /* bytes of the requests that are compared */

struct job {
	EVP_CIPHER_CTX *ctx;
	const struct raw *raw;
	size_t len;
	int encrypt, in_place;
};

/* job_run() does @len bytes through EVP, job_run_raw() by the bare loop. Return 1 or 0. */
int job_run(void *job);
int job_run_raw(void *job);

/* Compares the bare loop's requests of @len bytes with those of @ctx, after a warm-up. */
struct pairs job_compare(EVP_CIPHER_CTX *ctx, const struct raw *raw, size_t len, int in_place,
			 unsigned rounds);

/* Does requests of each size, until kcrypto learns no more. */
void job_settle(EVP_CIPHER_CTX *ctx, const struct raw *raw);

/*
 * SWITCH names a file of /sys that makes a driver do nothing. kcrypto notices wrong answers in the
 * first requests of each length, so call this only after those.
 */
void flip_switch(void);

/* Unless @ok, prints @what failed, with OpenSSL's errors, and exits. */
void must(int ok, const char *what);

#endif
