// SPDX-License-Identifier: Apache-2.0
/*
 * Callers of /dev/kcrypto that something else stops: a page of a file system whose server does not
 * answer, a debugger, a machine that is suspended. Nobody else waits for them, and they end when
 * they should.
 */
#define _GNU_SOURCE
#include "crowd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/if_alg.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_OF_FUSE "/run/kcrypto-stopped"
#define PART	     (1 << 20) /* offset in that file that is beyond the kernel's readahead */

enum place { OF_TEXT, OF_OUTPUT, OF_KEY, OF_LIST, PLACES };

/* A request of the kernel to the file system, and the answer. */
struct asked {
	struct fuse_in_header head;
	union {
		struct fuse_read_in read;
		uint8_t any[FUSE_MIN_READ_BUFFER];
	};
};

struct answer {
	struct fuse_out_header head;
	union {
		struct fuse_init_out init;
		struct fuse_attr_out attr;
		struct fuse_open_out open;
	};
};

/* The file system is a single file. */
static struct answer answer_to(const struct asked *asked)
{
	struct answer answer = { .head = { .unique = asked->head.unique } };

	answer.head.len = sizeof(answer.head);
	switch (asked->head.opcode) {
	case FUSE_INIT:
		answer.init.major = FUSE_KERNEL_VERSION;
		answer.init.minor = FUSE_KERNEL_MINOR_VERSION;
		answer.init.max_write = 4096;
		answer.head.len += sizeof(answer.init);
		break;
	case FUSE_GETATTR:
		answer.attr.attr_valid = UINT32_MAX;
		answer.attr.attr.mode = S_IFREG | 0666;
		answer.attr.attr.nlink = 1;
		answer.attr.attr.size = PLACES * PART;
		answer.head.len += sizeof(answer.attr);
		break;
	case FUSE_OPEN:
		/* Otherwise, opening the file would wait for the pages that others wait for. */
		answer.open.open_flags = FOPEN_KEEP_CACHE;
		answer.head.len += sizeof(answer.open);
		break;
	default:
		answer.head.error = -ENOSYS;
	}
	return answer;
}

/* Answers everything but reads. */
static int serve(int fuse)
{
	static struct asked asked;
	struct answer answer;

	while (read(fuse, &asked, sizeof(asked)) > 0) {
		if (asked.head.opcode == FUSE_READ) {
			told->n |= 1 << asked.read.offset / PART;
			continue;
		}
		answer = answer_to(&asked);
		if (write(fuse, &answer, answer.head.len) < 0 && errno != ENOENT)
			return 1;
	}
	return 0;
}

/* Returns the server. When it ends, all who wait for it get an error. */
static pid_t mount_fuse(void)
{
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[64];
	struct stat stat;
	pid_t server;

	close(open(FILE_OF_FUSE, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
	snprintf(options, sizeof(options), "fd=%d,rootmode=100666,user_id=0,group_id=0,allow_other",
		 fuse);
	CHECK_IS(mount("fuse", FILE_OF_FUSE, "fuse", 0, options), 0);
	server = fork();
	if (server == 0)
		_exit(serve(fuse));
	close(fuse);
	/* Makes the kernel learn the file's length. */
	CHECK_IS(lstat(FILE_OF_FUSE, &stat), 0);
	return server;
}

static void *page_of_fuse(unsigned place)
{
	int fd = open(FILE_OF_FUSE, O_RDWR | O_CLOEXEC);
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, (off_t)place * PART);

	close(fd);
	return page;
}

static int stop_at(unsigned place)
{
	struct kcrypto_list list = { .count = 1, .driver_size = sizeof(struct kcrypto_driver) };
	void *page = page_of_fuse(place);
	struct kcrypto_request req;
	struct session s;

	if (page == MAP_FAILED)
		return 1;
	if (place == OF_KEY)
		return session_open(&s, KCRYPTO_CBC_AES, "", page, 16, 0) != 0;
	if (try_cbc(&s))
		return 2;
	req = cipher_request(&s, place == OF_TEXT ? page : in, place == OF_OUTPUT ? page : out, 64);
	if (place != OF_LIST)
		return request_run(&s, &req) != 0;
	list.drivers = address(page);
	return device_ioctl(s.fd, KCRYPTO_IOC_LIST, &list) != 0;
}

/* The kernel registers an algorithm, for which it needs an exclusive lock on its list. */
static int have_a_template_instantiated(unsigned unused)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG,
				   .salg_type = "skcipher",
				   .salg_name = "ctr(aes-generic)" };
	int fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	(void)unused;
	return fd < 0 || bind(fd, (void *)&sa, sizeof(sa));
}

