/* SPDX-License-Identifier: Apache-2.0 */
/* Random messages by one driver and by software, compared, in a process of their own. */
#ifndef KC_CLI_SELFTEST_ROUNDS_H
#define KC_CLI_SELFTEST_ROUNDS_H

#include <stdint.h>

#include "policy/candidate.h"

#define KC_ROUNDS_SECONDS 60 /* for each message, which is a few requests */

struct kc_rounds {
	bool began;	    /* both sides were there */
	unsigned done;	    /* messages */
	unsigned wrong;	    /* of them, after which no more are tried */
	uint64_t requests;  /* that the kernel did */
	uint64_t seed;	    /* of the last message */
	bool has_no_answer; /* the driver hangs: whoever calls it would, too */
};

/* @n messages, from @seed on. The caller has called kc_counters_begin(). */
struct kc_rounds kc_rounds_run(const struct kc_candidate *c, unsigned n, uint64_t seed);

#endif
