/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/node.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/quiet.h"

int kc_node_open(const char *path, int how)
{
	long fd;

	do {
		fd = kc_or_errno(syscall(SYS_openat, AT_FDCWD, path, how | O_CLOEXEC));
	} while (fd == -EINTR);
	return (int)fd;
}

/* Checks existence only; open() checks permission. */
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
	if (syscall(SYS_ioctl, fd, what, arg) >= 0)
		return 0;
	return kc_node_ask_again(fd, what, arg);
}

__attribute__((cold, noinline)) int kc_node_ask_again(int fd, unsigned long what, void *arg)
{
	while (errno == EINTR)
		if (syscall(SYS_ioctl, fd, what, arg) >= 0)
			return 0;
	return -errno;
}

void kc_node_close(int fd)
{
	syscall(SYS_close, fd);
}
