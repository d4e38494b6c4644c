/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out which drivers the kernel has, by the cheapest means that answers the question. */
#ifndef KC_DISCOVERY_DISCOVER_H
#define KC_DISCOVERY_DISCOVER_H

#include "core/driver.h"

/*
 * Lists the kernel's drivers. Binds nothing, loads no driver, preserves errno and leaves nothing
 * open. Returns 0, or -errno with an incomplete list.
 */
int kc_discover(struct kc_drivers *drivers);

#endif
