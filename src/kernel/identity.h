/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fstat() as one plain system call, for the check before each request. libc's may be newfstatat
 * with an empty path (glibc 2.33 to 2.38), which costs two and a half times as much. Only where
 * the kernel's struct stat is known to be libc's; elsewhere libc's function.
 */
#ifndef KC_KERNEL_IDENTITY_H
#define KC_KERNEL_IDENTITY_H

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(SYS_fstat) &&                                                                          \
	((defined(__x86_64__) && defined(__LP64__)) ||                                             \
	 (defined(__aarch64__) && defined(__LP64__)) || (defined(__riscv) && __riscv_xlen == 64))
static inline int kc_fstat(int fd, struct stat *st)
{
	return (int)syscall(SYS_fstat, fd, st);
}
#else
static inline int kc_fstat(int fd, struct stat *st)
{
	return fstat(fd, st);
}
#endif

#endif
