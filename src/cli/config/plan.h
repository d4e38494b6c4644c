/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps shared by the actions: edits of files, backups, and the end, where the plan is carried out.
 */
#ifndef KC_CLI_CONFIG_PLAN_H
#define KC_CLI_CONFIG_PLAN_H

#include "cli/config/setup.h"

/* Names the file of an error. Returns @err. */
int kc_plan_say(struct kc_setup *setup, const char *path, int err);

/*
 * Plans @after as the file's contents, and takes it over; plans a backup if there is none yet. 0 or
 * -errno.
 */
int kc_plan_file(struct kc_setup *setup, const char *path, struct kc_text after);

/* Plans an entry of UCI's. 0 or -errno. */
int kc_plan_uci(struct kc_setup *setup, const char *kind, const char *name, bool is_enabled);

/*
 * Plans all missing lines, and reads the result, which must lack none then. @keys: see wanted.h. 0
 * or -errno.
 */
int kc_plan_lines(struct kc_setup *setup, const char *keys);

/* Prints the plan as a diff, or carries it out. Returns an exit code. */
int kc_plan_finish(struct kc_setup *setup, bool is_on);

#endif
