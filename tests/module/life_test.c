// SPDX-License-Identifier: Apache-2.0
/*
 * Sessions and requests of /dev/kcrypto that do not end in the usual way: processes are killed,
 * descriptors are closed or passed on, drivers hang, users want too much.
 */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *run_many(void *session)
{
	static __thread uint8_t mine[LEN];
	struct kcrypto_request req = cipher_request(session, in, mine, LEN);

	for (int i = 0; i < 300; i++) {
		CHECK_IS(request_run(session, &req), 0);
		CHECK(memcmp(mine, wanted, LEN) == 0);
	}
	return NULL;
}

TEST(threads_of_one_session)
{
	pthread_t thread[8];
	struct session s;

	make_wanted();
	open_cbc(&s);
	for (size_t i = 0; i < COUNT(thread); i++)
		pthread_create(&thread[i], NULL, run_many, &s);
	for (size_t i = 0; i < COUNT(thread); i++)
		pthread_join(thread[i], NULL);
	session_close(&s);
}

TEST(children_and_descriptors_of_others)
{
	struct session s, stranger;
	pid_t child;

	make_wanted();
	open_cbc(&s);
	set_accel("delay", "50");
	memset(out, 0, LEN);
	CHECK_IS(submit(&s, out, LEN, 7), 0);
	child = fork();
	if (child == 0) {
		/* The child shares the session, but not the parent's request. */
		if (reap_to(&s, 0, 0) != -ENOENT || run_once(&s) != 0)
			_exit(1);
		stranger = (struct session){ .fd = s.fd, .cookie = s.cookie + 1 };
		if (run_once(&stranger) != -ESTALE || reap_to(&stranger, 0, 0) != -ESTALE)
			_exit(2);
		_exit(memcmp(out, wanted, LEN) == 0 ? 0 : 3);
	}
	CHECK_IS(end_of(child), 0);
	CHECK_IS(reap_to(&s, 0, 0), 0);
	CHECK(result.user_data == 7 && memcmp(out, wanted, LEN) == 0);
	set_accel("delay", "0");
	open_cbc(&stranger);
	stranger.cookie = s.cookie;
	CHECK_IS(run_once(&stranger), -ESTALE);
	session_close(&stranger);
	session_close(&s);
	CHECK_IS(run_once(&s), -EBADF);
}

/* Another file with the number of a closed descriptor is left alone. */
TEST(descriptors_of_other_files)
{
	static const char *const files[] = { "/dev/null",    "/dev/zero", "/dev/tty",
					     "/dev/urandom", "/dev/ptmx", "/proc/self/status",
					     "/tmp",	     "/dev/mem" };
	struct session s = { .cookie = 1 };
	int pair[2], err;

	for (size_t i = 0; i < COUNT(files); i++) {
		s.fd = open(files[i], O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (s.fd < 0)
			continue;
		err = run_once(&s);
		CHECK(err == -ENOTTY || err == -EINVAL); /* from the random number device */
		close(s.fd);
	}
	CHECK_IS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	s.fd = pair[0];
	CHECK_IS(run_once(&s), -ENOTTY);
	close(pair[0]);
	CHECK_IS(read(pair[1], out, 1), 0);
	close(pair[1]);
	for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++) {
		s.fd = socket(AF_INET, type, 0);
		CHECK_IS(run_once(&s), -ENOTTY);
		close(s.fd);
	}
}

TEST(processes_killed_while_the_driver_hangs)
{
	struct session s;
	pid_t child[16];

	set_accel("delay", FOR_EVER);
	open_cbc(&s);
	for (size_t i = 0; i < COUNT(child); i++) {
		child[i] = fork();
		if (child[i] == 0) {
			if (i % 2)
				submit(&s, out, LEN, 0);
			_exit(run_once(&s) ? 1 : 0);
		}
	}
	CHECK(wait_for_counter("in_flight", 24));
	for (size_t i = 0; i < COUNT(child); i++)
		kill(child[i], SIGKILL);
	for (size_t i = 0; i < COUNT(child); i++)
		CHECK_IS(end_of(child[i]), SIGKILL);
	session_close(&s);
	CHECK_IS(number_in("/sys/kernel/debug/kcrypto/counters", "sessions"), 1);
	CHECK_IS(syscall(SYS_delete_module, "kcrypto", O_NONBLOCK), -1);
	CHECK_IS(errno, EAGAIN);
	set_accel("delay", "0");
	CHECK(wait_for_counter("in_flight", 0));
	CHECK(wait_for_counter("sessions", 0));
}

