/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out which drivers the kernel has, in the cheapest way that answers the question. */
#ifndef KC_KERNEL_DISCOVER_H
#define KC_KERNEL_DISCOVER_H

#include "core/driver.h"

/*
 * Lists the kernel's drivers. Binds nothing, loads no driver, leaves errno alone and nothing
 * open. 0 or -errno, then with a list that isn't complete.
 */
int kc_discover(struct kc_drivers *drivers);

#endif
