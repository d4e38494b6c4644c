/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that Debian's libcrypto and libcmocka need from glibc and musl does not have, so that a
 * build with musl can be tested with them: checked variants, which check nothing here, and the
 * contexts of OpenSSL's asynchronous jobs, which nothing starts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <ucontext.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int __vfprintf_chk(FILE *file, int flag, const char *format, va_list args);
EXPORTED int __fprintf_chk(FILE *file, int flag, const char *format, ...);
EXPORTED int __printf_chk(int flag, const char *format, ...);
EXPORTED int __vsnprintf_chk(char *buf, size_t n, int flag, size_t size, const char *format,
			     va_list args);
EXPORTED int __snprintf_chk(char *buf, size_t n, int flag, size_t size, const char *format, ...);
EXPORTED void __syslog_chk(int priority, int flag, const char *format, ...);
EXPORTED void *__memcpy_chk(void *to, const void *from, size_t n, size_t size);
EXPORTED void *__memset_chk(void *to, int c, size_t n, size_t size);
EXPORTED char *__strcat_chk(char *to, const char *from, size_t size);
EXPORTED long __fdelt_chk(long fd);
EXPORTED _Noreturn void __longjmp_chk(jmp_buf env, int value);
EXPORTED int getcontext(ucontext_t *c);
EXPORTED int setcontext(const ucontext_t *c);
EXPORTED void makecontext(ucontext_t *c, void (*f)(void), int n, ...);

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list args)
{
	(void)flag;
	return vfprintf(file, format, args);
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = __vfprintf_chk(file, flag, format, args);
	va_end(args);
	return n;
}

int __printf_chk(int flag, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = __vfprintf_chk(stdout, flag, format, args);
	va_end(args);
	return n;
}

int __vsnprintf_chk(char *buf, size_t n, int flag, size_t size, const char *format, va_list args)
{
	(void)flag, (void)size;
	return vsnprintf(buf, n, format, args);
}

int __snprintf_chk(char *buf, size_t n, int flag, size_t size, const char *format, ...)
{
	va_list args;
	int written;

	va_start(args, format);
	written = __vsnprintf_chk(buf, n, flag, size, format, args);
	va_end(args);
	return written;
}

void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list args;

	(void)flag;
	va_start(args, format);
	vsyslog(priority, format, args);
	va_end(args);
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t size)
{
	(void)size;
	return memcpy(to, from, n);
}

void *__memset_chk(void *to, int c, size_t n, size_t size)
{
	(void)size;
	return memset(to, c, n);
}

char *__strcat_chk(char *to, const char *from, size_t size)
{
	(void)size;
	return strcat(to, from);
}

long __fdelt_chk(long fd)
{
	return fd / (8 * (long)sizeof(long));
}

void __longjmp_chk(jmp_buf env, int value)
{
	longjmp(env, value);
}

int getcontext(ucontext_t *c)
{
	(void)c;
	abort();
}

int setcontext(const ucontext_t *c)
{
	(void)c;
	abort();
}

void makecontext(ucontext_t *c, void (*f)(void), int n, ...)
{
	(void)c, (void)f, (void)n;
	abort();
}
