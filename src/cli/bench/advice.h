/* SPDX-License-Identifier: Apache-2.0 */
/* Conclusions from measured figures, and from nothing else. */
#ifndef KC_CLI_BENCH_ADVICE_H
#define KC_CLI_BENCH_ADVICE_H

#include "cli/bench/turns.h"

#define KC_BENCH_NOISY 0.25 /* turns that differ by more tell more about the machine than drivers */

struct kc_result {
	bool is_known;
	const char *why; /* it is not; NULL: no reason is known */
	double mb_per_s;
	double spread;		 /* between the quartiles of the turns, as a part of the median */
	double machine_s_per_gb; /* CPU seconds, of all processors and of the process alone */
	double process_s_per_gb;
	double kernel_share; /* of the bytes, 0 to 1, as counted by the module, or of kTLS */
	uint64_t requests;
};

enum { KC_BY_SOFTWARE, KC_BY_KCRYPTO, KC_BY_KTLS, KC_WAYS };

struct kc_advice {
	int best;   /* the way that takes the least of the machine's CPU time; -1: can't be told */
	double cpu; /* its CPU time and throughput, as parts of software's */
	double speed;
	const char *text, *command; /* a conclusion, and the command that follows from it, or "" */
};

/* Who should do a machine's TLS records? */
struct kc_advice kc_bench_advise(const struct kc_result results[KC_WAYS]);

#define KC_LEAST_PAIRS 3 /* of runs: fewer are no evidence */

/* Ratios of the pairs: time with kcrypto, divided by time without. */
struct kc_pairing {
	size_t n; /* pairs of runs */
	struct kc_quartiles wall, machine;
	uint64_t by_kernel; /* bytes */
	bool is_seen;	    /* a module of ours was loaded */
};

/* Is a command faster with kcrypto? A sentence. */
const char *kc_bench_judge(const struct kc_pairing *pairing);

#endif
