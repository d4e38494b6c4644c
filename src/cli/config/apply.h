/* SPDX-License-Identifier: Apache-2.0 */
/* Puts planned files in place, each as a whole: it is the old one or the new one at any moment. */
#ifndef KC_CLI_CONFIG_APPLY_H
#define KC_CLI_CONFIG_APPLY_H

#include "cli/cnf/files.h"

/* Behind the name of a file: a copy of it as it was before the first change. */
#define KC_BACKUP ".before-kcrypto"

#define KC_APPLY_ERROR (2 * PATH_MAX + 256)

/*
 * Writes all changes in their order, each to a file beside, with the owner, mode and label of the
 * one whose place it takes. Where one fails those before it are taken back. 0, or -errno and why
 * in @error.
 */
int kc_apply(const struct kc_files *files, char error[KC_APPLY_ERROR]);

#endif