TEST(a_driver_that_is_too_late)
{
	struct session s;

	set_kcrypto("time_limit_ms", "2000"); /* for three calls one after another */
	set_accel("delay", FOR_EVER);
	open_cbc(&s);
	CHECK_IS(run_once(&s), -ETIMEDOUT);
	CHECK_IS(run_once(&s), -ESHUTDOWN);
	CHECK_IS(reap_to(&s, 0, 0), -ENOENT);
	session_close(&s);
	open_cbc(&s);
	CHECK_IS(submit(&s, out, LEN, 1), 0);
	CHECK_IS(submit(&s, out, LEN, 2), 0);
	CHECK_IS(reap_to(&s, 0, 0), 0);
	CHECK(result.error == -ETIMEDOUT && result.user_data == 1);
	CHECK_IS(submit(&s, out, LEN, 3), -ESHUTDOWN);
	CHECK_IS(reap_to(&s, 0, 0), 0);
	CHECK(result.error == -ETIMEDOUT && result.user_data == 2);
	CHECK_IS(reap_to(&s, 0, 0), -ENOENT);
	session_close(&s);
	set_accel("delay", "0");
	set_kcrypto("time_limit_ms", "10000");
	CHECK(wait_for_counter("sessions", 0));
}

/*
 * Runs as this user, who may open the device. Returns the number of the check that failed, or 0.
 * Opening the device takes a session's place: of very many sessions, most are not set up.
 */
static int greedy(unsigned limit)
{
	struct session s, last = { .fd = -1 };
	unsigned n = 0;
	int err;

	while ((err = n < 2048 ? try_cbc(&s) : device_open()) >= 0) {
		last = s;
		if (++n > limit)
			return 1;
	}
	if (err != -EDQUOT || n != limit)
		return 2;
	if (device_open() != -EDQUOT)
		return 3;
	session_close(&last);
	/* The work queue that frees the session's transform releases its place. */
	for (n = 0; n < 3000; n++) {
		err = try_cbc(&s);
		if (err != -EDQUOT)
			break;
		usleep(10000);
	}
	return err ? 4 : 0;
}

/* Waits until the sessions of earlier users have been freed. */
static void play_greedy(uid_t uid, unsigned limit)
{
	CHECK(wait_for_counter("sessions", 0));
	CHECK_IS(end_of(as_user(uid, greedy, limit)), 0);
}

/* The limit counts all bytes of a request; short requests fit in what is left. */
static int greedy_in_bytes(unsigned unused)
{
	struct session s;
	unsigned n = 0;

	(void)unused;
	if (try_cbc(&s))
		return 1;
	while (submit(&s, out, KCRYPTO_MAX_LEN, 0) == 0)
		n++;
	if (n != 15)
		return 2;
	while (n < KCRYPTO_MAX_IN_FLIGHT && submit(&s, out, 16, 0) == 0)
		n++;
	return n > 15 && n < 64 && submit(&s, out, 16, 0) == -EAGAIN ? 0 : 3;
}

/* How many requests of @len bytes still fit beside idle sessions, or -1. */
static int left_by_idle_sessions(size_t len)
{
	struct session s[32];
	int n = 0;

	for (size_t i = 0; i < COUNT(s); i++)
		if (try_cbc(&s[i]) || submit(&s[i], out, len, 0) || reap_to(&s[i], 0, 0))
			return -1;
	while (submit(&s[0], out, len, 0) == 0)
		n++;
	return n;
}

/* The memory of idle sessions leaves half the limit to requests. */
static int idle_memory(unsigned unused)
{
	int n = left_by_idle_sessions(KCRYPTO_MAX_LEN);

	(void)unused;
	return n >= 7 && n <= 16 ? 0 : 2;
}

/* So do their places. */
static int idle_places(unsigned limit)
{
	int n = left_by_idle_sessions(16);

	return n >= (int)limit / 2 && n <= (int)limit ? 0 : 2;
}

static int refused(unsigned unused)
{
	(void)unused;
	return device_open() == -EACCES ? 0 : 1;
}

