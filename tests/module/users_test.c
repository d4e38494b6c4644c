// SPDX-License-Identifier: Apache-2.0
/*
 * Users of /dev/kcrypto who take as much as they can get, each within the limits, and how long
 * other users wait: for their turns in a device's queue, and for another device, which works.
 */
#define _GNU_SOURCE
#include "crowd.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SOFTWARE "cbc(aes-generic)" /* a fallback of the accelerator that another module provides */

/* A request's time limit begins when the driver gets the request. */
static int copy_slowly(unsigned fault)
{
	struct uffdio_zeropage zero = { .range = { told->n * 4096ull, 4096 } };

	sleep(6); /* three times the limit */
	return ioctl((int)fault, UFFDIO_ZEROPAGE, &zero);
}

TEST(input_that_comes_late)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fault = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	void *page = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	struct kcrypto_request req;
	struct session s;
	pid_t child;

	crowd_start();
	open_cbc(&s);
	CHECK_IS(ioctl(fault, UFFDIO_API, &api), 0);
	area.range = (struct uffdio_range){ address(page), 4096 };
	CHECK_IS(ioctl(fault, UFFDIO_REGISTER, &area), 0);
	told->n = (int)(address(page) / 4096);
	set_kcrypto("time_limit_ms", "2000");
	set_accel("delay", "100");
	child = as_user(0, copy_slowly, (unsigned)fault);
	req = cipher_request(&s, page, out, 64);
	CHECK_IS(device_ioctl(s.fd, KCRYPTO_IOC_SUBMIT, &req), 0);
	CHECK_IS(reap(&s, 0), 0);
	CHECK_IS(run_once(&s), 0);
	CHECK_IS(end_of(child), 0);
	set_accel("delay", "0");
	set_kcrypto("time_limit_ms", "10000");
	close(fault);
	munmap(page, 4096);
	session_close(&s);
	crowd_finish();
}

/* Submits short requests until no more are accepted. */
static int fill_queue(unsigned most)
{
	struct session s;
	int n = 0;

	while ((unsigned)n < most && try_cbc(&s) == 0) {
		int before = n;

		while (submit(&s, out, 16, 0) == 0)
			n++;
		if (n == before)
			break;
	}
	return keep(n);
}

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static long median(long *all, size_t n)
{
	qsort(all, n, sizeof(*all), compare);
	return all[n / 2];
}

#define TIMES 9

/*
 * Reports how many requests the device does until it has done one of this user's, and how long that
 * takes. A busy machine may stop this process between the two readings, but not most of the time.
 */
static int run_some(unsigned unused)
{
	long took[TIMES], n[TIMES], before;
	struct session s;

	(void)unused;
	if (try_cbc(&s))
		return 1;
	for (size_t i = 0; i < TIMES; i++) {
		before = accel_number("done");
		took[i] = now_us();
		if (run_once(&s))
			return 2;
		took[i] = now_us() - took[i];
		n[i] = accel_number("done") - before;
	}
	told->n = (int)median(n, TIMES);
	told->us = median(took, TIMES);
	return 0;
}

/* The same, while another user has as many requests in flight as he may. */
static void run_beside_another(const char *latency)
{
	pid_t greedy;
	long alone;

	set_accel("latency", latency);
	CHECK_IS(end_of(as_user(MODEST, run_some, 0)), 0);
	CHECK_IS(told->n, 1);
	alone = told->us;
	greedy = as_user(GREEDY, fill_queue, 100000);
	CHECK(hear() > 1000);
	CHECK_IS(end_of(as_user(MODEST, run_some, 0)), 0);
	printf("# latency %s us: a request takes %ld us, %ld alone; %d were done until then\n",
	       latency, told->us, alone, told->n);
	end(greedy);
	set_accel("latency", "0");
	CHECK(wait_for_counter("in_flight", 0));
}

/*
 * Another user's request waits for the two requests that the device has, for one that precedes it,
 * and for itself. The first device is so slow that the machine does not matter; for the second one
 * the time is printed.
 */
TEST(a_full_queue_of_another_user)
{
	crowd_start();
	make_wanted();
	run_beside_another("100000");
	CHECK(told->n <= 4);
	run_beside_another("1500");
	crowd_finish();
}

