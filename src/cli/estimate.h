/* SPDX-License-Identifier: Apache-2.0 */
/* For kcrypto list: measures the thresholds of a driver that is not in the tune file. */
#ifndef KC_CLI_ESTIMATE_H
#define KC_CLI_ESTIMATE_H

#include "core/base.h"
#include "policy/policy.h"

/*
 * After kc_trial_run() of a candidate that learns: sets its thresholds and speed. KC_OK, KC_SLOWER
 * if software is faster at every size, or the reason why a request failed.
 */
enum kc_reason kc_estimate_run(struct kc_candidate *candidate, const struct kc_base *base);

#endif
