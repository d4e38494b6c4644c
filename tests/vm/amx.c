/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests/vm/test: to the program that preloads this, the host seems to have a CPU with AMX. A
 * process's vector registers have 11,008 bytes, and the host accepts no smaller part of them.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define STATE 11008

static bool is_part(long request, long type, const struct iovec *v)
{
	return request == PTRACE_SETREGSET && type == NT_X86_XSTATE && v->iov_len < STATE;
}

/* @room: size of the caller's memory. The real host filled as much as it has. */
static void enlarge(struct iovec *v, size_t room)
{
	size_t size = room < STATE ? room : STATE;

	memset((char *)v->iov_base + v->iov_len, 0, size - v->iov_len);
	v->iov_len = size;
}

/* @call: the C library's ptrace or syscall, with @n arguments. */
static long played(long (*call)(long, ...), const long *arg, int n)
{
	const long *a = arg + n - 4;
	struct iovec *v = (struct iovec *)a[3];
	size_t room;
	long ret;

	if (is_part(a[0], a[2], v)) {
		errno = EFAULT;
		return -1;
	}
	if (a[0] != PTRACE_GETREGSET || a[2] != NT_X86_XSTATE)
		return call(arg[0], arg[1], arg[2], arg[3], arg[4]);
	room = v->iov_len;
	ret = call(arg[0], arg[1], arg[2], arg[3], arg[4]);
	if (ret == 0)
		enlarge(v, room);
	return ret;
}

long ptrace(enum __ptrace_request request, ...)
{
	long arg[5] = { request };
	va_list ap;

	va_start(ap, request);
	for (int i = 1; i < 4; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	return played((long (*)(long, ...))dlsym(RTLD_NEXT, "ptrace"), arg, 4);
}

long syscall(long number, ...)
{
	long (*call)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long arg[7] = { number };
	va_list ap;

	va_start(ap, number);
	for (int i = 1; i < 7; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_ptrace)
		return played(call, arg, 5);
	return call(arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], arg[6]);
}
