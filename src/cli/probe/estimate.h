/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the lengths from which and to which a driver pays, by timing its requests and software's.
 * list makes one quick pass, tune several longer ones.
 */
#ifndef KC_CLI_PROBE_ESTIMATE_H
#define KC_CLI_PROBE_ESTIMATE_H

#include "cli/probe/passes.h"
#include "core/base.h"
#include "policy/policy.h"

#define KC_ESTIMATE_SIZES  KC_PASS_SIZES
#define KC_ESTIMATE_ROUNDS 3 /* slices of each size and side, at least */
#define KC_ESTIMATE_PASSES 5 /* at most; 2 if they agree */

/*
 * ns: the time of all slices of a pass and side that measuring the machine's CPU time needs: ten
 * ticks of that clock.
 */
#define KC_ESTIMATE_CPU_NS 100000000

/* Bytes, by enum kc_dir. */
struct kc_ranges {
	size_t threshold[KC_PREFER_COUNT][2]; /* [KC_PREFER_THROUGHPUT]: by the candidate's clock */
	size_t longest;	     /* by that clock; SIZE_MAX: any length pays, or none */
	struct kc_gain gain; /* of encryption */
};

/*
 * Sets the candidate's range and price by its own clock; call it after kc_trial_run(). @slice_ns:
 * how long each side works at a time; 0: one request at a time, one pass, and no CPU time of the
 * machine. Sizes whose requests take much longer than a slice are not measured: their times are
 * extrapolated. @until_ns: the time by the clock after which a driver whose requests take longer
 * than a slice is measured only as far as necessary; the rest is left unsettled. KC_OK, KC_SLOWER
 * if software is faster at every size, or the reason why a request failed.
 */
enum kc_reason kc_estimate_run(struct kc_candidate *candidate, const struct kc_base *base,
			       uint64_t slice_ns, uint64_t until_ns, struct kc_ranges *found);

#endif
