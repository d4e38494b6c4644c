/* SPDX-License-Identifier: Apache-2.0 */
/* Within kcrypto config: changes of single lines in the texts of files. Lines count from 1. */
#ifndef KC_CLI_CONFIG_EDIT_H
#define KC_CLI_CONFIG_EDIT_H

#include "cli/cnf/files.h"

/* Puts these bytes in place of the text's. */
void kc_text_set(struct kc_text *text, const char *at, size_t len);

/* A copy of the line without its end, which the caller frees; NULL: there is no such line. */
char *kc_text_line(const struct kc_text *text, unsigned line);

/* Replaces the line, with those that continue it after a backslash. */
void kc_text_replace(struct kc_text *text, unsigned line, const char *with);

/* Makes comments of the line and those that continue it. */
void kc_text_comment(struct kc_text *text, unsigned line);

/* Inserts a line at the start, behind a byte order mark. */
void kc_text_prepend(struct kc_text *text, const char *line);

/* Does its first line end as on Windows? */
bool kc_text_has_crlf(const struct kc_text *text);

/* Inserts lines, the last one without its end, behind a line. */
void kc_text_insert(struct kc_text *text, unsigned line, const char *lines);

/* Makes line ends of carriage returns, where there is no other. False: there are others. */
bool kc_text_break(struct kc_text *text);

/*
 * Makes UTF-8 of UTF-16, or drops the zero bytes of a text that is not that. False: it has none.
 */
bool kc_text_decode(struct kc_text *text);

/* Makes ASCII of a word processor's quotes and blanks. False: the line has none. */
bool kc_text_plain(char *line);

#endif
