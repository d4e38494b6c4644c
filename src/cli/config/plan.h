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

/*
 * Reads the file that has @suffix behind the name of @path, but follows no link there; @name gets
 * its path. 0 or -errno; -ENOENT: there is none.
 */
int kc_plan_read_beside(struct kc_setup *setup, const char *path, const char *suffix,
			char name[PATH_MAX], struct kc_text *text);

/* Plans all missing lines, and reads the result, which must lack none then. 0 or -errno. */
int kc_plan_lines(struct kc_setup *setup);

/*
 * Prints the lines that the plan adds and removes, or carries it out. A result that turns kcrypto
 * on must not be broken. Returns an exit code.
 */
int kc_plan_finish(struct kc_setup *setup, bool is_on);

#endif
