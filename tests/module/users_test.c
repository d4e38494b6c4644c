// SPDX-License-Identifier: Apache-2.0
/*
 * Users of /dev/kcrypto who take as much as they can get, each within the limits, and what is left
 * to the others: sessions of a device, turns in its queue, another device that works.
 */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/if_alg.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GREEDY	 1000 /* their uids */
#define MODEST	 1001
#define SOFTWARE "cbc(aes-generic)" /* which the accelerator has, and which is another module's */

/* What processes tell each other. */
static struct told {
	volatile int n;
	volatile long us;
} * told;

static int turn[2], go[2]; /* pipes */

static void start(void)
{
	struct rlimit files = { 4096, 4096 };

	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK_IS(pipe(turn), 0);
	CHECK_IS(pipe(go), 0);
	setrlimit(RLIMIT_NOFILE, &files);
	chmod("/dev/kcrypto", 0666);
}

static void finish(void)
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

/* The child has what it wants, and keeps it until it is killed. */
static int keep(int n)
{
	told->n = n;
	CHECK_IS(write(turn[1], "", 1), 1);
	pause();
	return 0;
}

/* Waits for that. */
static int hear(void)
{
	struct pollfd p = { .fd = turn[0], .events = POLLIN };
	char c;

	CHECK(poll(&p, 1, PATIENCE * 1000) == 1 && read(turn[0], &c, 1) == 1);
	return told->n;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	CHECK_IS(end_of(child), SIGKILL);
}

/* The bound on a request of the driver begins when the driver has it. */
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

	start();
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
	finish();
}

/* As often as a user may, by each of so many subordinate uids, once newuidmap has given them. */
static int be_container(unsigned uids)
{
	char c;

	if (unshare(CLONE_NEWUSER) || write(turn[1], "", 1) != 1 || read(go[0], &c, 1) != 1)
		return 1;
	for (uid_t uid = 1; uid <= uids; uid++) {
		if (setresuid(uid, 0, 0))
			return 2;
		while (device_open() >= 0)
			told->n++;
		if (errno != EDQUOT)
			return 3;
	}
	return 0;
}

/* How many sessions a container gets that this user has made, or root for uids from @first on. */
static int container_gets(uid_t owner, unsigned first)
{
	char file[64], map[64];
	pid_t child;

	told->n = 0;
	child = as_user(owner, be_container, 4);
	hear();
	snprintf(file, sizeof(file), "/proc/%d/uid_map", (int)child);
	snprintf(map, sizeof(map), "0 %u 65536", first);
	CHECK(write_to(file, map));
	CHECK_IS(write(go[1], "", 1), 1);
	CHECK_IS(end_of(child), 0);
	CHECK(wait_for_counter("sessions", 0));
	return told->n;
}

TEST(subordinate_uids_are_one_user)
{
	start();
	set_kcrypto("sessions", "20");
	CHECK_IS(container_gets(GREEDY, 100000), 20);
	CHECK_IS(container_gets(0, 200000), 20);
	set_kcrypto("sessions", "1024");
	finish();
}

/* Short requests, until no more are taken. */
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
 * Tells how many requests the device does until it has done one of this user's, and what that
 * takes. A busy machine may stop this process between the two looks, but not most times.
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

/* The same, beside a user who has as many requests as he may. */
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
	printf("# latency %s us: a request takes %ld us, %ld alone; %d were done until then\n", latency,
	       told->us, alone, told->n);
	end(greedy);
	set_accel("latency", "0");
	CHECK(wait_for_counter("in_flight", 0));
}

/*
 * Another user's request waits for the two that the device has, for one that is before it in turn,
 * and for itself. The first device is so slow that the machine does not matter; of the second the
 * time is printed.
 */
TEST(a_full_queue_of_another_user)
{
	start();
	make_wanted();
	run_beside_another("100000");
	CHECK(told->n <= 4);
	run_beside_another("1500");
	finish();
}

