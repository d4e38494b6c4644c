// SPDX-License-Identifier: Apache-2.0
/* See someone.h. */
#define _GNU_SOURCE
#include "someone.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"

#define CGROUPS "/run/kcrypto-cgroups"

/* The cgroup has as little memory as a few sessions take: allocations beyond it fail, or kill. */
void someone_prepare(void)
{
	mkdir(CGROUPS, 0755);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL) && errno != EBUSY)
		printf("# no memory cgroups: %s\n", strerror(errno));
	write_to(CGROUPS "/cgroup.subtree_control", "+memory");
	mkdir(CGROUPS "/few", 0755);
	write_to(CGROUPS "/few/memory.max", "6000000");
}

void someone_be(unsigned number)
{
	uid_t uid = 1000 + number % 2;

	if (number % 4 == 0)
		write_to(CGROUPS "/few/cgroup.procs", "0");
	if (number % 3 == 0)
		return;
	if (setgid(uid) || setuid(uid))
		_exit(1);
	if (number % 5 < 2 && unshare(CLONE_NEWUSER))
		printf("# no namespace: %s\n", strerror(errno));
}
