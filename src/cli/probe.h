/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries the drivers that a policy chose, from a distance: a sick one can hang for ever, and nothing
 * in user space can leave such a call.
 */
#ifndef KC_CLI_PROBE_H
#define KC_CLI_PROBE_H

#include "policy/policy.h"

/*
 * Tries each candidate that is offered, in a child process. One that passes becomes KC_TRUSTED,
 * with its measured thresholds; one that fails is no longer offered, and has a reason. A driver
 * that does not answer is not tried again in any row. If there is no child to try it, a candidate
 * stays KC_UNTRIED.
 */
void kc_probe_run(struct kc_policy *policy);

#endif
