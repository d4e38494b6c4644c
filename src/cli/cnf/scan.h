/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a configuration file, one logical line after another: the kind of each line, and its
 * bytes. libcrypto decides whether a line is right.
 */
#ifndef KC_CLI_CNF_SCAN_H
#define KC_CLI_CNF_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#define KC_NAME_SIZE 128

enum kc_line_kind { KC_LINE_OTHER, KC_LINE_SECTION, KC_LINE_VALUE, KC_LINE_INCLUDE };

struct kc_line {
	enum kc_line_kind kind;
	const char *at;		    /* its first byte; a line continues after a backslash */
	size_t len;		    /* bytes, including the line's end */
	unsigned number, last;	    /* its first and last line in the file, counted from 1 */
	char section[KC_NAME_SIZE]; /* the one it starts or is in; long names are cut */
	char name[KC_NAME_SIZE];    /* of a value */
	const char *value; /* of a value, or the path of an include, as written, up to a '#' */
};

struct kc_scan {
	struct kc_line line; /* the current one */
	const char *next, *end;
	char *words; /* of the current one, without comments and continuations */
};

/* @section: the section before the first line; "default" at the very start. False: no memory. */
bool kc_scan_open(struct kc_scan *scan, const char *text, size_t len, const char *section);

/* Steps to the next line; false after the last one. */
bool kc_scan_next(struct kc_scan *scan);

void kc_scan_close(struct kc_scan *scan);

#endif
