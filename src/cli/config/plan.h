/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that the actions share: edits of files, backups, and the end, where the plan is done. */
#ifndef KC_CLI_CONFIG_PLAN_H
#define KC_CLI_CONFIG_PLAN_H

#include "cli/config/setup.h"

/* Says which file an error is about. Returns @err. */
int kc_plan_say(struct kc_setup *setup, const char *path, int err);

/* Plans @after for the file, which it takes, and a backup if there is none yet. 0 or -errno. */
int kc_plan_file(struct kc_setup *setup, const char *path, struct kc_text after);

/* Plans an entry of UCI's. 0 or -errno. */
int kc_plan_uci(struct kc_setup *setup, const char *kind, const char *name, bool is_enabled);

/*
 * Plans all lines that are missing, and reads the result, which has to lack none then. @keys: see
 * wanted.h. 0 or -errno.
 */
int kc_plan_lines(struct kc_setup *setup, const char *keys);

/* Prints the plan as a diff, or carries it out. Returns an exit code. */
int kc_plan_finish(struct kc_setup *setup, bool is_on);

#endif
