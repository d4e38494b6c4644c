// SPDX-License-Identifier: Apache-2.0
/* Setting up sessions of /dev/kcrypto: what KCRYPTO_IOC_OPEN refuses, and keys of the kernel. */
#define _GNU_SOURCE
#include "device.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint8_t key[32] = { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
				 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c };
static uint8_t in[KCRYPTO_MAX_LEN + 4096], out[sizeof(in)], back[sizeof(in)];

static void open_cbc(struct session *s)
{
	CHECK_IS(session_open(s, KCRYPTO_CBC_AES, "", key, 16, 0), 0);
}

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

/* Nothing that is asked for here makes the kernel load a module or build an algorithm. */
static void setup(void)
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

static void bad_structs_for_open(void)
{
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
	arg = good;
	arg.reserved = 1;
	CHECK_IS(device_ioctl(fd, KCRYPTO_IOC_OPEN, &arg), -EINVAL);
	arg = good;
	arg.session = 1;
	CHECK_IS(device_ioctl(fd, KCRYPTO_IOC_OPEN, &arg), -EINVAL);
	arg = good;
	arg.key_serial = 1;
	CHECK_IS(device_ioctl(fd, KCRYPTO_IOC_OPEN, &arg), -EINVAL);
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
	int err;

	s->fd = device_open();
	err = device_ioctl(s->fd, KCRYPTO_IOC_OPEN, &arg);
	s->cookie = arg.session;
	if (err)
		session_close(s);
	return err;
}

static int32_t add_key_of(const char *type)
{
	return (int32_t)syscall(SYS_add_key, type, "kcrypto:test", key, 16,
				KEY_SPEC_PROCESS_KEYRING);
}

static void keys_by_serial(void)
{
	static const char *const types[] = { "user", "logon" };
	struct kcrypto_request req;
	struct session s;
	int32_t serial;

	open_cbc(&s);
	req = cipher_request(&s, in, out, 4096);
	CHECK_IS(request_run(&s, &req), 0);
	session_close(&s);
	for (size_t i = 0; i < COUNT(types); i++) {
		serial = add_key_of(types[i]);
		CHECK_IS(open_by_serial(&s, serial), 0);
		req = cipher_request(&s, in, back, 4096);
		CHECK_IS(request_run(&s, &req), 0);
		CHECK(memcmp(out, back, 4096) == 0);
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

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "sessions that are refused", setup },
		{ "structs that KCRYPTO_IOC_OPEN refuses", bad_structs_for_open },
		{ "keys of the kernel's", keys_by_serial },
	};

	return run_tests(tests, COUNT(tests), argc > 1 ? argv[1] : "");
}
