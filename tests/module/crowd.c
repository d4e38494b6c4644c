// SPDX-License-Identifier: Apache-2.0
/* See crowd.h. */
#define _GNU_SOURCE
#include "crowd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct told *told;

static int turn[2], go[2]; /* pipes */

void crowd_start(void)
{
	struct rlimit files = { 4096, 4096 };

	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK_IS(pipe(turn), 0);
	CHECK_IS(pipe(go), 0);
	setrlimit(RLIMIT_NOFILE, &files);
	chmod("/dev/kcrypto", 0666);
}

void crowd_finish(void)
{
	close(turn[0]);
	close(turn[1]);
	close(go[0]);
	close(go[1]);
	munmap(told, sizeof(*told));
	chmod("/dev/kcrypto", 0600);
	CHECK(wait_for_counter("in_flight", 0));
	CHECK(wait_for_counter("sessions", 0));
}

int keep(int n)
{
	told->n = n;
	CHECK_IS(write(turn[1], "", 1), 1);
	pause();
	return 0;
}

int hear(void)
{
	struct pollfd p = { .fd = turn[0], .events = POLLIN };
	char c;

	CHECK(poll(&p, 1, PATIENCE * 1000) == 1 && read(turn[0], &c, 1) == 1);
	return told->n;
}

void end(pid_t child)
{
	kill(child, SIGKILL);
	CHECK_IS(end_of(child), SIGKILL);
}

int wait_for_parent(void)
{
	char c;

	return write(turn[1], "", 1) == 1 && read(go[0], &c, 1) == 1 ? 0 : -errno;
}

void go_on(void)
{
	CHECK_IS(write(go[1], "", 1), 1);
}

void new_module(void)
{
	CHECK(wait_for_counter("sessions", 0));
	CHECK_IS(remove_module("kcrypto"), 0);
	CHECK_IS(insert_module(getenv("KCRYPTO_KO")), 0);
	chmod("/dev/kcrypto", 0666);
}

void new_accel(void)
{
	CHECK(wait_for_counter("sessions", 0));
	CHECK_IS(remove_module("accel"), 0);
	CHECK_IS(insert_module(getenv("ACCEL_KO")), 0);
}

int hold_sessions(unsigned unused)
{
	struct session s;
	int n = 0, err;

	(void)unused;
	while ((err = try_cbc(&s)) == 0)
		n++;
	return err == -EDQUOT ? keep(n) : keep(-1);
}

int open_one(unsigned unused)
{
	struct session s;

	(void)unused;
	return try_cbc(&s) ? 1 : run_once(&s) != 0;
}

bool polls_begin(struct polls *polls, long n, bool by_epoll)
{
	struct epoll_event event = { .events = EPOLLIN };

	*polls = (struct polls){ .n = n };
	if (try_cbc(&polls->s))
		return false;
	polls->fd = polls->s.fd;
	if (by_epoll) {
		polls->fd = epoll_create1(EPOLL_CLOEXEC);
		if (epoll_ctl(polls->fd, EPOLL_CTL_ADD, polls->s.fd, &event))
			return false;
	}
	return syscall(SYS_io_setup, n, &polls->context) == 0;
}

bool polls_add(const struct polls *polls)
{
	struct iocb poll = { .aio_lio_opcode = IOCB_CMD_POLL,
			     .aio_buf = POLLIN,
			     .aio_fildes = (__u32)polls->fd };
	struct iocb *one = &poll;
	bool is_well = true;

	for (long i = 0; is_well && i < polls->n; i++)
		is_well = syscall(SYS_io_submit, polls->context, 1, &one) == 1;
	return is_well && submit(&polls->s, out, 16, 0) == 0;
}

long polls_woken(const struct polls *polls, long least)
{
	static struct io_event event[STORM];

	return syscall(SYS_io_getevents, polls->context, least, polls->n, event, NULL);
}

void polls_end(const struct polls *polls)
{
	syscall(SYS_io_destroy, polls->context);
	if (polls->fd != polls->s.fd)
		close(polls->fd);
	close(polls->s.fd);
}
