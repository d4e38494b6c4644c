/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's drivers from /proc/crypto, which everyone may read and which loads nothing.
 * crypto_user would also tell KERN_DRIVER_ONLY; but all drivers with this flag in Linux 5.10 to 7.3
 * are asynchronous, which the list tells, or known by name.
 */
#ifndef KC_DISCOVERY_PROCFS_H
#define KC_DISCOVERY_PROCFS_H

#include "core/driver.h"
#include "discovery/lines.h"

/* A list while it is being read. */
struct kc_procfs {
	struct kc_drivers *drivers; /* gets the drivers */
	struct kc_driver driver;    /* the record so far */
	bool is_tested, is_external;
	bool skips; /* the rest of the record is of no use */
};

/*
 * begin: starts a list. take: gets the next line. A record counts once the empty line after it has
 * been seen, so a truncated text never adds half a record.
 */
void kc_procfs_begin(struct kc_procfs *p, struct kc_drivers *drivers);
kc_line_fn kc_procfs_take;

/*
 * Lists the kernel's drivers. Preserves errno and leaves nothing open. 0, or -errno with an
 * incomplete list.
 */
int kc_procfs_read(struct kc_drivers *drivers);

#endif