/* Wakes all polls again and again. */
static int storm(unsigned n)
{
	struct polls polls;

	if (!polls_begin(&polls, n, false))
		return 1;
	for (bool is_first = true;; is_first = false) {
		if (!polls_add(&polls) || polls_woken(&polls, n) != n || reap(&polls.s, 0))
			return 2;
		if (is_first && wait_for_parent())
			return 3;
	}
}

/*
 * The shortest of ten times, in ns, for which a completion that wakes these polls keeps the device.
 * The first time may be reported late.
 */
static long shortest_completion(struct polls *polls)
{
	long shortest = LONG_MAX, ns;

	for (int i = 0; i <= 10; i++) {
		CHECK(polls_add(polls));
		CHECK_IS(polls_woken(polls, polls->n), polls->n);
		CHECK_IS(reap(&polls->s, 0), 0);
		ns = accel_number("completion_ns");
		if (i > 0 && ns < shortest)
			shortest = ns;
	}
	return shortest;
}

static long completion_beside(long polls, bool by_epoll)
{
	struct polls p;
	long ns;

	CHECK(polls_begin(&p, polls, by_epoll));
	ns = shortest_completion(&p);
	polls_end(&p);
	return ns;
}

static void compare_completions(long polls, bool by_epoll)
{
	long alone, beside;

	crowd_start();
	alone = completion_beside(1, by_epoll);
	beside = completion_beside(polls, by_epoll);
	printf("# a completion takes %ld ns beside %ld polls, %ld beside one\n", beside, polls,
	       alone);
	CHECK(beside / (polls / 50) <= alone);
	crowd_finish();
}

/*
 * The device does not wake the polls, but for the first time behind an epoll instance: if the
 * completion did, it would take thousands of times as long as with a single poll. A busy machine
 * may delay a completion, but not ten in a row.
 */
TEST(who_wakes_a_crowd)
{
	compare_completions(as_often(STORM), false);
}

/* Only the instance waits for the session. */
TEST(who_wakes_a_crowd_behind_an_epoll)
{
	compare_completions(as_often(STORM), true);
}

/* He is not forgotten when he closes all files. */
TEST(who_wakes_the_crowd_of_a_user_who_comes_again)
{
	long alone, shortest = LONG_MAX, ns;

	crowd_start();
	alone = completion_beside(1, true);
	for (int i = 0; i <= 5; i++) {
		struct polls p;

		CHECK(polls_begin(&p, as_often(STORM), true));
		CHECK(polls_add(&p));
		CHECK_IS(polls_woken(&p, p.n), p.n);
		CHECK_IS(reap(&p.s, 0), 0);
		ns = accel_number("completion_ns");
		polls_end(&p);
		CHECK(wait_for_counter("sessions", 0));
		if (i > 0 && ns < shortest)
			shortest = ns;
	}
	printf("# a completion takes %ld ns, %ld beside one poll\n", shortest, alone);
	CHECK(shortest / (as_often(STORM) / 50) <= alone);
	crowd_finish();
}

/* The polls delay neither the device nor another user's request. */
TEST(a_storm_of_polls)
{
	pid_t greedy;
	long alone;

	crowd_start();
	set_accel("latency", "20000");
	CHECK_IS(end_of(as_user(MODEST, run_some, 0)), 0);
	alone = told->us;
	greedy = as_user(GREEDY, storm, (unsigned)as_often(STORM));
	hear();
	go_on();
	CHECK_IS(end_of(as_user(MODEST, run_some, 0)), 0);
	printf("# beside %d polls a request takes %ld us, %ld alone; %d were done until then\n",
	       as_often(STORM), told->us, alone, told->n);
	CHECK(told->n <= 4);
	end(greedy);
	set_accel("latency", "0");
	crowd_finish();
}

/* A request that waits long is not given up, as long as the device answers others. */
TEST(a_slow_device_is_alive)
{
	pid_t greedy;

	crowd_start();
	set_kcrypto("time_limit_ms", "2000");
	set_accel("latency", "20000");
	greedy = as_user(GREEDY, fill_queue, 400);
	CHECK(hear() >= 400);
	CHECK_IS(end_of(as_user(MODEST, open_one, 0)), 0);
	end(greedy);
	set_accel("latency", "0");
	CHECK(wait_for_counter("in_flight", 0));
	set_kcrypto("time_limit_ms", "10000");
	crowd_finish();
}

