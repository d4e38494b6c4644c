/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ptrace() for User-Mode Linux. Older versions of UML set an area of fixed size as a process's
 * vector registers, and the host refuses an area that is smaller than its own state, which is
 * larger if the CPU has AMX: "ptrace set fp regs failed, errno = 14". This function copies such an
 * area over the whole state, and sets that. If the host accepts the area, nothing changes.
 * Preloaded by tests/vm/uml.
 */
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* One thread uses it at a time, whose stack may be small. */
static char whole[1 << 16];

/* The kernel stores a word that is read, and the C library returns it. */
static long host(long request, long pid, void *addr, void *data)
{
	long word, ret;

	if (request < PTRACE_PEEKTEXT || request > PTRACE_PEEKUSER)
		return syscall(SYS_ptrace, request, pid, addr, data);
	ret = syscall(SYS_ptrace, request, pid, addr, &word);
	if (ret < 0)
		return ret;
	errno = 0;
	return word;
}

static void tell(size_t part, size_t size)
{
	static int told;

	if (!told++)
		dprintf(STDERR_FILENO,
			"kcrypto: tests/vm/xstate.c: vector registers of %zu bytes are filled up to "
			"the %zu that this host wants\n",
			part, size);
}

static long set_whole(long pid, void *type, const struct iovec *part)
{
	struct iovec all = { .iov_base = whole, .iov_len = sizeof(whole) };

	if (host(PTRACE_GETREGSET, pid, type, &all) < 0)
		return -1;
	if (all.iov_len <= part->iov_len) {
		errno = EFAULT;
		return -1;
	}
	memcpy(whole, part->iov_base, part->iov_len);
	tell(part->iov_len, all.iov_len);
	return host(PTRACE_SETREGSET, pid, type, &all);
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list ap;
	long pid, ret;
	void *addr, *data;

	va_start(ap, request);
	pid = va_arg(ap, pid_t);
	addr = va_arg(ap, void *);
	data = va_arg(ap, void *);
	va_end(ap);
	ret = host(request, pid, addr, data);
	if (ret < 0 && errno == EFAULT && request == PTRACE_SETREGSET &&
	    (long)addr == NT_X86_XSTATE)
		return set_whole(pid, addr, data);
	return ret;
}
