// SPDX-License-Identifier: Apache-2.0
/*
 * /dev/kcrypto among users who do not trust each other: descriptors and session numbers of others,
 * clients that are killed in large numbers, modules removed under load.
 */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLIENTS 64

/* What processes tell each other. */
static struct told {
	uint64_t cookie;
	int32_t serial;
	pid_t pid;
	int fd;
} * told;
static int pair[2];

static void start(void)
{
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK_IS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	chmod("/dev/kcrypto", 0666);
	make_wanted();
}

static void finish(void)
{
	close(pair[0]);
	close(pair[1]);
	munmap(told, sizeof(*told));
	chmod("/dev/kcrypto", 0600);
	CHECK(wait_for_counter("in_flight", 0));
	CHECK(wait_for_counter("sessions", 0));
}

/* Sends a byte from one process to the other. */
static void say(int side)
{
	CHECK_IS(write(pair[side], "", 1), 1);
}

static void hear(int side)
{
	char c;

	CHECK_IS(read(pair[side], &c, 1), 1);
}

/* Sends or receives the byte and, unless @fd is -1, that descriptor. */
static int pass(int side, int fd, bool is_sender)
{
	char c = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&m);

	if (!is_sender) {
		if (recvmsg(pair[side], &m, 0) != 1 || !(head = CMSG_FIRSTHDR(&m)))
			return -1;
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
		return fd;
	}
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(pair[side], &m, 0) == 1 ? 0 : -1;
}

static int receiver(unsigned unused)
{
	struct session s = { .fd = pass(1, -1, false) };

	(void)unused;
	if (run_once(&s) != -ESTALE || submit(&s, out, LEN, 0) != -ESTALE || reap(&s, 0) != -ESTALE)
		return 1;
	s.cookie = told->cookie;
	if (reap(&s, 0) != -ENOENT) /* the request was another session's */
		return 2;
	if (run_once(&s) || memcmp(out, wanted, LEN) != 0)
		return 3;
	say(1);
	hear(1);
	/* The sender has closed it. */
	return run_once(&s) || submit(&s, out, LEN, 0) || reap(&s, 0) ? 4 : 0;
}

TEST(a_descriptor_passed_to_another_user)
{
	struct session s;
	pid_t child;

	start();
	open_cbc(&s);
	told->cookie = s.cookie;
	CHECK_IS(submit(&s, out, LEN, 0), 0);
	child = as_user(1001, receiver, 0);
	CHECK_IS(pass(0, s.fd, true), 0);
	hear(0);
	CHECK_IS(reap(&s, 0), 0);
	session_close(&s);
	say(0);
	CHECK_IS(end_of(child), 0);
	finish();
}

static int owner(unsigned unused)
{
	struct session s;

	(void)unused;
	if (try_cbc(&s))
		return 1;
	*told = (struct told){ .cookie = s.cookie, .pid = getpid(), .fd = s.fd };
	told->serial = (int32_t)syscall(SYS_add_key, "user", "kcrypto:owner", key, 16,
					KEY_SPEC_USER_KEYRING);
	if (submit(&s, out, LEN, 0))
		return 2;
	say(0);
	hear(0);
	return reap(&s, 0) || memcmp(out, wanted, LEN) != 0 ? 3 : 0;
}

static int stranger(unsigned unused)
{
	struct kcrypto_open arg = { .algorithm = KCRYPTO_CBC_AES,
				    .flags = KCRYPTO_KEY_SERIAL,
				    .key_serial = told->serial };
	char file[64];
	struct session s;

	(void)unused;
	if (try_cbc(&s))
		return 1;
	s.cookie = told->cookie;
	if (run_once(&s) != -ESTALE || submit(&s, out, LEN, 0) != -ESTALE || reap(&s, 0) != -ESTALE)
		return 2;
	snprintf(file, sizeof(file), "/proc/%d/fd/%d", (int)told->pid, told->fd);
	if (open(file, O_RDWR) >= 0 || errno != EACCES)
		return 3;
	if (device_ioctl(device_open(), KCRYPTO_IOC_OPEN, &arg) != -EACCES)
		return 4;
	/* Opening a descriptor's file in /proc gives a new session. */
	snprintf(file, sizeof(file), "/proc/self/fd/%d", s.fd);
	s.fd = open(file, O_RDWR);
	return run_once(&s) == -ESTALE ? 0 : 5;
}

