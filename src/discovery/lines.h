/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a text line by line. Not by stdio: every process that fetches an algorithm reads a text of
 * the kernel's, which stdio takes longer to read than the kernel to make, and each of its functions
 * is one more that the loader looks up.
 */
#ifndef KC_DISCOVERY_LINES_H
#define KC_DISCOVERY_LINES_H

#include <stdbool.h>
#include <stddef.h>

#define KC_LINE_SIZE 256 /* bytes; a longer line that comes in two pieces is cut */

struct kc_lines;

/* Gets each line without its newline, not ended by a NUL. */
typedef void kc_lines_take(struct kc_lines *lines, const char *line, size_t len);

/* The first member of the structure that the function fills in. Initially zero but for @take. */
struct kc_lines {
	kc_lines_take *take;
	bool skips;		 /* set by @take: it needs no line before the next empty one */
	char line[KC_LINE_SIZE]; /* one that is not complete yet, */
	size_t len;		 /* and its bytes so far */
};

/* Takes the next @len bytes, of any content. */
void kc_lines_feed(struct kc_lines *lines, const char *text, size_t len);

/* Reads a file; its last line need not end in a newline. Returns 0, or -errno, even after lines. */
int kc_lines_read(struct kc_lines *lines, const char *path);

#endif
