// SPDX-License-Identifier: Apache-2.0
/*
 * Several requests in flight to /dev/kcrypto: submitted, polled, reaped one by one or by their
 * number, and dropped. How many engines the device has shows in the requests that it has begun.
 */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint8_t outs[KCRYPTO_MAX_IN_FLIGHT][LEN];

/* A session whose requests all have the answer that these tests expect. */
static void open_empty(struct session *s)
{
	make_wanted();
	open_cbc(s);
	memset(outs, 0, sizeof(outs));
}

/* Submits the first @n of outs, with their indices as numbers. */
static void submit_all(const struct session *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		CHECK_IS(submit(s, outs[i], LEN, i), 0);
}

static int reap_this(const struct session *s, uint64_t user_data)
{
	return reap_to(s, KCRYPTO_THIS, user_data);
}

static short events(const struct session *s, int ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN | POLLOUT };

	return poll(&p, 1, ms) == 1 ? p.revents : 0;
}

TEST(several_in_flight)
{
	bool seen[KCRYPTO_MAX_IN_FLIGHT] = { false };
	struct session s;

	open_empty(&s);
	CHECK_IS(reap_to(&s, 0, 0), -ENOENT);
	CHECK_IS(events(&s, 0), POLLOUT);
	set_accel("delay", FOR_EVER);
	submit_all(&s, KCRYPTO_MAX_IN_FLIGHT);
	CHECK_IS(submit(&s, out, LEN, 0), -EAGAIN);
	CHECK_IS(events(&s, 100), 0);
	CHECK_IS(reap_to(&s, KCRYPTO_NOWAIT, 0), -EAGAIN);
	fcntl(s.fd, F_SETFL, O_NONBLOCK);
	CHECK_IS(reap_to(&s, 0, 0), -EAGAIN);
	fcntl(s.fd, F_SETFL, 0);
	set_accel("delay", "0");
	CHECK(events(&s, PATIENCE * 1000) & POLLIN);
	for (unsigned i = 0; i < KCRYPTO_MAX_IN_FLIGHT; i++) {
		CHECK_IS(reap_to(&s, 0, 0), 0);
		CHECK_IS(result.error, 0);
		CHECK(result.user_data < KCRYPTO_MAX_IN_FLIGHT && !seen[result.user_data]);
		seen[result.user_data % KCRYPTO_MAX_IN_FLIGHT] = true;
	}
	for (unsigned i = 0; i < KCRYPTO_MAX_IN_FLIGHT; i++)
		CHECK(memcmp(outs[i], wanted, LEN) == 0);
	CHECK_IS(reap_to(&s, 0, 0), -ENOENT);
	CHECK_IS(submit(&s, (void *)8, LEN, 5), 0);
	CHECK_IS(reap_to(&s, 0, 0), 0);
	CHECK(result.error == -EFAULT && result.user_data == 5);
	session_close(&s);
}

/* The device does the requests in their order; the caller reaps them in another one. */
TEST(one_of_several_by_its_number)
{
	struct session s;

	open_empty(&s);
	CHECK_IS(reap_this(&s, 0), -ENOENT);
	set_accel("delay", FOR_EVER);
	submit_all(&s, 3);
	CHECK_IS(reap_to(&s, KCRYPTO_THIS | KCRYPTO_NOWAIT, 2), -EAGAIN);
	CHECK_IS(reap_this(&s, 7), -ENOENT);
	set_accel("delay", "0");
	CHECK_IS(reap_this(&s, 2), 0);
	CHECK(result.user_data == 2 && result.error == 0);
	CHECK(memcmp(outs[2], wanted, LEN) == 0 && outs[0][0] == 0 && outs[1][0] == 0);
	CHECK_IS(reap_this(&s, 2), -ENOENT);
	CHECK(events(&s, 0) & POLLIN);
	CHECK_IS(reap_this(&s, 0), 0);
	CHECK_IS(reap_this(&s, 1), 0);
	CHECK(memcmp(outs[0], wanted, LEN) == 0 && memcmp(outs[1], wanted, LEN) == 0);
	CHECK_IS(events(&s, 0), POLLOUT);
	session_close(&s);
}