static int open_one(unsigned unused)
{
	struct session s;

	(void)unused;
	return try_cbc(&s) ? 1 : run_once(&s) != 0;
}

/* A request that waits for long is not lost, as long as the device answers others. */
TEST(a_slow_device_is_alive)
{
	pid_t greedy;

	start();
	set_kcrypto("time_limit_ms", "2000");
	set_accel("latency", "20000");
	greedy = as_user(GREEDY, fill_queue, 400);
	CHECK(hear() >= 400);
	CHECK_IS(end_of(as_user(MODEST, open_one, 0)), 0);
	end(greedy);
	set_accel("latency", "0");
	CHECK(wait_for_counter("in_flight", 0));
	set_kcrypto("time_limit_ms", "10000");
	finish();
}

static void new_module(void)
{
	CHECK(wait_for_counter("sessions", 0));
	CHECK_IS(remove_module("kcrypto"), 0);
	CHECK_IS(insert_module(getenv("KCRYPTO_KO")), 0);
	chmod("/dev/kcrypto", 0666);
}

static int hold_sessions(unsigned unused)
{
	struct session s;
	int n = 0, err;

	(void)unused;
	while ((err = try_cbc(&s)) == 0)
		n++;
	return err == -EDQUOT ? keep(n) : keep(-1);
}

/* As dm-crypt and IPsec do, by name. */
static bool kernel_gets_a_session(void)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG,
				   .salg_type = "skcipher",
				   .salg_name = "cbc-aes-accel" };
	int fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool has = fd >= 0 && bind(fd, (void *)&sa, sizeof(sa)) == 0 &&
		   setsockopt(fd, SOL_ALG, ALG_SET_KEY, key, 16) == 0;

	close(fd);
	return has;
}

TEST(sessions_of_a_device_that_has_few)
{
	static const char *const rooms[] = { "128", "32", "5" };
	pid_t greedy;
	int n;

	start();
	for (size_t i = 0; i < COUNT(rooms); i++) {
		int room = atoi(rooms[i]);

		new_module(); /* which has not seen the device with more */
		set_accel("sessions", rooms[i]);
		greedy = as_user(GREEDY, hold_sessions, 0);
		n = hear();
		printf("# of %d sessions a user gets %d\n", room, n);
		CHECK(n > 0 && n <= room / 2);
		CHECK_IS(end_of(as_user(MODEST, open_one, 0)), 0);
		CHECK(kernel_gets_a_session());
		end(greedy);
	}
	set_accel("sessions", "0");
	new_module();
	finish();
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

/* Tells what OPEN and close take. */
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

	start();
	open_cbc(&s); /* its software stays */
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
	finish();
}

/* They leave room for their successors, by their end. */
TEST(requests_of_dead_processes_cost_nothing)
{
	struct session s;
	pid_t child;

	start();
	open_cbc(&s);
	set_kcrypto("requests", "50");
	for (int i = 0; i < 4; i++) {
		child = fork();
		if (child == 0) {
			for (int n = 0; n < 40; n++)
				if (submit(&s, out, 16, 0))
					_exit(1);
			_exit(submit(&s, out, 16, 0) || reap(&s, 0) ? 2 : 0);
		}
		CHECK_IS(end_of(child), 0);
		CHECK(wait_for_counter("in_flight", 0));
	}
	set_kcrypto("requests", "2048");
	session_close(&s);
	finish();
}

static int run_until_killed(unsigned unused)
{
	(void)unused;
	return open_one(0);
}

/* A caller that is killed is no driver that does not answer. */
TEST(timeouts_are_counted_alone)
{
	static const char *const counters = "/sys/kernel/debug/kcrypto/counters";
	long before = number_in(counters, "timeouts ");
	pid_t child;

	start();
	set_accel("delay", FOR_EVER);
	child = as_user(MODEST, run_until_killed, 0);
	CHECK(wait_for_counter("in_flight", 1));
	end(child);
	set_accel("delay", "0");
	CHECK_IS(number_in(counters, "timeouts "), before);
	finish();
}
