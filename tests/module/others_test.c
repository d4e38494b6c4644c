// SPDX-License-Identifier: Apache-2.0
/*
 * What a user of /dev/kcrypto can have done by those who do not use it: by another user to whom he
 * sends a descriptor, by the kernel's own threads, and by all who open devices.
 */
#define _GNU_SOURCE
#include "crowd.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

static void let_device_hang(void)
{
	set_kcrypto("time_limit_ms", "1000000");
	set_accel("drop_delay", FOR_EVER);
}

static void let_device_work(void)
{
	set_accel("drop_delay", "0");
	set_kcrypto("time_limit_ms", "10000");
}

static struct session given;

static int close_what_was_given(unsigned unused)
{
	(void)unused;
	if (wait_for_parent())
		return 1;
	session_close(&given);
	return 0;
}

/* Whoever was sent a descriptor does not wait for the sender's device. */
TEST(a_file_that_another_user_closes)
{
	pid_t child;

	crowd_start();
	open_cbc(&given);
	child = as_user(MODEST, close_what_was_given, 0);
	hear();
	session_close(&given);
	let_device_hang();
	go_on();
	CHECK_IS(end_of(child), 0);
	let_device_work();
	crowd_finish();
}

/* Returns the number of requests that this user may have in flight. */
static int submit_to_what_was_given(unsigned unused)
{
	int n = 0;

	(void)unused;
	while (n < 50 && submit(&given, out, 16, 0) == 0)
		n++;
	return keep(n);
}

/* Whoever was sent a descriptor takes nothing from the sender's budget. */
TEST(who_pays_for_requests_of_a_session_that_was_given)
{
	struct session s;
	pid_t child;

	crowd_start();
	open_cbc(&given);
	open_cbc(&s);
	set_kcrypto("requests", "8");
	set_kcrypto("time_limit_ms", "1000000");
	set_accel("delay", FOR_EVER);
	child = as_user(GREEDY, submit_to_what_was_given, 0);
	CHECK_IS(hear(), 8);
	for (int i = 0; i < 8; i++)
		CHECK_IS(submit(&s, out, 16, 0), 0);
	CHECK_IS(submit(&s, out, 16, 0), -EAGAIN);
	end(child);
	set_accel("delay", "0");
	for (int i = 0; i < 8; i++)
		CHECK_IS(reap(&s, 0), 0);
	set_kcrypto("time_limit_ms", "10000");
	set_kcrypto("requests", "2048");
	session_close(&given);
	session_close(&s);
	crowd_finish();
}

/*
 * A poll keeps the file of a descriptor that is closed. Once it is taken back, a thread of the
 * kernel closes the file: the same one for all files in the system.
 */
static bool have_kernel_close(int fd)
{
	struct iocb poll = { .aio_lio_opcode = IOCB_CMD_POLL,
			     .aio_buf = POLLIN,
			     .aio_fildes = (__u32)fd };
	struct iocb *one = &poll;
	aio_context_t context = 0;
	struct io_event event;

	if (syscall(SYS_io_setup, 1, &context) || syscall(SYS_io_submit, context, 1, &one) != 1)
		return false;
	close(fd);
	syscall(SYS_io_cancel, context, &poll, &event); /* -EINPROGRESS, it is told by an event */
	return syscall(SYS_io_getevents, context, 1, 1, &event, NULL) == 1;
}

static int close_by_kernel(unsigned unused)
{
	struct session s;

	(void)unused;
	return try_cbc(&s) || wait_for_parent() || !have_kernel_close(s.fd);
}

/* Whoever writes to a pipe hears that its other end is closed. */
static int close_pipes_by_kernel(unsigned times)
{
	for (int ends[2]; times > 0; times--) {
		struct pollfd end;

		if (pipe(ends) || !have_kernel_close(ends[0]))
			return 1;
		end = (struct pollfd){ .fd = ends[1], .events = 0 };
		if (poll(&end, 1, -1) != 1 || !(end.revents & POLLERR))
			return 2;
	}
	return 0;
}

TEST(a_file_that_a_thread_of_the_kernel_closes)
{
	pid_t child;

	crowd_start();
	child = as_user(GREEDY, close_by_kernel, 0);
	hear();
	let_device_hang();
	go_on();
	CHECK_IS(end_of(child), 0);
	CHECK_IS(end_of(as_user(MODEST, close_pipes_by_kernel, 3)), 0);
	let_device_work();
	crowd_finish();
}

#define SESSIONS 64

/* Of each session all the instances wait, for good. */
static bool wait_by_epolls(const struct session *s)
{
	struct epoll_event event = { .events = EPOLLIN };
	bool is_well = true;

	for (int i = as_often(500); is_well && i > 0; i--) {
		int epoll = epoll_create1(EPOLL_CLOEXEC);

		for (int k = 0; is_well && k < SESSIONS; k++)
			is_well = epoll_ctl(epoll, EPOLL_CTL_ADD, s[k].fd, &event) == 0;
	}
	return is_well;
}

/* Until it is killed. */
static int finish_requests(unsigned unused)
{
	struct session s[SESSIONS];

	(void)unused;
	for (int i = 0; i < SESSIONS; i++)
		if (try_cbc(&s[i]))
			return 1;
	if (!wait_by_epolls(s))
		return 2;
	for (bool is_first = true;; is_first = false) {
		for (int i = 0; i < SESSIONS; i++)
			if (submit(&s[i], out, 16, 0))
				return 3;
		for (int i = 0; i < SESSIONS; i++)
			if (reap(&s[i], 0))
				return 4;
		if (is_first && wait_for_parent())
			return 5;
	}
}

/* Does this thread of the kernel do what the module gives to all of them? */
static bool works_for_module(const char *pid)
{
	char file[300], name[64] = "";
	FILE *f;

	snprintf(file, sizeof(file), "/proc/%s/comm", pid);
	f = fopen(file, "re");
	if (!f)
		return false;
	if (!fgets(name, sizeof(name), f))
		name[0] = 0;
	fclose(f);
	return strncmp(name, "kworker/", 8) == 0 && strstr(name, "+kcrypto\n");
}

static int count_workers(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += works_for_module(entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}

/*
 * The kernel's threads are charged to nobody. No more than one wakes the crowds of a user; others
 * may free a request or look at a clock, and what is seen here is not of one moment.
 */
TEST(who_wakes_the_crowds_of_a_user)
{
	int most = 0, n;
	pid_t greedy;

	crowd_start();
	greedy = as_user(GREEDY, finish_requests, 0);
	hear();
	go_on();
	for (int i = 0; i < 100; i++) {
		n = count_workers();
		most = n > most ? n : most;
	}
	printf("# at most %d threads\n", most);
	CHECK(most <= 3);
	end(greedy);
	crowd_finish();
}
