/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded: answers the system calls of kcrypto doctor in the kernel's place. SAYS_SOCKET,
 * SAYS_BIND and SAYS_DEVICE are errnos, 0 for success.
 */
#undef _FILE_OFFSET_BITS /* both names of open() are defined here */
#undef _TIME_BITS
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(default)

static int answer(const char *said)
{
	errno = atoi(said);
	return errno ? -1 : (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
}

int socket(int domain, int type, int protocol)
{
	const char *said = domain == 38 ? getenv("SAYS_SOCKET") : NULL;

	return said ? answer(said) : (int)syscall(SYS_socket, domain, type, protocol);
}

int bind(int fd, const struct sockaddr *address, socklen_t len)
{
	const char *said = getenv("SAYS_BIND");

	if (!said)
		return (int)syscall(SYS_bind, fd, address, len);
	errno = atoi(said);
	return errno ? -1 : 0;
}

static int open_it(const char *path, int how, int mode)
{
	const char *said = getenv("SAYS_DEVICE"), *end = strstr(path, "/dev/");

	if (said && end && (!strcmp(end, "/dev/crypto") || !strcmp(end, "/dev/kcrypto")))
		return answer(said);
	return (int)syscall(SYS_openat, AT_FDCWD, path, how, mode);
}

int open(const char *path, int how, ...)
{
	return open_it(path, how, 0600);
}

int open64(const char *path, int how, ...)
{
	return open_it(path, how, 0600);
}
