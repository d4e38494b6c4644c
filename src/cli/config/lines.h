/* SPDX-License-Identifier: Apache-2.0 */
/* The files that kcrypto config fix changes, and lines of them. */
#ifndef KC_CLI_CONFIG_LINES_H
#define KC_CLI_CONFIG_LINES_H

#include "cli/config/setup.h"

/* The texts as they are on disk, and as they will be; of the same files. */
extern struct kc_plan kc_lines_before, kc_lines_after;

/*
 * The text that a file will have, to be changed; of one that is not there, without bytes. NULL: too
 * many files.
 */
struct kc_text *kc_planned_text(const struct kc_setup *setup, const char *path);

/* The planned text of a place in a file that has lines; NULL: it is in none. */
struct kc_text *kc_lines_text_at(const struct kc_setup *setup, struct kc_where where);

/* The same of a line, which may be NULL. */
struct kc_text *kc_lines_text_of(const struct kc_setup *setup, const struct kc_line *line);

/* The last line that gives @name a value in @section; NULL: there is none. */
const struct kc_line *kc_lines_find(const struct kc_setup *setup, const char *section,
				    const char *name);

/* Makes the line a comment. False: there is none to change. @line: or NULL. */
bool kc_lines_comment(const struct kc_setup *setup, const struct kc_line *line);

#endif
