/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's drivers as /proc/crypto lists them: readable by all, but without the flags. */
#ifndef KC_KERNEL_PROCFS_H
#define KC_KERNEL_PROCFS_H

#include <stdio.h>

#include "core/driver.h"

/*
 * Adds what the text @from lists, whatever it is. A record counts once the empty line after it
 * was seen, so a text that breaks off never adds half a record. 0 or -EIO.
 */
int kc_procfs_parse(struct kc_drivers *drivers, FILE *from);

/* Lists the drivers. 0 or -errno, then with a list that isn't complete. */
int kc_procfs_read(struct kc_drivers *drivers);

#endif