TEST(requests_that_are_dropped)
{
	const unsigned how = KCRYPTO_THIS | KCRYPTO_DROP, last = KCRYPTO_MAX_IN_FLIGHT - 1;
	struct session s;

	open_empty(&s);
	set_accel("delay", FOR_EVER);
	submit_all(&s, KCRYPTO_MAX_IN_FLIGHT);
	CHECK_IS(submit(&s, out, LEN, 100), -EAGAIN);
	CHECK_IS(reap_to(&s, KCRYPTO_DROP, 1), -EINVAL);
	CHECK_IS(reap_to(&s, how, 100), -ENOENT);
	CHECK_IS(reap_to(&s, how, 1), 0);
	CHECK(result.user_data == 1 && result.error == -ECANCELED);
	CHECK_IS(reap_to(&s, how | KCRYPTO_NOWAIT, 1), -ENOENT);
	CHECK_IS(events(&s, 0), POLLOUT);
	CHECK_IS(submit(&s, out, LEN, 100), 0);
	set_accel("delay", "0");
	CHECK_IS(reap_this(&s, 100), 0);
	CHECK_IS(result.error, 0);
	CHECK_IS(reap_to(&s, how, last), 0); /* done, but not reaped */
	for (unsigned i = 0; i < last; i++)
		CHECK_IS(reap_this(&s, i), i == 1 ? -ENOENT : 0);
	CHECK_IS(reap_to(&s, 0, 0), -ENOENT);
	CHECK(outs[1][0] == 0 && outs[last][0] == 0 && memcmp(outs[2], wanted, LEN) == 0);
	session_close(&s);
	CHECK(wait_for_counter("in_flight", 0));
	CHECK(wait_for_counter("sessions", 0));
}

/*
 * Waits for one request. The waiter neither gets another request's result nor stays when its own is
 * dropped.
 */
static void *wait_for_first(void *session)
{
	struct kcrypto_result mine = { .session = ((struct session *)session)->cookie,
				       .flags = KCRYPTO_THIS };

	CHECK_IS(device_ioctl(((struct session *)session)->fd, KCRYPTO_IOC_REAP, &mine), -ENOENT);
	return NULL;
}

TEST(a_request_that_is_dropped_while_a_thread_waits_for_it)
{
	struct session s;
	pthread_t thread;

	open_empty(&s);
	set_accel("delay", FOR_EVER);
	submit_all(&s, 2);
	pthread_create(&thread, NULL, wait_for_first, &s);
	usleep(100000);
	CHECK_IS(reap_to(&s, KCRYPTO_THIS | KCRYPTO_DROP, 0), 0);
	pthread_join(thread, NULL);
	set_accel("delay", "0");
	CHECK_IS(reap_this(&s, 1), 0);
	session_close(&s);
}

/* A program that sleeps in poll(2) is woken. */
TEST(a_driver_that_does_not_answer)
{
	struct session s;

	open_empty(&s);
	set_accel("delay", FOR_EVER);
	set_kcrypto("time_limit_ms", "2000");
	submit_all(&s, 2);
	CHECK_IS(events(&s, 0), POLLOUT);
	CHECK_IS(poll(&(struct pollfd){ .fd = s.fd, .events = POLLIN }, 1, 60000), 1);
	CHECK_IS(reap_this(&s, 1), 0);
	CHECK_IS(result.error, -ETIMEDOUT);
	CHECK_IS(events(&s, 0), POLLIN | POLLERR);
	CHECK_IS(reap_this(&s, 0), 0);
	CHECK_IS(result.error, -ETIMEDOUT);
	session_close(&s);
	set_kcrypto("time_limit_ms", "10000");
	set_accel("delay", "0");
	CHECK(wait_for_counter("sessions", 0));
}

/* Linux AIO polls for a process in a kernel thread. */
TEST(a_poll_by_aio)
{
	struct iocb poll = { .aio_lio_opcode = IOCB_CMD_POLL, .aio_buf = POLLIN };
	struct iocb *polls = &poll;
	struct timespec patience = { 20, 0 };
	aio_context_t context = 0;
	struct io_event event;
	struct session s;

	open_empty(&s);
	set_accel("delay", FOR_EVER);
	CHECK_IS(syscall(SYS_io_setup, 1, &context), 0);
	submit_all(&s, 1);
	poll.aio_fildes = (__u32)s.fd;
	CHECK_IS(syscall(SYS_io_submit, context, 1, &polls), 1);
	set_accel("delay", "0");
	CHECK_IS(syscall(SYS_io_getevents, context, 1, 1, &event, &patience), 1);
	CHECK(event.res & POLLIN);
	CHECK_IS(reap_this(&s, 0), 0);
	syscall(SYS_io_destroy, context);
	session_close(&s);
}

#define CROWD 100

/* They are woken in a place where they do not delay the device. */
TEST(many_polls_by_aio)
{
	struct iocb poll = { .aio_lio_opcode = IOCB_CMD_POLL, .aio_buf = POLLIN };
	struct iocb *polls[CROWD];
	struct io_event event[CROWD];
	aio_context_t context = 0;
	struct session s;

	open_empty(&s);
	set_accel("delay", FOR_EVER);
	CHECK_IS(syscall(SYS_io_setup, CROWD, &context), 0);
	submit_all(&s, 1);
	poll.aio_fildes = (__u32)s.fd;
	for (size_t i = 0; i < CROWD; i++)
		polls[i] = &poll;
	CHECK_IS(syscall(SYS_io_submit, context, CROWD, polls), CROWD);
	set_accel("delay", "0");
	CHECK_IS(syscall(SYS_io_getevents, context, CROWD, CROWD, event, NULL), CROWD);
	CHECK_IS(reap_this(&s, 0), 0);
	syscall(SYS_io_destroy, context);
	session_close(&s);
}

