/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's drivers as /proc/crypto lists them: readable by everyone, but without the flags. And
 * how to read such a text, line by line.
 */
#ifndef KC_KERNEL_PROCFS_H
#define KC_KERNEL_PROCFS_H

#include "core/driver.h"

#define KC_LINE_SIZE 256 /* bytes; longer lines are cut */

struct kc_lines;

/* Gets each line without its newline, not ended by a NUL. */
typedef void kc_lines_take(struct kc_lines *lines, const char *line, size_t len);

/* The first member of the structure that the function fills in. Initially zero but for @take. */
struct kc_lines {
	kc_lines_take *take;
	char line[KC_LINE_SIZE]; /* one that is not complete yet, */
	size_t len;		 /* and its bytes so far */
};

/* Takes the next @len bytes, of any content. */
void kc_lines_feed(struct kc_lines *lines, const char *text, size_t len);

/* Reads a file; its last line need not end in a newline. Returns 0, or -errno, even after lines. */
int kc_lines_read(struct kc_lines *lines, const char *path);

/* For kc_lines_feed(), with a text that arrives in pieces of any length. */
struct kc_procfs {
	struct kc_lines lines;
	struct kc_drivers *drivers; /* receives the drivers */
	struct kc_driver driver;    /* the record so far, and the next two */
	bool has_kind, is_tested, is_external;
	bool is_skipped; /* the list has no use for this name */
};

/*
 * A record counts once the empty line after it has been seen, so a truncated text never adds half a
 * record.
 */
void kc_procfs_begin(struct kc_procfs *p, struct kc_drivers *drivers);

/* Lists the drivers. Returns 0, or -errno with an incomplete list. */
int kc_procfs_read(struct kc_drivers *drivers);

#endif
