/* SPDX-License-Identifier: Apache-2.0 */
/* The files that kcrypto config fix changes, and their lines. */
#ifndef KC_CLI_CONFIG_LINES_H
#define KC_CLI_CONFIG_LINES_H

#include "cli/config/setup.h"

/* The texts on disk and the planned ones; of the same files, in the same order. */
extern struct kc_plan kc_lines_before, kc_lines_after;

/*
 * Returns the planned text of a file, to be changed; if there is no such file, a text without
 * bytes. NULL: too many files.
 */
struct kc_text *kc_planned_text(const struct kc_setup *setup, const char *path);

/* Returns the planned text of the file at a place; NULL: the place is in no file. */
struct kc_text *kc_lines_text_at(const struct kc_setup *setup, struct kc_where where);

/* The same for a line, which may be NULL. */
struct kc_text *kc_lines_text_of(const struct kc_setup *setup, const struct kc_line *line);

/* Returns the last line that gives @name a value in @section; NULL: there is none. */
const struct kc_line *kc_lines_find(const struct kc_setup *setup, const char *section,
				    const char *name);

/* Makes a comment of the line, which may be NULL. False: there is nothing to change. */
bool kc_lines_comment(const struct kc_setup *setup, const struct kc_line *line);

#endif
