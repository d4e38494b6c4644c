/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries the drivers that a policy chose, at a distance: a sick one can hang for ever, and nothing
 * in user space can leave such a call.
 */
#ifndef KC_CLI_PROBE_H
#define KC_CLI_PROBE_H

#include "policy/policy.h"

#define KC_PROBE_SECONDS 10 /* for each driver */

/*
 * Tries each row that is offered, in a child process. A row that passes becomes KC_TRUSTED with
 * its measured thresholds; one that does not is no longer offered and says why. A driver that does
 * not answer is left alone in all its rows. One that there was no child for stays KC_UNTRIED.
 */
void kc_probe_run(struct kc_policy *policy);

#endif