TEST(two_users)
{
	pid_t child;

	start();
	child = as_user(1000, owner, 0);
	hear(1);
	CHECK(told->serial > 0);
	CHECK_IS(end_of(as_user(1001, stranger, 0)), 0);
	say(1);
	CHECK_IS(end_of(child), 0);
	finish();
}

/* Uses a session of its own, or the one that all clients share. */
static void be_client(const struct session *common, unsigned number)
{
	struct session s = *common;

	for (unsigned i = number;; i++) {
		if (number % 2 && try_cbc(&s))
			continue;
		run_once(&s);
		submit(&s, out, LEN, 0);
		if (i % 3)
			reap(&s, i % 2 ? KCRYPTO_NOWAIT : 0);
		if (number % 2)
			session_close(&s);
	}
}

TEST(clients_killed_under_load)
{
	int rounds = as_often(20);
	pid_t child[CLIENTS];
	struct session common;

	start();
	open_cbc(&common);
	srand(1);
	for (int round = 0; round < rounds; round++) {
		set_accel("delay", round % 4 ? "0" : "2");
		for (unsigned i = 0; i < CLIENTS; i++) {
			child[i] = fork();
			if (child[i] == 0)
				be_client(&common, i);
		}
		usleep((useconds_t)rand() % 30000);
		for (unsigned i = 0; i < CLIENTS; i++)
			kill(child[i], SIGKILL);
		for (unsigned i = 0; i < CLIENTS; i++)
			CHECK_IS(end_of(child[i]), SIGKILL);
	}
	set_accel("delay", "0");
	session_close(&common);
	finish();
}

/* Nobody can reap a request that a dead process has submitted: it must not fill the session. */
TEST(requests_of_a_process_that_has_ended)
{
	struct session common;
	pid_t child;

	start();
	open_cbc(&common);
	child = fork();
	if (child == 0) {
		while (submit(&common, out, LEN, 0) == 0)
			;
		_exit(0);
	}
	CHECK_IS(end_of(child), 0);
	CHECK_IS(submit(&common, out, LEN, 0), 0);
	CHECK_IS(reap(&common, 0), 0);
	CHECK_IS(reap(&common, 0), -ENOENT);
	session_close(&common);
	finish();
}

/* Opens, uses and closes the device, whether it exists or not. */
static void come_and_go(void)
{
	struct session s;

	for (;;) {
		if (try_cbc(&s) == 0) {
			run_once(&s);
			submit(&s, out, LEN, 0);
			session_close(&s);
		}
		usleep(3000);
	}
}

TEST(modules_removed_under_load)
{
	int rounds = as_often(8);
	pid_t child[4];

	start();
	for (size_t i = 0; i < COUNT(child); i++) {
		child[i] = fork();
		if (child[i] == 0)
			come_and_go();
	}
	for (int round = 0; round < rounds; round++) {
		usleep(20000);
		if (round % 3) {
			CHECK_IS(remove_module("kcrypto"), 0);
			CHECK_IS(insert_module(getenv("KCRYPTO_KO")), 0);
		} else {
			CHECK_IS(remove_module("accel"), 0);
			CHECK_IS(insert_module(getenv("ACCEL_KO")), 0);
		}
	}
	for (size_t i = 0; i < COUNT(child); i++) {
		kill(child[i], SIGKILL);
		CHECK_IS(end_of(child[i]), SIGKILL);
	}
	finish();
}