/*
 * A file system's server need not answer. A caller that waits for the server may do so in any
 * system call that copies; the caller holds nothing in the module that others need, and ends with
 * the server.
 */
TEST(pages_that_never_come)
{
	pid_t stopped[PLACES], server;

	if (access("/dev/fuse", F_OK)) {
		printf("# skipped: this kernel has no file systems in user space\n");
		return;
	}
	crowd_start();
	server = mount_fuse();
	for (unsigned i = 0; i < PLACES; i++)
		stopped[i] = as_user(GREEDY, stop_at, i);
	for (int i = 0; i < PATIENCE * 100 && told->n != (1 << PLACES) - 1; i++)
		usleep(10000);
	CHECK_IS(told->n, (1 << PLACES) - 1);
	CHECK_IS(end_of(as_user(MODEST, have_a_template_instantiated, 0)), 0);
	CHECK_IS(end_of(as_user(MODEST, open_one, 0)), 0);
	CHECK_IS(end_of(as_user(GREEDY, open_one, 0)), 0);
	for (unsigned i = 0; i < PLACES; i++)
		kill(stopped[i], SIGKILL);
	CHECK_IS(end_of(as_user(MODEST, open_one, 0)), 0);
	end(server);
	for (unsigned i = 0; i < PLACES; i++)
		CHECK_IS(end_of(stopped[i]), SIGKILL);
	CHECK_IS(umount(FILE_OF_FUSE), 0);
	unlink(FILE_OF_FUSE);
	crowd_finish();
}

/*
 * Runs in a process that is traced: has one request in flight, and waits for it in RUN or in REAP.
 */
static int wait_while_traced(unsigned in_reap)
{
	struct session s;

	if (try_cbc(&s))
		return 1;
	if (in_reap)
		return submit(&s, out, LEN, 0) || reap(&s, 0) || memcmp(out, wanted, LEN) != 0;
	return run_once(&s) || memcmp(out, wanted, LEN) != 0;
}

/* Waits until the process sleeps in this ioctl. */
static bool sleeps_in(pid_t child, unsigned long request)
{
	unsigned long number, fd, found;
	bool sleeps = false;
	char name[64];
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/syscall", (int)child);
	for (int i = 0; i < PATIENCE * 100 && !sleeps; i++) {
		usleep(10000);
		file = fopen(name, "re");
		sleeps = file && fscanf(file, "%lu %lx %lx", &number, &fd, &found) == 3 &&
			 found == request;
		if (file)
			fclose(file);
	}
	return sleeps;
}

