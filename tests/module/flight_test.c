// SPDX-License-Identifier: Apache-2.0
/*
 * Several requests in flight to /dev/kcrypto: submitted, polled, reaped one by one or by their
 * number, and dropped.
 */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

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
