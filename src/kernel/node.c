/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/node.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/quiet.h"

int kc_node_open(const char *path, int how)
{
	int fd;

	do {
		fd = (int)syscall(SYS_openat, AT_FDCWD, path, how | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

/* Who needs the device opens it, and finds out whether it may. */
bool kc_node_exists(const struct kc_backend *backend, bool thoroughly)
{
	KC_KEEPS_ERRNO;
	int fd = kc_node_open(backend->names[0], O_PATH);

	(void)thoroughly;
	if (fd >= 0)
		kc_node_close(fd);
	return fd >= 0;
}

int kc_node_ask(int fd, unsigned long what, void *arg)
{
	long err;

	do {
		err = syscall(SYS_ioctl, fd, what, arg);
	} while (err < 0 && errno == EINTR);
	return err < 0 ? -errno : 0;
}

void kc_node_close(int fd)
{
	syscall(SYS_close, fd);
}
