// SPDX-License-Identifier: Apache-2.0
/*
 * What users of /dev/kcrypto hold, each within the limits: sessions of a device that has few; those
 * of subordinate uids; and what processes leave behind when they end.
 */
#define _GNU_SOURCE
#include "crowd.h"

#include <errno.h>
#include <linux/if_alg.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Opens as many sessions as a user may, as each of that many subordinate uids, once newuidmap has
 * granted them.
 */
static int be_container(unsigned uids)
{
	if (unshare(CLONE_NEWUSER) || wait_for_parent())
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

/*
 * The number of sessions that a container gets which this user has made, or root, for uids from
 * @first on.
 */
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
	go_on();
	CHECK_IS(end_of(child), 0);
	CHECK(wait_for_counter("sessions", 0));
	return told->n;
}

TEST(subordinate_uids_are_one_user)
{
	crowd_start();
	set_kcrypto("sessions", "20");
	CHECK_IS(container_gets(GREEDY, 100000), 20);
	CHECK_IS(container_gets(0, 200000), 20);
	set_kcrypto("sessions", "1024");
	crowd_finish();
}

/* By name, as dm-crypt and IPsec do. */
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

	crowd_start();
	for (size_t i = 0; i < COUNT(rooms); i++) {
		int room = atoi(rooms[i]);

		new_module(); /* which has not seen the device give more */
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
	crowd_finish();
}

/* For a device with that many sessions, whatever it had before. */
static void check_half_of(const char *sessions)
{
	int room = atoi(sessions), n;
	pid_t greedy;

	set_accel("sessions", sessions);
	greedy = as_user(GREEDY, hold_sessions, 0);
	n = hear();
	printf("# of %d sessions a user gets %d\n", room, n);
	CHECK(n >= room / 4 && n <= room / 2);
	end(greedy);
	CHECK(wait_for_counter("sessions", 0));
}

static const char *const rooms_in_turn[] = { "128", "32", "128" };

/*
 * The number of sessions that a device gave is not applied to the next device, nor to the same one
 * with other parameters.
 */
TEST(a_device_that_comes_back)
{
	crowd_start();
	new_module();
	for (size_t i = 0; i < COUNT(rooms_in_turn); i++) {
		new_accel();
		check_half_of(rooms_in_turn[i]);
	}
	new_accel();
	crowd_finish();
}

/* The device is unbound, and its driver stays. */
TEST(a_device_that_is_unbound)
{
	crowd_start();
	new_module();
	for (size_t i = 0; i < COUNT(rooms_in_turn); i++) {
		check_half_of(rooms_in_turn[i]);
		set_accel("bound", "N");
		set_accel("bound", "Y");
	}
	set_accel("sessions", "0");
	crowd_finish();
}

/*
 * Opens sessions until the module counts those that the device gives: a session is then more than
 * one transform.
 */
static int open_until_counted(unsigned unused)
{
	struct session s;
	long before;

	(void)unused;
	for (int i = 0; i < PATIENCE * 10; i++) {
		before = accel_number("keys_set");
		if (try_cbc(&s))
			return 1;
		session_close(&s);
		if (accel_number("keys_set") > before + 1)
			return 0;
		usleep(100000);
	}
	return 2;
}

/*
 * Nothing reports the change, so the module trusts what it saw for a limited time. How long that is
 * by this program's clock depends on the machine: a kernel without a processor counts no jiffies.
 */
TEST(a_device_that_gives_fewer_sessions)
{
	crowd_start();
	new_module();
	set_kcrypto("recount_s", "1");
	for (size_t i = 0; i < COUNT(rooms_in_turn); i++) {
		set_accel("sessions", rooms_in_turn[i]);
		CHECK_IS(end_of(as_user(GREEDY, open_until_counted, 0)), 0);
		CHECK(wait_for_counter("sessions", 0));
		check_half_of(rooms_in_turn[i]);
	}
	set_kcrypto("recount_s", "600");
	set_accel("sessions", "0");
	crowd_finish();
}

static int open_one_more(unsigned n)
{
	struct session s;

	while (n-- > 0)
		if (try_cbc(&s))
			return 1;
	return wait_for_parent() || try_cbc(&s) ? 2 : 0;
}

