/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of running processes, read from another process: each process counts in its own
 * memory, without a file, a descriptor or a call.
 */
#include "unit/check.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/stats/stats.h"
#include "stats/stats.h"

#define ID     KC_ALG_AES_128_CBC
#define NOBODY 65534

static void count(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		kc_stats_add_done(&kc_algs[ID], 0, 4096, 3000);
}

static void turn_on(void)
{
	kc_stats_open();
	kc_stats_turn(true);
	if (!kc_stats_is_on())
		_exit(2);
}

static void count_five(void)
{
	turn_on();
	count(5);
}

/* A process that has run @f and waits to be killed. */
static pid_t start(void (*f)(void))
{
	int done[2], never[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(done) | pipe(never), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		f();
		/* Some actions allow no other calls than these. */
		if (write(done[1], "x", 1) == 1 && read(never[0], &c, 1) >= 0)
			_exit(1);
	}
	close(done[1]);
	assert_int_equal(read(done[0], &c, 1), 1);
	close(done[0]);
	close(never[0]);
	close(never[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static struct kc_running seen;
static struct kc_not_shown not_shown;
static pid_t wanted;

static void see(void *arg, const struct kc_running *running)
{
	(void)arg;
	if (running->pid == wanted)
		seen = *running;
}

static uint64_t requests_of(pid_t pid)
{
	memset(&seen, 0, sizeof(seen));
	wanted = pid;
	kc_running_walk(see, NULL, &not_shown);
	return seen.pid == pid ? kc_stats_sum(&seen.stats.row[ID]).requests : UINT64_MAX;
}

static void by_the_word(void)
{
	setenv("KCRYPTO_STATS", "yes", 1);
	kc_stats_open();
	kc_stats_turn(false);
	if (!kc_stats_is_on())
		_exit(2);
	count(1);
}

static void by_nothing(void)
{
	kc_stats_open();
	kc_stats_turn(false);
	if (kc_stats_is_on())
		_exit(2);
	count(1);
}

static void off_again(void)
{
	count_five();
	kc_stats_close();
}

TEST(it_is_off_until_something_turns_it_on)
{
	static const struct {
		void (*f)(void);
		uint64_t requests;
	} cases[] = { { by_nothing, UINT64_MAX },
		      { by_the_word, 1 },
		      { turn_on, 0 },
		      { off_again, UINT64_MAX } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		pid_t pid = start(cases[i].f);

		assert_int_equal(requests_of(pid), cases[i].requests);
		end(pid);
	}
}

TEST(a_process_is_shown_with_its_user_and_its_name)
{
	pid_t pid = start(count_five);

	assert_int_equal(requests_of(pid), 5);
	assert_int_equal(seen.uid, geteuid());
	assert_string_equal(seen.program, "running_test");
	assert_int_equal(kc_stats_sum(&seen.stats.row[ID]).bytes, 5 * 4096);
	end(pid);
	assert_int_equal(requests_of(pid), UINT64_MAX);
}

static bool is_raw, counts;

/* The parent has counted before. A raw clone calls no handlers of the C library. */
static void be_parent(void)
{
	bool right;
	pid_t pid;

	turn_on();
	count(3);
	pid = is_raw ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
	if (pid == 0) {
		if (counts)
			count(4);
		pause();
	}
	while (counts && requests_of(pid) != 4)
		usleep(1000);
	right = requests_of(getpid()) == 3 && (requests_of(pid) != UINT64_MAX) == counts;
	end(pid); /* left alone, it would keep the output open that the test runner waits for */
	_exit(!right);
}

TEST(a_child_counts_for_itself_and_only_if_it_counts)
{
	for (int i = 0; i < 4; i++) {
		pid_t pid;

		is_raw = i & 1;
		counts = i & 2;
		print_message("  case %d\n", i);
		pid = fork();
		if (pid == 0)
			be_parent();
		assert_ends_well(pid);
	}
}

/* What a program may do to itself between two requests. */
static void close_all(void)
{
	turn_on();
	for (int i = 0; i < 3; i++)
		close(i);
	for (int i = 64; i < 1024; i++)
		close(i);
	count(5);
}

static void limit_all(void)
{
	static const int limits[] = { RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA };
	const struct rlimit none = { 0, 0 };

	turn_on();
	for (size_t i = 0; i < COUNT(limits); i++)
		setrlimit((__typeof__(RLIMIT_AS))limits[i], &none);
	count(5);
}

/* The kernel kills it on any call but read, write, exit and the return from a signal. */
static void lock_up(void)
{
	turn_on();
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		_exit(2);
	count(5);
}

TEST(counting_takes_no_descriptor_and_no_call)
{
	static void (*const actions[])(void) = { close_all, limit_all, lock_up };

	for (size_t i = 0; i < COUNT(actions); i++) {
		pid_t pid;

		print_message("  case %zu\n", i);
		pid = start(actions[i]);
		assert_int_equal(requests_of(pid), 5);
		end(pid);
	}
}

/* Copies the mapping that holds this program's data. Returns its size. */
static size_t copy_data(char *copy, size_t room)
{
	static volatile int in_data = 1;
	const uintptr_t at = (uintptr_t)&in_data;
	FILE *maps = fopen("/proc/self/maps", "re");
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	unsigned long start = 1, end = 0;

	while (maps && !(start <= at && at < end) &&
	       fscanf(maps, "%lx-%lx%*[^\n]", &start, &end) == 2)
		;
	end = end - start < room ? end : start + room;
	if (pread(mem, copy, end - start, (off_t)start) != (ssize_t)(end - start))
		_exit(2);
	fclose(maps);
	close(mem);
	return end - start;
}

/* The data of another version, with as many rows. A sanitizer forbids searching the data itself. */
static void count_otherwise(void)
{
	char *copy = malloc(1 << 20), *at;
	struct kc_stats_here here;

	count_five();
	at = memmem(copy, copy_data(copy, 1 << 20), KC_STATS_HERE, sizeof(here.word));
	memcpy(&here, at, sizeof(here));
	((struct kc_stats *)(uintptr_t)here.address)->head.name[ID][0] = 'X';
	free(copy);
}

TEST(another_versions_table_is_counted_and_not_read)
{
	pid_t pid = start(count_otherwise);

	assert_int_equal(requests_of(pid), UINT64_MAX);
	assert_int_equal(not_shown.foreign, 1);
	end(pid);
}

/* The process has the number 1 there, as other processes may have elsewhere. */
TEST(a_process_of_another_pid_namespace_is_another_process)
{
	pid_t ours = start(count_five), pid;

	pid = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_NEWUSER | CLONE_NEWPID, NULL, NULL, NULL,
			     NULL);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		count_five();
		count(1);
		pause();
	}
	if (pid < 0) {
		print_message("  no namespace may be made here\n");
		end(ours);
		return;
	}
	while (requests_of(pid) != 6)
		usleep(1000);
	assert_int_equal(requests_of(ours), 5);
	end(pid);
	end(ours);
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		_exit(2);
}

static void count_as_nobody(void)
{
	become_nobody();
	prctl(PR_SET_DUMPABLE, 1);
	count_five();
}

static void count_and_become_nobody(void)
{
	count_five();
	become_nobody();
}

TEST(users_see_their_own_processes_and_root_sees_all)
{
	pid_t roots, nobodys, lookers, changed;

	if (geteuid() != 0) {
		print_message("  only root can\n");
		return;
	}
	roots = start(count_five);
	nobodys = start(count_as_nobody);
	changed = start(count_and_become_nobody);
	assert_int_equal(requests_of(roots), 5);
	assert_int_equal(requests_of(nobodys), 5);
	assert_int_equal(seen.uid, NOBODY);
	assert_int_equal(requests_of(changed), 5);
	assert_int_equal(seen.uid, NOBODY);
	lookers = fork();
	if (lookers == 0) {
		become_nobody();
		_exit(requests_of(roots) != UINT64_MAX || requests_of(changed) != UINT64_MAX ||
		      not_shown.others < 2 || requests_of(nobodys) != 5);
	}
	assert_ends_well(lookers);
	end(roots);
	end(nobodys);
	end(changed);
}

static void name_test(void)
{
	kc_running_module = "running_test";
}

const struct suite suite = { .set_up = name_test };
