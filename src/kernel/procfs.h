/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's drivers as /proc/crypto lists them: readable by everyone, but without the flags. */
#ifndef KC_KERNEL_PROCFS_H
#define KC_KERNEL_PROCFS_H

#include "core/driver.h"

#define KC_PROCFS_LINE 256 /* bytes; the kernel's names have at most 127 */

/* A text that arrives in pieces of any length. Initially zero except for the list. */
struct kc_procfs {
	struct kc_drivers *drivers; /* receives the drivers */
	struct kc_driver driver;    /* the record so far, and the next two */
	bool has_kind, is_tested, is_external;
	bool is_skipped; /* the list has no use for this name */
	char line[KC_PROCFS_LINE];
	size_t len; /* bytes of that line so far */
};

/*
 * Takes the next @len bytes, of any content. A record counts once the empty line after it has been
 * seen, so a truncated text never adds half a record.
 */
void kc_procfs_parse(struct kc_procfs *p, const char *text, size_t len);

/* Lists the drivers. Returns 0, or -errno with an incomplete list. */
int kc_procfs_read(struct kc_drivers *drivers);

#endif