static pid_t seize_who_waits(unsigned in_reap)
{
	pid_t child = as_user(GREEDY, wait_while_traced, in_reap);

	CHECK(sleeps_in(child, in_reap ? KCRYPTO_IOC_REAP : KCRYPTO_IOC_RUN));
	CHECK_IS(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	CHECK_IS(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
	return child;
}

/* The stops of a traced process are reported, too. */
static void kill_who_is_traced(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	do
		status = end_of(child);
	while (status >= 0 && WIFSTOPPED(status));
	CHECK_IS(status, SIGKILL);
}

/*
 * REAP stops for a debugger, and continues afterwards. RUN, which cannot be restarted, stops when
 * it ends. Both can be killed.
 */
TEST(callers_that_are_traced)
{
	int status;
	pid_t child;

	crowd_start();
	make_wanted();
	for (unsigned in_reap = 0; in_reap < 2; in_reap++) {
		set_accel("delay", FOR_EVER);
		child = seize_who_waits(in_reap);
		if (!in_reap)
			set_accel("delay", "0");
		status = end_of(child);
		CHECK(WIFSTOPPED(status));
		set_accel("delay", "0");
		CHECK_IS(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
		CHECK_IS(end_of(child), 0);
		set_accel("delay", FOR_EVER);
		kill_who_is_traced(seize_who_waits(in_reap));
		set_accel("delay", "0");
	}
	crowd_finish();
}

static void *wait_in_run(void *session)
{
	run_once(session);
	return NULL;
}

static void *wait_in_open(void *unused)
{
	struct session s;

	try_cbc(&s);
	return unused;
}

/*
 * Starts that many threads, each of which waits for a request or for a session, until this process
 * is killed.
 */
static int wait_in_threads(unsigned n, void *(*wait)(void *), struct session *s)
{
	pthread_t thread;

	while (n-- > 0)
		if (pthread_create(&thread, NULL, wait, s))
			return 2;
	pause();
	return 0;
}

static int open_many(unsigned n)
{
	struct session s;

	while (n-- > 0)
		if (try_cbc(&s))
			return 1;
	return 0;
}

static int run_in_threads(unsigned n)
{
	struct session s;

	return try_cbc(&s) ? 1 : wait_in_threads(n, wait_in_run, &s);
}

static int open_in_threads(unsigned n)
{
	return wait_in_threads(n, wait_in_open, NULL);
}

/*
 * Suspends as far as the kernel's own test does: tasks are frozen for some seconds, devices
 * continue.
 */
static bool sleep_and_wake(const char *seconds)
{
	bool slept;

	write_to("/sys/power/sync_on_suspend", "0");
	CHECK(write_to("/sys/module/suspend/parameters/pm_test_delay", seconds));
	CHECK(write_to("/sys/power/pm_test", "freezer"));
	slept = write_to("/sys/power/state", "freeze");
	write_to("/sys/power/pm_test", "none");
	return slept;
}

static bool can_sleep(void)
{
	if (access("/sys/power/pm_test", F_OK) == 0)
		return true;
	printf("# skipped: this kernel cannot test how it goes to sleep\n");
	return false;
}

static long counter(const char *name)
{
	return number_in("/sys/kernel/debug/kcrypto/counters", name);
}

/*
 * Waiting for a device does not keep the machine from being suspended, which the kernel tries for
 * 20 s.
 */
TEST(callers_in_run_while_the_machine_sleeps)
{
	pid_t in_run;

	if (!can_sleep())
		return;
	crowd_start();
	set_kcrypto("time_limit_ms", "1000000");
	set_accel("delay", FOR_EVER);
	in_run = as_user(GREEDY, run_in_threads, 20);
	CHECK(wait_for_counter("in_flight", 20));
	CHECK(sleep_and_wake("1"));
	CHECK_IS(counter("in_flight"), 20);
	end(in_run);
	set_accel("delay", "0");
	set_kcrypto("time_limit_ms", "10000");
	crowd_finish();
}

/*
 * The time for which the machine is suspended is longer than the limit, and does not count against
 * the device.
 */
TEST(callers_in_open_while_the_machine_sleeps)
{
	const long before = counter("timeouts ");
	pid_t in_open;

	if (!can_sleep())
		return;
	crowd_start();
	CHECK_IS(end_of(as_user(GREEDY, open_many, 60)), 0); /* what the device has is known */
	/* Four at a time, so the last one begins after 30 s. */
	set_accel("key_delay", "3000");
	in_open = as_user(GREEDY, open_in_threads, 44);
	CHECK(wait_for_counter("sessions", 44));
	CHECK(sleep_and_wake("12"));
	set_accel("key_delay", "0");
	CHECK_IS(end_of(as_user(GREEDY, open_one, 0)), 0);
	end(in_open);
	CHECK_IS(counter("timeouts "), before);
	crowd_finish();
}

/* Queued requests stay in the queue: a suspended device must not be given requests. */
TEST(a_queue_while_the_machine_sleeps)
{
	struct session s;
	long begun;

	if (!can_sleep())
		return;
	crowd_start();
	open_cbc(&s);
	set_accel("latency", "400000");
	for (unsigned i = 0; i < 40; i++)
		CHECK_IS(submit(&s, out, LEN, i), 0);
	begun = accel_number("requests");
	CHECK(sleep_and_wake("12"));
	/* 30 if they had been handed over; otherwise those before and after the suspension. */
	CHECK(accel_number("requests") - begun <= 15);
	set_accel("latency", "0");
	for (unsigned i = 0; i < 40; i++)
		CHECK_IS(reap(&s, 0), 0);
	session_close(&s);
	crowd_finish();
}
