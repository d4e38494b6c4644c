/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a configuration file, one logical line after the other: what kind of line it is, and
 * where its bytes are. Whether a line is right is libcrypto's to say.
 */
#ifndef KC_CLI_CNF_LINES_H
#define KC_CLI_CNF_LINES_H

#include <stdbool.h>
#include <stddef.h>

#define KC_NAME_SIZE 128

enum kc_line_kind { KC_LINE_OTHER, KC_LINE_SECTION, KC_LINE_VALUE, KC_LINE_INCLUDE };

struct kc_line {
	enum kc_line_kind kind;
	const char *at;		    /* its first byte; a line goes on behind a backslash */
	size_t len;		    /* bytes, with the line's end */
	unsigned number, last;	    /* its first and its last line in the file, from 1 on */
	char section[KC_NAME_SIZE]; /* that it begins or stands in; long names are cut */
	char name[KC_NAME_SIZE];    /* of a value */
	const char *value; /* of a value, or the path of an include, as written, up to a '#' */
};

struct kc_lines {
	struct kc_line line; /* the current one */
	const char *next, *end;
	char *words; /* of the current one, without comments and continuations */
};

/* @section: the one before the first line; "default" at the start of all. False: no memory. */
bool kc_lines_open(struct kc_lines *lines, const char *text, size_t len, const char *section);

/* Steps to the next line; false behind the last. */
bool kc_lines_next(struct kc_lines *lines);

void kc_lines_close(struct kc_lines *lines);

#endif
