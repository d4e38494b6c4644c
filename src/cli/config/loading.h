/* SPDX-License-Identifier: Apache-2.0 */
/* Makes libcrypto load a configuration in a child process, as a program would. */
#ifndef KC_CLI_CONFIG_LOADING_H
#define KC_CLI_CONFIG_LOADING_H

#include "cli/cnf/cnf.h"

#define KC_WHY_SIZE 640

/*
 * Loads @cnf, which may only be planned. @is_on: kcrypto must be loaded, too. NULL, or in @why the
 * reason why programs would fail with it.
 */
const char *kc_load(const struct kc_cnf *cnf, bool is_on, char why[KC_WHY_SIZE]);

#endif
