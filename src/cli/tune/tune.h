/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto tune. */
#ifndef KC_CLI_TUNE_TUNE_H
#define KC_CLI_TUNE_TUNE_H

#include "policy/policy.h"

/*
 * Is the file at @path valid here, with answers about exactly the drivers that @policy offers by
 * name? @policy was loaded without a tune file, and gets this one's answers. Touches no driver.
 */
bool kc_tune_is_fresh(struct kc_policy *policy, const char *path, enum kc_prefer prefer);

#endif
