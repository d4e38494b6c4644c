/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's drivers with their flags, from crypto_user over netlink. On a kernel that has it
 * as a module the first socket makes the kernel load it: ask only if /proc/crypto isn't enough.
 */
#ifndef KC_KERNEL_NETLINK_H
#define KC_KERNEL_NETLINK_H

#include "core/driver.h"

/* Lists the drivers. 0 or -errno, then with a list that isn't complete. Never waits for long. */
int kc_netlink_dump(struct kc_drivers *drivers);

/* Adds them, asking by a socket that is there already. */
int kc_netlink_ask(struct kc_drivers *drivers, int fd);

/*
 * Takes a datagram, @len bytes at @buf (aligned to 4) of whatever content. 1: there is more to
 * come; 0: that was the last; -EBADMSG: the kernel gave up, or it isn't a datagram of a dump.
 */
int kc_netlink_parse(struct kc_drivers *drivers, const void *buf, size_t len);

#endif