/* Counting its sessions takes longer than the time limit of a device that does not answer. */
TEST(a_device_that_takes_keys_slowly)
{
	pid_t greedy;

	crowd_start();
	new_module();
	greedy = as_user(GREEDY, open_one_more, 100);
	hear();
	set_kcrypto("recount_s", "1");
	set_kcrypto("time_limit_ms", "3000");
	set_accel("key_delay", "50");
	sleep(2);
	go_on();
	CHECK_IS(end_of(as_user(MODEST, open_one, 0)), 0);
	CHECK_IS(end_of(greedy), 0);
	set_accel("key_delay", "0");
	set_kcrypto("time_limit_ms", "10000");
	set_kcrypto("recount_s", "600");
	crowd_finish();
}

/* A request's end makes room for other processes' requests. */
TEST(requests_of_dead_processes_cost_nothing)
{
	struct session s;
	pid_t child;

	crowd_start();
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
	crowd_finish();
}

#define CGROUP "/run/kcrypto-dead"

/* The kernel's bytes in this cgroup, whether their processes live or not. */
static long kernel_bytes(void)
{
	return number_in(CGROUP "/one/memory.stat", "kernel ");
}

static int submit_once(const struct session *s)
{
	pid_t child = fork();

	if (child == 0)
		_exit(submit(s, out, 16, 0) != 0);
	return end_of(child);
}

/* From now on, memory of this process's children is counted there. */
static void enter_memory_cgroup(void)
{
	mkdir(CGROUP, 0755);
	if (mount("none", CGROUP, "cgroup2", 0, NULL) && errno != EBUSY)
		printf("# no memory cgroups: %s\n", strerror(errno));
	CHECK(write_to(CGROUP "/cgroup.subtree_control", "+memory"));
	mkdir(CGROUP "/one", 0755);
	CHECK(write_to(CGROUP "/one/cgroup.procs", "0"));
}

static void leave_memory_cgroup(void)
{
	CHECK(write_to(CGROUP "/cgroup.procs", "0"));
	CHECK_IS(rmdir(CGROUP "/one"), 0);
	CHECK_IS(umount(CGROUP), 0);
}

#define FILES 512

/*
 * open(2) of any device of the misc class waits for a lock that is held while this one is opened.
 * To charge memory to a cgroup that has none left may take as long as its owner likes.
 */
TEST(open_files_are_charged_to_no_cgroup)
{
	static int fd[FILES];
	long before;

	crowd_start();
	enter_memory_cgroup();
	before = kernel_bytes();
	for (size_t i = 0; i < FILES; i++)
		CHECK((fd[i] = device_open()) >= 0);
	printf("# %d open files hold %ld KiB\n", FILES, (kernel_bytes() - before) / 1024);
	/* Those of the files themselves, of 256 bytes. */
	CHECK(before >= 0 && kernel_bytes() - before <= FILES * 512);
	for (size_t i = 0; i < FILES; i++)
		close(fd[i]);
	crowd_finish();
	leave_memory_cgroup();
}

#define OPEN_SESSIONS 32
#define OF_EACH	      63

/* Each request belongs to another process, which ends while the driver hangs. */
TEST(memory_of_dead_processes)
{
	const int n = as_often(OPEN_SESSIONS);
	struct session s[OPEN_SESSIONS];
	long before;

	crowd_start();
	enter_memory_cgroup();
	set_accel("delay", FOR_EVER);
	before = kernel_bytes();
	for (int i = 0; i < n; i++) {
		open_cbc(&s[i]);
		for (int k = 0; k < OF_EACH; k++)
			CHECK_IS(submit_once(&s[i]), 0);
	}
	printf("# %d requests of dead processes hold %ld KiB\n", n * OF_EACH,
	       (kernel_bytes() - before) / 1024);
	CHECK(before >= 0 && kernel_bytes() - before <= 4 << 20);
	set_accel("delay", "0");
	for (int i = 0; i < n; i++)
		session_close(&s[i]);
	crowd_finish();
	leave_memory_cgroup();
}
