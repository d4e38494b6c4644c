/* SPDX-License-Identifier: Apache-2.0 */
/* Recognizes a session's descriptor at the cost of one system call. */
#include "session/identity.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * fstat() as one plain system call, because it precedes every request. libc's may be newfstatat()
 * with an empty path (glibc 2.33 to 2.38), which costs two and a half times as much. Used only
 * where the kernel's struct stat is known to be libc's.
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

bool kc_identity_is_same(const struct kc_session *session)
{
	struct stat st;

	if (plain_fstat(session->fd, &st) != 0)
		return false;
	return st.st_dev == session->dev && st.st_ino == session->ino;
}
