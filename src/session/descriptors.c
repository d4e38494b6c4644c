/* SPDX-License-Identifier: Apache-2.0 */
/* None of the calls here is a cancellation point. */
#include "session/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

/*
 * fstat() as one plain system call, because it precedes every request. libc's may be newfstatat()
 * with an empty path (glibc 2.33 to 2.38), which costs two and a half times as much. Used only
 * where the kernel's struct stat is known to be libc's; elsewhere libc's function is used.
 */
#if defined(SYS_fstat) &&                                                                          \
	((defined(__x86_64__) && defined(__LP64__)) ||                                             \
	 (defined(__aarch64__) && defined(__LP64__)) || (defined(__riscv) && __riscv_xlen == 64))
#define plain_fstat(fd, st) syscall(SYS_fstat, fd, st)
#else
#define plain_fstat fstat
#endif

int kc_identity_note(struct kc_session *session)
{
	struct stat st;

	if (plain_fstat(session->fd, &st) != 0)
		return -errno;
	session->dev = st.st_dev;
	session->ino = st.st_ino;
	return 0;
}

bool kc_identity_holds(const struct kc_session *session)
{
	struct stat st;

	return plain_fstat(session->fd, &st) == 0 && st.st_dev == session->dev &&
	       st.st_ino == session->ino;
}
