/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver's first use in a process: known answers in every shape that requests have. Their times
 * give the candidate's first terms.
 */
#ifndef KC_OFFLOAD_TRIAL_H
#define KC_OFFLOAD_TRIAL_H

#include "core/base.h"
#include "policy/policy.h"

/*
 * Tries the driver of @candidate, and sets its terms; if kcrypto tune has set them, asks only one
 * question. KC_OK, or the reason why the driver can't be used. Blocks as long as the driver does.
 */
enum kc_reason kc_trial_run(struct kc_candidate *candidate, const struct kc_base *base);

/*
 * one: has the candidate tried, once per process however many threads arrive; the others get
 * KC_ON_TRIAL meanwhile. kc_trial() then also tries the candidates that reach other hardware, to
 * compare their prices. Both return the trust in @candidate.
 */
enum kc_trust kc_trial_one(struct kc_candidate *candidate, const struct kc_base *base);
enum kc_trust kc_trial(struct kc_candidate *candidate, const struct kc_base *base);

#endif
