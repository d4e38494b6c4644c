/* SPDX-License-Identifier: Apache-2.0 */
/* Puts planned files in place, each as a whole: at any moment it is the old one or the new one. */
#ifndef KC_CLI_CONFIG_APPLY_H
#define KC_CLI_CONFIG_APPLY_H

#include "cli/cnf/files.h"

/* Suffix of a file's name for a copy of it as it was before the first change. */
#define KC_BACKUP ".before-kcrypto"

#define KC_APPLY_ERROR (2 * PATH_MAX + 256)

/*
 * Writes all changes in order, each to a new file with the owner, mode and extended attributes of
 * the one that it replaces. If one fails, those before it are undone. 0, or -errno and the reason in
 * @error.
 */
int kc_apply(const struct kc_files *files, char error[KC_APPLY_ERROR]);

#endif
