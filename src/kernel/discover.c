// SPDX-License-Identifier: Apache-2.0
/*
 * Chooses between /proc/crypto and netlink. Knows neither's format.
 */
#include "kernel/discover.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "kernel/netlink.h"
#include "kernel/procfs.h"
#include "kernel/sandbox.h"

static bool has_unknown(const struct kc_drivers *drivers)
{
	for (size_t i = 0; i < drivers->n; i++)
		if (drivers->v[i].nature == KC_UNKNOWN)
			return true;
	return false;
}

/* In a seccomp filter that socket may be death. */
static void ask_netlink(struct kc_drivers *drivers, int *err)
{
	struct kc_drivers *told = malloc(sizeof(*told));

	if (told && kc_sandbox_permits() && kc_netlink_dump(told) == 0) {
		*drivers = *told;
		*err = 0;
	}
	free(told);
}

/*
 * /proc/crypto first: a few reads, and nothing is loaded. Netlink would make a kernel without
 * crypto_user run modprobe, so it is asked only where a name alone does not tell what its driver
 * is.
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
	int saved_errno = errno, cancel, err;

	/* Loading must not become a place where a thread can be cancelled, its descriptor open. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = discover(drivers);
	pthread_setcancelstate(cancel, &cancel);
	errno = saved_errno;
	return err;
}
