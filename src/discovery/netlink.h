/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's drivers with their flags, from crypto_user through netlink. If crypto_user is a
 * module, the first socket makes the kernel load it: ask only if /proc/crypto isn't enough.
 */
#ifndef KC_DISCOVERY_NETLINK_H
#define KC_DISCOVERY_NETLINK_H

#include <errno.h>

#include "core/driver.h"

#ifdef KC_WITHOUT_NETLINK
/* All drivers are those of /proc/crypto, and a name that tells nothing stays KC_UNKNOWN. */
static inline int kc_netlink_dump(struct kc_drivers *drivers)
{
	(void)drivers;
	return -EPROTONOSUPPORT;
}
#else
/* Lists the drivers. Returns 0, or -errno with an incomplete list. Never waits for long. */
int kc_netlink_dump(struct kc_drivers *drivers);
#endif

/* Adds the drivers, asking through a socket that exists already. */
int kc_netlink_ask(struct kc_drivers *drivers, int fd);

/*
 * Takes a datagram of any content, @len bytes at @buf (aligned to 4). 1: more follow; 0: that was
 * the last one; -EBADMSG: the kernel gave up, or this isn't a datagram of a dump.
 */
int kc_netlink_parse(struct kc_drivers *drivers, const void *buf, size_t len);

#endif
