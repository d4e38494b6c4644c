/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver's first use in a process: known answers in every shape that requests have. Their times
 * give a first estimate of the length from which it is faster than software.
 */
#ifndef KC_OFFLOAD_TRIAL_H
#define KC_OFFLOAD_TRIAL_H

#include "core/base.h"
#include "policy/policy.h"

/*
 * Tries the driver of @candidate and sets its session_bytes and, if it learns, its thresholds.
 * KC_OK, or the reason why it can't be used. Blocks as long as the driver does.
 */
enum kc_reason kc_trial_run(struct kc_candidate *candidate, const struct kc_base *base);

/*
 * Asks for just one known answer, from a driver that kcrypto tune has tried. KC_OK, or the reason
 * why it can't be used.
 */
enum kc_reason kc_trial_again(struct kc_candidate *candidate, const struct kc_base *base);

/* Does one of these, once per process however many threads arrive; the others get KC_ON_TRIAL. */
enum kc_trust kc_trial(struct kc_candidate *candidate, const struct kc_base *base);

#endif
