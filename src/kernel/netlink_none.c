// SPDX-License-Identifier: Apache-2.0
/*
 * Takes the place of netlink.c in a build with -Dnetlink=disabled: the drivers of /proc/crypto are
 * all there are, and a name that tells nothing stays KC_UNKNOWN.
 */
#include "kernel/netlink.h"

#include <errno.h>

int kc_netlink_dump(struct kc_drivers *drivers)
{
	kc_drivers_empty(drivers);
	return -EPROTONOSUPPORT;
}
