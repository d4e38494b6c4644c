/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's drivers as /proc/crypto lists them: readable by all, but without the flags. */
#ifndef KC_KERNEL_PROCFS_H
#define KC_KERNEL_PROCFS_H

#include "core/driver.h"

#define KC_PROCFS_LINE 256 /* bytes; the kernel's names have 127 at most */

/* A text in pieces of whatever length. All zeros but for the list: nothing was read yet. */
struct kc_procfs {
	struct kc_drivers *drivers; /* gets what the text lists */
	struct kc_driver driver;    /* the record so far, and the next three */
	bool has_kind, is_tested, is_external;
	char line[KC_PROCFS_LINE];
	size_t len; /* of that line, so far */
};

/*
 * Takes the next @len bytes, whatever they are. A record counts once the empty line after it was
 * seen, so a text that breaks off never adds half a record.
 */
void kc_procfs_parse(struct kc_procfs *p, const char *text, size_t len);

/* Lists the drivers. 0 or -errno, then with a list that isn't complete. */
int kc_procfs_read(struct kc_drivers *drivers);

#endif
