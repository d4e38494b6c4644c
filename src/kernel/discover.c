// SPDX-License-Identifier: Apache-2.0
/*
 * Chooses between /proc/crypto and netlink. Knows neither's format.
 */
#include "kernel/discover.h"

#include <errno.h>
#include <pthread.h>

#include "kernel/netlink.h"
#include "kernel/procfs.h"
#include "kernel/sandbox.h"

static bool is_all_software(const struct kc_drivers *drivers)
{
	for (size_t i = 0; i < drivers->n; i++)
		if (kc_driver_nature(&drivers->v[i], 0) != KC_SOFTWARE)
			return false;
	return true;
}

/*
 * /proc/crypto first: a few reads, and nothing is loaded. Netlink would make a kernel without
 * crypto_user run modprobe, at the start of every process.
 */
static int discover(struct kc_drivers *drivers)
{
	int err = kc_procfs_read(drivers);
	struct kc_drivers told;

	if (!err && is_all_software(drivers))
		return 0;
	/* In a sandbox entered since we were loaded that socket may be death. */
	if (!kc_sandbox_as_noted() || kc_netlink_dump(&told) != 0)
		return err;
	*drivers = told;
	return 0;
}

int kc_discover(struct kc_drivers *drivers)
{
	int saved_errno = errno, cancel, err;

	/* Loading must not become a place where a thread can be cancelled, its descriptor open. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = discover(drivers);
	pthread_setcancelstate(cancel, &cancel);
	errno = saved_errno;
	return err;
}
