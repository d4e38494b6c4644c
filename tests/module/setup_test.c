// SPDX-License-Identifier: Apache-2.0
/* Setting up sessions of /dev/kcrypto: what KCRYPTO_IOC_OPEN refuses, and kernel keys. */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int try_open(unsigned algorithm, const char *driver, const void *k, size_t len, unsigned tag)
{
	struct session s;
	int err = session_open(&s, algorithm, driver, k, len, tag);

	if (!err)
		session_close(&s);
	return err;
}

static long lines_in(const char *file)
{
	long n = 0;
	int c;
	FILE *f = fopen(file, "re");

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

/* None of these calls makes the kernel load a module or build an algorithm. */
TEST(sessions_that_are_refused)
{
	static const unsigned rows[] = { 0, 27, 31, 35, 47, 61, 64, 78, 79, 1000, 0x80000000, ~0u };
	static const char *const missing[] = { "cryptd(cbc-aes-accel)",
					       "pcrypt(cbc-aes-accel)",
					       "cbc(serpent-generic)",
					       "nothing",
					       "ctr-aes-accel",
					       "cbc(aes)",
					       "%s%n" };
	long modules = lines_in("/proc/modules"), known = lines_in("/proc/crypto");
	struct kcrypto_request req;
	struct session s;

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_IS(try_open(rows[i], "", key, 16, 0), -EOPNOTSUPP);
	for (size_t i = 0; i < COUNT(missing); i++)
		CHECK_IS(try_open(KCRYPTO_CBC_AES, missing[i], key, 16, 0), -ENOENT);
	for (unsigned row = KCRYPTO_CBC_CAMELLIA; row <= KCRYPTO_CBC_CAST5; row++)
		CHECK_IS(try_open(row, "", key, 16, 0), -ENOENT);
	CHECK_IS(try_open(KCRYPTO_CHACHA20_POLY1305, "", key, 32, 16), -ENOENT);
	CHECK_IS(try_open(KCRYPTO_SHA256, "sha256-generic", NULL, 0, 0), -EPERM);
	CHECK_IS(lines_in("/proc/modules"), modules);
	CHECK_IS(lines_in("/proc/crypto"), known);
	for (size_t len = 0; len < 70; len++)
		CHECK_IS(try_open(KCRYPTO_CBC_AES, "", in, len, 0),
			 len == 16 || len == 24 || len == 32 ? 0 : -EINVAL);
	CHECK_IS(try_open(KCRYPTO_CBC_AES, "", in, KCRYPTO_MAX_KEY + 1, 0), -EINVAL);
	CHECK_IS(try_open(KCRYPTO_CBC_AES, "", in, 0x80000010, 0), -EINVAL);
	CHECK_IS(try_open(KCRYPTO_CBC_AES, "", (void *)8, 16, 0), -EFAULT);
	CHECK_IS(try_open(KCRYPTO_CBC_AES, "", (void *)-4096L, 16, 0), -EFAULT);
	CHECK_IS(try_open(KCRYPTO_CBC_AES, "", in, 16, 16), -EINVAL);
	CHECK_IS(try_open(KCRYPTO_SHA256, "", in, 16, 0), -EINVAL);
	open_cbc(&s);
	CHECK_IS(device_ioctl(s.fd, KCRYPTO_IOC_OPEN,
			      &(struct kcrypto_open){ .algorithm = KCRYPTO_CBC_AES,
						      .key = address(key),
						      .key_len = 16 }),
		 -EBUSY);
	req = cipher_request(&s, in, out, 16);
	CHECK_IS(request_run(&s, &req), 0);
	session_close(&s);
	s.fd = device_open();
	CHECK_IS(request_run(&s, &req), -ESTALE);
	close(s.fd);
}

TEST(structs_that_KCRYPTO_IOC_OPEN_refuses)
{
	static const size_t zeros[] = { offsetof(struct kcrypto_open, max_len),
					offsetof(struct kcrypto_open, session),
					offsetof(struct kcrypto_open, key_serial) };
	struct kcrypto_open good = { .algorithm = KCRYPTO_CBC_AES,
				     .key = address(key),
				     .key_len = 16 };
	struct kcrypto_open arg;
	int fd = device_open();

	for (int bit = 1; bit < 32; bit++) {
		arg = good;
		arg.flags = 1u << bit;
		CHECK_IS(device_ioctl(fd, KCRYPTO_IOC_OPEN, &arg), -EINVAL);
	}
	for (size_t i = 0; i < COUNT(zeros); i++) {
		arg = good;
		*((uint8_t *)&arg + zeros[i]) = 1;
		CHECK_IS(device_ioctl(fd, KCRYPTO_IOC_OPEN, &arg), -EINVAL);
	}
	arg = good;
	memset(arg.driver, 'x', sizeof(arg.driver));
	CHECK_IS(device_ioctl(fd, KCRYPTO_IOC_OPEN, &arg), -EINVAL);
	CHECK_IS(device_ioctl(fd, KCRYPTO_IOC_OPEN, &good), 0);
	CHECK(strcmp(good.driver, "cbc-aes-accel") == 0 && good.session);
	close(fd);
}

static int open_by_serial(struct session *s, int32_t serial)
{
	struct kcrypto_open arg = { .algorithm = KCRYPTO_CBC_AES,
				    .flags = KCRYPTO_KEY_SERIAL,
				    .key_serial = serial };

	return session_set_up(s, &arg);
}

static int32_t add_key_of(const char *type)
{
	return (int32_t)syscall(SYS_add_key, type, "kcrypto:test", key, 16,
				KEY_SPEC_PROCESS_KEYRING);
}

TEST(keys_of_the_kernels)
{
	static const char *const types[] = { "user", "logon" };
	struct session s;
	int32_t serial;

	make_wanted();
	for (size_t i = 0; i < COUNT(types); i++) {
		serial = add_key_of(types[i]);
		CHECK_IS(open_by_serial(&s, serial), 0);
		memset(out, 0, LEN);
		CHECK_IS(run_once(&s), 0);
		CHECK(memcmp(out, wanted, LEN) == 0);
		session_close(&s);
		CHECK_IS(syscall(SYS_keyctl, KEYCTL_SETPERM, serial, 0x37373737), 0);
		CHECK_IS(open_by_serial(&s, serial), -EACCES);
		CHECK_IS(syscall(SYS_keyctl, KEYCTL_SETPERM, serial, 0x3f3f3f3f), 0);
		CHECK_IS(syscall(SYS_keyctl, KEYCTL_REVOKE, serial), 0);
		CHECK_IS(open_by_serial(&s, serial), -EKEYREVOKED);
	}
	CHECK_IS(open_by_serial(&s, 0x7ffffff0), -ENOKEY);
	CHECK_IS(open_by_serial(&s, 0), -EINVAL);
	CHECK_IS(open_by_serial(&s, KEY_SPEC_PROCESS_KEYRING), -EINVAL);
}