static void *hang_in_open(void *unused)
{
	struct session s;

	try_cbc(&s);
	return unused;
}

static int hang_often(unsigned times)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (unsigned i = 0; i < times; i++)
		if (pthread_create(&thread, &small, hang_in_open, NULL))
			return 1;
	return keep(0);
}

/* Reports the time of OPEN and close. */
static int open_software(unsigned unused)
{
	long took[TIMES];
	struct session s;

	(void)unused;
	for (size_t i = 0; i < TIMES; i++) {
		took[i] = now_us();
		if (session_open(&s, KCRYPTO_CBC_AES, SOFTWARE, key, 16, 0))
			return 1;
		session_close(&s);
		took[i] = now_us() - took[i];
	}
	told->us = median(took, TIMES);
	return session_open(&s, KCRYPTO_CBC_AES, SOFTWARE, key, 16, 0) || run_once(&s);
}

static long software_takes(void)
{
	CHECK_IS(end_of(as_user(MODEST, open_software, 0)), 0);
	return told->us;
}

TEST(a_device_that_hangs_beside_one_that_works)
{
	const unsigned times = (unsigned)as_often(1000);
	struct session s;
	pid_t greedy;
	long alone;

	crowd_start();
	open_cbc(&s); /* its driver's fallback stays */
	set_kcrypto("software", "1");
	alone = software_takes();
	set_accel("key_delay", FOR_EVER);
	greedy = as_user(GREEDY, hang_often, times);
	hear();
	CHECK(wait_for_counter("sessions", times + 1));
	printf("# OPEN and close take %ld us, ", software_takes());
	end(greedy);
	printf("%ld after their owner's death, %ld alone\n", software_takes(), alone);
	set_accel("key_delay", "0");
	set_kcrypto("software", "0");
	session_close(&s);
	crowd_finish();
}

static int run_until_killed(unsigned unused)
{
	(void)unused;
	return open_one(0);
}

/* A caller that is killed does not count as a driver that does not answer. */
TEST(timeouts_are_counted_alone)
{
	static const char *const counters = "/sys/kernel/debug/kcrypto/counters";
	long before = number_in(counters, "timeouts ");
	pid_t child;

	crowd_start();
	set_accel("delay", FOR_EVER);
	child = as_user(MODEST, run_until_killed, 0);
	CHECK(wait_for_counter("in_flight", 1));
	end(child);
	set_accel("delay", "0");
	CHECK_IS(number_in(counters, "timeouts "), before);
	crowd_finish();
}

/* A scheduler may delay callers on the way to the driver. They take no place that others need. */
TEST(callers_that_do_not_get_on)
{
	pid_t slow[3];

	crowd_start();
	set_kcrypto("time_limit_ms", "2000");
	set_accel("hold", "3");
	for (size_t i = 0; i < COUNT(slow); i++)
		slow[i] = as_user(GREEDY, open_one, 0);
	CHECK(wait_for_counter("in_flight", 1));
	CHECK_IS(end_of(as_user(MODEST, open_one, 0)), 0);
	set_accel("hold", "0");
	for (size_t i = 0; i < COUNT(slow); i++)
		end_of(slow[i]);
	set_kcrypto("time_limit_ms", "10000");
	crowd_finish();
}

static int hold_until_told(unsigned n)
{
	struct session s;

	while (n-- > 0)
		if (try_cbc(&s))
			return 1;
	return wait_for_parent();
}

/* The process cannot be killed; all its files are closed. */
TEST(the_end_of_a_process_whose_device_hangs)
{
	pid_t child;

	crowd_start();
	child = as_user(GREEDY, hold_until_told, 40);
	hear();
	set_accel("drop_delay", FOR_EVER);
	set_kcrypto("time_limit_ms", "20000");
	go_on();
	CHECK_IS(end_of(child), 0);
	set_kcrypto("time_limit_ms", "10000");
	set_accel("drop_delay", "0");
	crowd_finish();
}
