/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the lengths from which and to which a driver pays, by timing its requests beside
 * software's. For list one quick pass, for tune several longer ones.
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
 * The slices of a pass and side that the clock of the machine's CPU time needs, together: ten of
 * its ticks.
 */
#define KC_ESTIMATE_CPU_NS 100000000

/* Bytes, by enum kc_dir. */
struct kc_ranges {
	size_t threshold[KC_PREFER_COUNT][2]; /* [KC_PREFER_THROUGHPUT]: by the candidate's clock */
	size_t longest;	     /* by that clock; SIZE_MAX: requests of any length pay, or none */
	struct kc_gain gain; /* encrypting */
};

/*
 * After kc_trial_run(): sets the candidate's range and price by its own clock. @slice_ns: how long
 * each side works at a time; with 0, a single request at a time, one pass, and no CPU time of the
 * machine. Sizes whose requests take much longer than a slice are not measured: what the driver
 * takes for them follows from shorter ones. @until_ns: of the clock, when a driver whose requests
 * take longer than a slice is measured no more than it must, and what that can't tell is left
 * unsettled. KC_OK, KC_SLOWER if software is faster at every size, or the reason why a request
 * failed.
 */
enum kc_reason kc_estimate_run(struct kc_candidate *candidate, const struct kc_base *base,
			       uint64_t slice_ns, uint64_t until_ns, struct kc_ranges *found);

#endif