TEST(limits_of_a_user)
{
	struct rlimit files = { 300000, 300000 };
	int many = as_often(66000);
	char text[16];

	CHECK_IS(end_of(as_user(1000, refused, 0)), 0);
	chmod("/dev/kcrypto", 0666);
	CHECK_IS(end_of(as_user(1000, greedy, 1000)), 256); /* the process's limit of open files */
	setrlimit(RLIMIT_NOFILE, &files);
	for (uid_t uid = 1000; uid < 1003; uid++)
		play_greedy(uid, 1024);
	snprintf(text, sizeof(text), "%d", many);
	set_kcrypto("sessions", text);
	play_greedy(1000, (unsigned)many);
	set_kcrypto("sessions", "3");
	play_greedy(1000, 3);
	set_kcrypto("sessions", "1024");
	CHECK(wait_for_counter("sessions", 0));
	set_kcrypto("in_flight_kib", "1024");
	CHECK_IS(end_of(as_user(1000, idle_memory, 0)), 0);
	CHECK(wait_for_counter("sessions", 0));
	set_kcrypto("requests", "40");
	CHECK_IS(end_of(as_user(1000, idle_places, 40)), 0);
	CHECK(wait_for_counter("sessions", 0));
	set_kcrypto("requests", "2048");
	set_accel("delay", FOR_EVER);
	CHECK_IS(end_of(as_user(1000, greedy_in_bytes, 0)), 0);
	CHECK_IS(end_of(as_user(1001, greedy_in_bytes, 0)), 0);
	set_accel("delay", "0");
	set_kcrypto("in_flight_kib", "16384");
	CHECK(wait_for_counter("sessions", 0));
	chmod("/dev/kcrypto", 0600);
}

/* Sessions are opened and closed, half of them without having been set up. */
TEST(many_sessions)
{
	struct session s;

	for (int i = 0; i < 2000; i++) {
		open_cbc(&s);
		close(device_open());
		session_close(&s);
	}
	CHECK(wait_for_counter("sessions", 0));
}

static void *run_until_it_fails(void *session)
{
	while (run_once(session) == 0)
		;
	return NULL;
}

TEST(sessions_closed_under_load)
{
	struct session s;
	pthread_t thread[3];

	for (int round = 0; round < 30; round++) {
		open_cbc(&s);
		for (size_t i = 0; i < COUNT(thread); i++)
			pthread_create(&thread[i], NULL, run_until_it_fails, &s);
		for (int i = 0; i < round; i++)
			submit(&s, in + LEN, LEN, 0);
		reap_to(&s, KCRYPTO_NOWAIT, 0);
		usleep(2000);
		close(s.fd);
		for (size_t i = 0; i < COUNT(thread); i++)
			pthread_join(thread[i], NULL);
	}
	CHECK(wait_for_counter("sessions", 0));
	CHECK(wait_for_counter("in_flight", 0));
}

TEST(removal_while_in_use)
{
	struct session s;

	open_cbc(&s);
	CHECK_IS(syscall(SYS_delete_module, "kcrypto", O_NONBLOCK), -1);
	CHECK_IS(errno, EAGAIN);
	CHECK_IS(syscall(SYS_delete_module, "accel", O_NONBLOCK), -1);
	CHECK_IS(errno, EAGAIN);
	CHECK_IS(run_once(&s), 0);
	session_close(&s);
}

/* -EBADMSG means a wrong tag only where there is a tag. Other errors are passed on. */
/* It has no backlog, so -EBUSY is its answer. */
TEST(a_driver_that_answers_at_once_and_is_busy)
{
	struct session s;

	CHECK_IS(remove_module("accel"), 0);
	CHECK_IS(insert_module_with(getenv("ACCEL_KO"), "async=0 kern_driver_only=1"), 0);
	open_cbc(&s);
	set_accel("fail_errno", "16");
	set_accel("fail_every", "1");
	CHECK_IS(submit(&s, out, LEN, 0), 0);
	CHECK_IS(reap(&s, KCRYPTO_NOWAIT), -EBUSY);
	set_accel("fail_every", "0");
	CHECK_IS(run_once(&s), 0);
	session_close(&s);
	CHECK(wait_for_counter("sessions", 0));
	CHECK_IS(remove_module("accel"), 0);
	CHECK_IS(insert_module(getenv("ACCEL_KO")), 0);
}

TEST(errors_of_the_driver)
{
	struct session s;

	open_cbc(&s);
	set_accel("fail_every", "1");
	memset(out, 0x55, LEN);
	CHECK_IS(run_once(&s), -EIO);
	CHECK_IS(out[0], 0x55);
	set_accel("fail_errno", "512"); /* ERESTARTSYS, which only the kernel uses */
	CHECK_IS(run_once(&s), -EIO);
	set_accel("fail_errno", "-5");
	CHECK_IS(run_once(&s), -EIO);
	set_accel("fail_errno", "5");
	set_accel("fail_every", "0");
	CHECK_IS(run_once(&s), 0);
	session_close(&s);
}
