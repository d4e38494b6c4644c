/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto tune. */
#ifndef KC_CLI_TUNE_TUNE_H
#define KC_CLI_TUNE_TUNE_H

#include "policy/policy.h"

/*
 * Is the file at @path valid here, with answers about exactly the drivers that the configuration
 * offers by name? Touches no driver.
 */
bool kc_tune_is_fresh(const struct kc_config *config, const char *path);

#endif
