/* SPDX-License-Identifier: Apache-2.0 */
/* Who should do a machine's TLS records: a conclusion from results, and from nothing else. */
#ifndef KC_CLI_BENCH_ADVICE_H
#define KC_CLI_BENCH_ADVICE_H

#include "cli/bench/slice.h"

#define KC_BENCH_NOISY                                                                             \
	0.25 /* slices that differ by more tell more about the machine than drivers */

enum { KC_BY_SOFTWARE, KC_BY_KCRYPTO, KC_BY_KTLS, KC_WAYS };

struct kc_advice {
	int best;   /* the way that takes the least of the machine's CPU time; -1: can't be told */
	double cpu; /* its CPU time and throughput, as parts of software's */
	double speed;
	const char *text, *command; /* a conclusion, and the command that follows from it, or "" */
};

struct kc_advice kc_bench_advise(const struct kc_result results[KC_WAYS]);

#endif
