/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a text line by line, without stdio. Every process that fetches an algorithm reads a text
 * that the kernel makes; stdio would take longer to read it than the kernel to make it, and each of
 * its functions is one more that the loader looks up.
 */
#ifndef KC_DISCOVERY_LINES_H
#define KC_DISCOVERY_LINES_H

#include <stddef.h>

#define KC_LINE_SIZE 256 /* bytes; a longer line that comes in two pieces loses a part */

/* Gets each line as a string without its newline. @len: the length up to where the newline was. */
typedef void kc_line_fn(void *arg, const char *line, size_t len);

/*
 * Passes on the lines in @len bytes of any content. Moves what follows the last newline to the
 * beginning of @text, and returns its length: the caller appends the next bytes there.
 */
size_t kc_lines_feed(char *text, size_t len, kc_line_fn *take, void *arg);

/*
 * Reads a file, whose last line need not end in a newline. 0, or -errno, perhaps after some lines.
 */
int kc_lines_read(const char *path, kc_line_fn *take, void *arg);

#endif
