/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the lengths from which a driver pays, by timing its requests beside software's. For list
 * one quick pass, for tune several longer ones.
 */
#ifndef KC_CLI_ESTIMATE_H
#define KC_CLI_ESTIMATE_H

#include "core/base.h"
#include "policy/policy.h"

#define KC_NEVER_PAYS SIZE_MAX
#define KC_UNSETTLED  (SIZE_MAX - 1) /* no two passes agree: the machine is too busy */

#define KC_ESTIMATE_SIZES  6
#define KC_ESTIMATE_ROUNDS 3 /* slices of each size and side, at least */
#define KC_ESTIMATE_PASSES 5 /* at most; 2 if they agree */

/* Bytes, by enum kc_dir. [KC_PREFER_THROUGHPUT]: by the candidate's own clock. */
typedef size_t kc_thresholds[KC_PREFER_COUNT][2];

/*
 * After kc_trial_run(): sets the candidate's thresholds and price by its own clock. @slice_ns: how
 * long each side works at a time; with 0, a single request at a time, one pass, and no CPU time of
 * the machine. KC_OK, KC_SLOWER if software is faster at every size, or the reason why a request
 * failed.
 */
enum kc_reason kc_estimate_run(struct kc_candidate *candidate, const struct kc_base *base,
			       uint64_t slice_ns, kc_thresholds found);

#endif
