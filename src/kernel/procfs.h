/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's drivers as /proc/crypto lists them: readable by all, but without the flags. */
#ifndef KC_KERNEL_PROCFS_H
#define KC_KERNEL_PROCFS_H

#include "core/driver.h"

/* Room for "driver       : " and the longest name that the kernel has, 127 bytes. */
#define KC_PROCFS_LINE 160

/* A parser between two chunks. Zeroed but for @drivers before the first. */
struct kc_procfs {
	struct kc_drivers *drivers;	/* where complete records go */
	struct kc_driver record;
	bool is_skcipher, is_internal, is_untested, is_unfit;
	size_t line_len;		/* may exceed the room: the rest of that line was dropped */
	char line[KC_PROCFS_LINE];
};

/*
 * Takes the next @len bytes of the text, cut anywhere. A record counts once the empty line after
 * it was seen, so a text that breaks off never adds half a record.
 */
void kc_procfs_parse(struct kc_procfs *state, const char *chunk, size_t len);

/* Lists the drivers. 0 or -errno, then with a list that isn't complete. */
int kc_procfs_read(struct kc_drivers *drivers);

#endif
