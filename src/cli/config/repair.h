/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto config fix: what ends a finding. */
#ifndef KC_CLI_CONFIG_REPAIR_H
#define KC_CLI_CONFIG_REPAIR_H

#include "cli/config/setup.h"

/* Changes planned texts so that this finding ends. False: nobody knows how. */
bool kc_repair(struct kc_setup *setup, const struct kc_symptom *symptom);

/* Adds what enable adds; not for ever, where a repair takes it away again. False: it cannot. */
bool kc_repair_absence(struct kc_setup *setup);

#endif
