/* SPDX-License-Identifier: Apache-2.0 */
/* None of the calls here is a cancellation point. */
#include "kernel/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/process.h"

#define SHARE 4

bool kc_descriptors_left(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	       atomic_load(kc_process_sessions()) <= limit.rlim_cur / SHARE;
}

int kc_descriptor_of_ours(int fd)
{
	int moved;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (moved < 0)
		moved = -errno;
	syscall(SYS_close, fd);
	return moved;
}
