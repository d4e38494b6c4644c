/* SPDX-License-Identifier: Apache-2.0 */
/* A line of openssl.cnf, as libcrypto joins and divides it. */
#ifndef KC_CLI_CNF_LINE_H
#define KC_CLI_CNF_LINE_H

struct kc_where {
	const char *file; /* its path inside the root; NULL: no place */
	unsigned line;	  /* counted from 1; 0: the file as a whole */
};

enum kc_line_kind {
	KC_LINE_OTHER,
	KC_LINE_SECTION,
	KC_LINE_VALUE,
	KC_LINE_INCLUDE,
	KC_LINE_PRAGMA
};

struct kc_line {
	enum kc_line_kind kind;
	struct kc_where where; /* its first line, if backslashes continue it */
	unsigned number;       /* in the whole text, counted from 1 */
	const char *section;   /* the section that it starts or is in */
	const char *name;      /* of a value */
	const char *value;     /* of a value or directive, as written, up to a '#' */
	char *words;
};

/*
 * Copies the line at @at, with those that continue it, to @words, joined as libcrypto joins them.
 * Returns the start of the next line. @n: gets the number of lines taken.
 */
const char *kc_line_join(char *words, const char *at, const char *end, unsigned *n);

/* Finds the kind, name and value of a line in its words, and drops its comment. */
void kc_line_split(struct kc_line *line);

#endif
