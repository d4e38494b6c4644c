/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a text line by line. Not by stdio: every process that fetches an algorithm reads a text of
 * the kernel's, which stdio takes longer to read than the kernel to make, and each of its functions
 * is one more that the loader looks up.
 */
#ifndef KC_DISCOVERY_LINES_H
#define KC_DISCOVERY_LINES_H

#include <stddef.h>

#define KC_LINE_SIZE 256 /* bytes; a longer line that comes in two pieces lacks a part */

/* Gets each line without its newline, as a string; @len: up to where the newline was. */
typedef void kc_line_fn(void *arg, const char *line, size_t len);

/*
 * Takes the lines in @len bytes of any content. Returns the length of what follows the last
 * newline, which it moves to the beginning of @text: the next bytes belong behind it.
 */
size_t kc_lines_feed(char *text, size_t len, kc_line_fn *take, void *arg);

/* Reads a file; its last line need not end in a newline. Returns 0, or -errno, even after lines. */
int kc_lines_read(const char *path, kc_line_fn *take, void *arg);

#endif
