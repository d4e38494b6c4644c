// SPDX-License-Identifier: Apache-2.0
/* Chooses between /proc/crypto and netlink. Knows neither format. */
#include "discovery/discover.h"

#include <stdlib.h>

#include "core/quiet.h"
#include "discovery/netlink.h"
#include "discovery/procfs.h"
#include "core/backend.h"

static bool has_unknown(const struct kc_drivers *drivers)
{
	for (size_t i = 0; i < drivers->n; i++)
		if (drivers->v[i].nature == KC_UNKNOWN)
			return true;
	return false;
}

/* Under a seccomp filter, opening that socket may kill the process. */
static void ask_netlink(struct kc_drivers *drivers, int *err)
{
	struct kc_drivers *told = malloc(sizeof(*told));

	if (told)
		kc_drivers_init(told);
	if (told && kc_sandbox_permits() && kc_netlink_dump(told) == 0) {
		*drivers = *told;
		*err = 0;
	}
	free(told);
}

/*
 * /proc/crypto first: it takes a few reads and loads nothing. On a kernel without crypto_user,
 * netlink would make the kernel run modprobe, so it is asked only if a name alone does not tell a
 * driver's nature.
 */
static int discover(struct kc_drivers *drivers)
{
	int err = kc_procfs_read(drivers);

	if (err || has_unknown(drivers))
		ask_netlink(drivers, &err);
	return err;
}

int kc_discover(struct kc_drivers *drivers)
{
	/*
	 * Loading must not become a point where a thread can be cancelled while its descriptor is
	 * open.
	 */
	KC_QUIETLY;

	return discover(drivers);
}
