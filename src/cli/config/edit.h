/* SPDX-License-Identifier: Apache-2.0 */
/* For kcrypto config alone: changes of single lines in the texts of files. Lines count from 1. */
#ifndef KC_CLI_CONFIG_EDIT_H
#define KC_CLI_CONFIG_EDIT_H

#include "cli/cnf/files.h"

/* Replaces the text's bytes by these. */
void kc_text_set(struct kc_text *text, const char *at, size_t len);

/*
 * Returns a copy of the line without its end, which the caller frees; NULL: there is no such line.
 */
char *kc_text_line(const struct kc_text *text, unsigned line);

/* Replaces the line, with those that continue it after a backslash. */
void kc_text_replace(struct kc_text *text, unsigned line, const char *with);

/* Makes comments of the line and those that continue it. */
void kc_text_comment(struct kc_text *text, unsigned line);

/* Inserts a line at the start, after a byte order mark. */
void kc_text_prepend(struct kc_text *text, const char *line);

/* True if the first line ends as on Windows. */
bool kc_text_has_crlf(const struct kc_text *text);

/* Inserts lines after a line. @lines: the last one without its end. */
void kc_text_insert(struct kc_text *text, unsigned line, const char *lines);

/* Makes line ends of carriage returns, if there are no other line ends. False: there are. */
bool kc_text_break(struct kc_text *text);

/* Converts UTF-16 to UTF-8, or drops the zero bytes of any other text. False: there are none. */
bool kc_text_decode(struct kc_text *text);

/* Converts a word processor's quotes and blanks to ASCII. False: the line has none. */
bool kc_text_plain(char *line);

#endif
