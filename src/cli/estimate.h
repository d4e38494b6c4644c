/* SPDX-License-Identifier: Apache-2.0 */
/* What kcrypto list shows of a driver that no tune file speaks of: its thresholds, by measuring. */
#ifndef KC_CLI_ESTIMATE_H
#define KC_CLI_ESTIMATE_H

#include "core/base.h"
#include "policy/policy.h"

/*
 * After kc_trial_run() of a candidate that learns: sets its thresholds and speed. KC_OK, or
 * KC_SLOWER where software is faster at every size, or why a request could not be done.
 */
enum kc_reason kc_estimate_run(struct kc_candidate *candidate, const struct kc_base *base);

#endif
