// SPDX-License-Identifier: Apache-2.0
/* See device.h. */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct test tests[MOST_TESTS];
static bool has_failed;

void check_that(bool is, const char *text, const char *file, int line)
{
	if (is)
		return;
	printf("# %s:%d: %s\n", file, line, text);
	has_failed = true;
}

void check_is(long got, long wanted, const char *text, const char *file, int line)
{
	if (got == wanted)
		return;
	printf("# %s:%d: %s is %ld, not %ld\n", file, line, text, got, wanted);
	has_failed = true;
}

int run_tests(const char *only)
{
	int failed = 0;
	size_t n = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (; n < MOST_TESTS && tests[n].run; n++) {
		if (strncmp(tests[n].name, only, strlen(only)) != 0)
			continue;
		has_failed = false;
		tests[n].run();
		printf("%sok %zu - %s\n", has_failed ? "not " : "", n + 1, tests[n].name);
		failed += has_failed;
	}
	printf("1..%zu\n# %d failed\n", n, failed);
	return failed != 0;
}

int device_open(void)
{
	int fd = open("/dev/kcrypto", O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int device_ioctl(int fd, unsigned long what, void *arg)
{
	return ioctl(fd, what, arg) < 0 ? -errno : 0;
}

int session_set_up(struct session *s, struct kcrypto_open *arg)
{
	int err;

	s->fd = device_open();
	if (s->fd < 0)
		return s->fd;
	err = device_ioctl(s->fd, KCRYPTO_IOC_OPEN, arg);
	s->cookie = arg->session;
	if (err)
		session_close(s);
	return err;
}

int session_open(struct session *s, unsigned algorithm, const char *driver, const void *key,
		 size_t key_len, unsigned tag_len)
{
	struct kcrypto_open arg = { .algorithm = algorithm,
				    .key = address(key),
				    .key_len = (__u32)key_len,
				    .tag_len = tag_len };

	snprintf(arg.driver, sizeof(arg.driver), "%s", driver);
	return session_set_up(s, &arg);
}

void session_close(struct session *s)
{
	close(s->fd);
	s->fd = -1;
}

struct kcrypto_request cipher_request(const struct session *s, const void *in, void *out,
				      size_t len)
{
	static const uint8_t iv[16];

	return (struct kcrypto_request){ .session = s->cookie,
					 .in = address(in),
					 .out = address(out),
					 .len = (__u32)len,
					 .iv = address(iv),
					 .iv_len = sizeof(iv) };
}

int request_run(const struct session *s, const struct kcrypto_request *req)
{
	return device_ioctl(s->fd, KCRYPTO_IOC_RUN, (void *)(uintptr_t)req);
}

long number_in(const char *file, const char *word)
{
	char line[256];
	FILE *f = fopen(file, "re");
	long number = -1;
	size_t len = strlen(word);

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, word, len) == 0)
			number = strtol(line + len, NULL, 10);
	fclose(f);
	return number;
}

bool write_to(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return is_written;
}

static void set(const char *module, const char *name, const char *value)
{
	char file[128];

	snprintf(file, sizeof(file), "/sys/module/%s/parameters/%s", module, name);
	CHECK(write_to(file, value));
}

void set_accel(const char *name, const char *value)
{
	set("accel", name, value);
}

void set_kcrypto(const char *name, const char *value)
{
	set("kcrypto", name, value);
}

long accel_number(const char *name)
{
	char file[128];

	snprintf(file, sizeof(file), "/sys/module/accel/parameters/%s", name);
	return number_in(file, "");
}

bool wait_for_counter(const char *name, long value)
{
	for (int i = 0; i < PATIENCE * 10; i++) {
		if (number_in("/sys/kernel/debug/kcrypto/counters", name) == value)
			return true;
		usleep(100000);
	}
	printf("# %s is %ld\n", name, number_in("/sys/kernel/debug/kcrypto/counters", name));
	return false;
}

int end_of(pid_t child)
{
	int status;

	for (int i = 0; i < PATIENCE * 100; i++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return status;
		usleep(10000);
	}
	printf("# process %d does not end\n", (int)child);
	return -1;
}

pid_t as_user(uid_t uid, int (*what)(unsigned), unsigned argument)
{
	pid_t child = fork();

	if (child == 0) {
		if (setgid(uid) || setuid(uid))
			_exit(100);
		_exit(what(argument));
	}
	return child;
}

int remove_module(const char *name)
{
	int tries = 100000;

	while (syscall(SYS_delete_module, name, O_NONBLOCK) < 0) {
		if (errno != EAGAIN || --tries == 0)
			return -errno;
		usleep(100);
	}
	return 0;
}

int insert_module_with(const char *file, const char *parameters)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	long err = syscall(SYS_finit_module, fd, parameters, 0);

	close(fd);
	return err ? -errno : 0;
}

int insert_module(const char *file)
{
	return insert_module_with(file, "");
}
