/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's drivers with their flags, from crypto_user over netlink. On a kernel that has it
 * as a module the first socket makes the kernel load it: ask only if /proc/crypto isn't enough.
 */
#ifndef KC_KERNEL_NETLINK_H
#define KC_KERNEL_NETLINK_H

#include "core/driver.h"

/*
 * Lists the drivers. 0 or -errno, then with a list that isn't complete. Waits a second at most
 * for an answer.
 */
int kc_netlink_dump(struct kc_drivers *drivers);

/*
 * Takes one netlink message, at most @len bytes at @buf, of whatever content. 0: the next,
 * please; 1: it was the last; -errno.
 */
int kc_netlink_parse(struct kc_drivers *drivers, const void *buf, size_t len);

#endif
