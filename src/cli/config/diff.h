/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KC_CLI_CONFIG_DIFF_H
#define KC_CLI_CONFIG_DIFF_H

#include "cli/cnf/files.h"

/* Prints a change as a unified diff for patch(1); nothing if the texts are equal. */
void kc_diff_print(const char *path, const struct kc_text *before, const struct kc_text *after);

#endif
