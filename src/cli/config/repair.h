/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto config fix: what ends a finding. */
#ifndef KC_CLI_CONFIG_REPAIR_H
#define KC_CLI_CONFIG_REPAIR_H

#include "cli/config/config.h"

/*
 * The text that a file will have, to be changed; of one that is not there, without bytes. NULL: too
 * many files. In fix.c.
 */
struct kc_text *kc_planned_text(const struct kc_setup *setup, const char *path);

/* Changes planned texts so that this finding ends. False: nobody knows how. */
bool kc_repair(struct kc_setup *setup, const struct kc_symptom *symptom);

#endif