/*
 * Dropping or reaping makes room, while the device answers nothing. Tested by epoll, which reports
 * only what woke it: poll(2) checks once more when its time is over.
 */
TEST(a_poll_for_room)
{
	struct epoll_event event = { .events = EPOLLOUT };
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct session s;

	open_empty(&s);
	set_accel("delay", FOR_EVER);
	set_kcrypto("time_limit_ms", "1000000");
	submit_all(&s, KCRYPTO_MAX_IN_FLIGHT);
	CHECK_IS(epoll_ctl(fd, EPOLL_CTL_ADD, s.fd, &event), 0);
	CHECK_IS(epoll_wait(fd, &event, 1, 0), 0);
	CHECK_IS(reap_to(&s, KCRYPTO_THIS | KCRYPTO_DROP, 5), 0);
	CHECK_IS(epoll_wait(fd, &event, 1, PATIENCE * 100), 1);
	CHECK_IS(event.events, EPOLLOUT);
	set_accel("delay", "0");
	close(fd);
	session_close(&s);
	set_kcrypto("time_limit_ms", "10000");
	CHECK(wait_for_counter("in_flight", 0));
}

static void *wait_in_epoll(void *fd)
{
	struct epoll_event event;

	CHECK_IS(epoll_wait(*(int *)fd, &event, 1, 20000), 1);
	CHECK(event.events & EPOLLIN);
	return NULL;
}

/* Another thread of the process may wait for the request. */
TEST(a_poll_by_epoll_of_another_thread)
{
	struct epoll_event wanted_event = { .events = EPOLLIN | EPOLLET };
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct session s;
	pthread_t thread;

	open_empty(&s);
	set_accel("delay", FOR_EVER);
	CHECK_IS(epoll_ctl(fd, EPOLL_CTL_ADD, s.fd, &wanted_event), 0);
	pthread_create(&thread, NULL, wait_in_epoll, &fd);
	submit_all(&s, 1);
	set_accel("delay", "0");
	pthread_join(thread, NULL);
	CHECK_IS(reap_this(&s, 0), 0);
	close(fd);
	session_close(&s);
}

/*
 * Makes the device do @n requests, until the last ones of which others wait. Returns how many it
 * had at a time.
 */
static long do_many(const struct session *s, unsigned n)
{
	unsigned first = n < KCRYPTO_MAX_IN_FLIGHT ? n : KCRYPTO_MAX_IN_FLIGHT;

	set_accel("reset", "1");
	submit_all(s, first);
	for (unsigned k = 0; k < n; k++) {
		CHECK_IS(reap_to(s, 0, 0), 0);
		if (k + first < n)
			CHECK_IS(submit(s, outs[result.user_data], LEN, result.user_data), 0);
	}
	return accel_number("deepest");
}

/* Runs until the module has seen that this many engines work at once, and not many more. */
static void show_engines(const struct session *s, long n, long most, const char *latency)
{
	long deepest = 0;

	set_accel("latency", latency);
	for (int i = 0; i < PATIENCE && (deepest <= n || deepest > most); i++)
		deepest = do_many(s, 256);
	CHECK(deepest > n && deepest <= most);
	set_accel("latency", "0");
}

/* This many requests have begun, and no more. */
static void check_begun(unsigned n)
{
	for (int i = 0; i < PATIENCE * 100 && accel_number("requests") < (long)n; i++)
		usleep(10000);
	usleep(100000);
	CHECK_IS(accel_number("requests"), n);
}

/* With several engines each request takes so long that the time of the software does not matter. */
TEST(engines_of_the_device)
{
	static const struct {
		const char *engines;
		unsigned n, most;
		const char *latency;
	} cases[] = { { "8", 8, 256, "100000" }, { "3", 3, 12, "100000" }, { "1", 1, 6, "20000" } };
	struct session s;

	for (size_t i = 0; i < COUNT(cases); i++) {
		set_accel("engines", cases[i].engines);
		open_empty(&s);
		show_engines(&s, cases[i].n, cases[i].most, cases[i].latency);
		set_accel("delay", FOR_EVER);
		set_accel("reset", "1");
		submit_all(&s, 10);
		check_begun(cases[i].n);
		set_accel("delay", "0");
		for (unsigned k = 10; k > 0; k--)
			CHECK_IS(reap_this(&s, k - 1), 0);
		for (unsigned k = 0; k < 10; k++)
			CHECK(memcmp(outs[k], wanted, LEN) == 0);
		session_close(&s);
	}
}

/*
 * The device must not be taken for one with more engines, which would make others wait. The module
 * measures the time of a single request again every few seconds; in between the device does more
 * than a hundred requests.
 */
TEST(a_device_that_becomes_faster)
{
	struct session s;

	open_empty(&s);
	set_accel("latency", "400000");
	do_many(&s, 12); /* neither the first two nor the last one are alone */
	set_accel("latency", "20000");
	CHECK(do_many(&s, 200) <= 8);
	set_accel("latency", "0");
	session_close(&s);
}
