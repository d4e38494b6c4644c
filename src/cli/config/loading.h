/* SPDX-License-Identifier: Apache-2.0 */
/* Has libcrypto load a configuration in a child process, as a program would. */
#ifndef KC_CLI_CONFIG_LOADING_H
#define KC_CLI_CONFIG_LOADING_H

#include "cli/cnf/cnf.h"

#define KC_WHY_SIZE 640

/*
 * Loads @cnf, which is possibly only planned. @is_on: kcrypto has to be loaded, too. NULL, or why
 * programs would fail with it, in @why.
 */
const char *kc_load(const struct kc_cnf *cnf, bool is_on, char why[KC_WHY_SIZE]);

#endif
