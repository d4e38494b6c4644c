/* SPDX-License-Identifier: Apache-2.0 */
/* For kcrypto config fix alone: repairs, each of which ends a finding. */
#ifndef KC_CLI_CONFIG_REPAIR_H
#define KC_CLI_CONFIG_REPAIR_H

#include "cli/config/setup.h"

/* Changes planned texts so that this finding ends. False: there is no repair for it. */
bool kc_repair(struct kc_setup *setup, const struct kc_symptom *symptom);

/*
 * Adds what enable adds; only a few times, in case another repair removes it again. False: it
 * can't.
 */
bool kc_repair_absence(struct kc_setup *setup);

#endif
