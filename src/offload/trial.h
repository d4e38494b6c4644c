/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver's first use in a process: known answers in every shape that requests come in, and by
 * their times a first guess from which length on it is faster than software.
 */
#ifndef KC_OFFLOAD_TRIAL_H
#define KC_OFFLOAD_TRIAL_H

#include "core/base.h"
#include "policy/policy.h"

/*
 * Tries the driver of @candidate and sets its session_bytes and, where it learns, its thresholds.
 * KC_OK or why it can't be used. Blocks as long as the driver does.
 */
enum kc_reason kc_trial_run(struct kc_candidate *candidate, const struct kc_base *base);

/* A known answer only, of a driver that kcrypto tune has tried. KC_OK or why it can't be used. */
enum kc_reason kc_trial_again(struct kc_candidate *candidate, const struct kc_base *base);

/* Either, once per process whatever number of threads come; the others are told KC_ON_TRIAL. */
enum kc_trust kc_trial(struct kc_candidate *candidate, const struct kc_base *base);

#endif
