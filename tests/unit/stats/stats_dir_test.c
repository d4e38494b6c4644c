/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counter files of running processes: each makes its own, only permitted processes are trusted,
 * and the file is removed when its process has ended.
 */
#include "unit/stats/process.h"
#include "stats/stats_read.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(nobody_else_can_read_what_a_process_counts)
{
	pid_t pid = start(count_five);
	char path[128];
	struct stat st;

	path_of(path, pid);
	assert_int_equal(requests_of(pid), 5);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(mine, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	end(pid);
}

static void by_the_word(void)
{
	setenv("KCRYPTO_STATS", "yes", 1);
	kc_stats_open();
	if (!kc_stats_turn(false))
		_exit(2);
	count(1);
}

static void by_nothing(void)
{
	kc_stats_open();
	if (kc_stats_turn(false) || kc_stats_is_on())
		_exit(2);
	count(1);
}

TEST(it_is_off_until_something_turns_it_on)
{
	pid_t pid = start(by_nothing);

	assert_false(is_there(pid));
	end(pid);
	pid = start(by_the_word);
	assert_int_equal(requests_of(pid), 1);
	end(pid);
}

static pid_t grandchild[2];

static void fork_and_count(void)
{
	turn_on();
	count(3);
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			if (i == 0)
				count(4);
			_exit(0);
		}
		if (waitpid(pid, NULL, 0) != pid)
			_exit(2);
		if (is_there(pid) != (i == 0) || requests_of(getpid()) != 3)
			_exit(4);
	}
	count(1);
	if (requests_of(getpid()) != 4)
		_exit(5);
}

static void fork_and_stay(void)
{
	turn_on();
	count(3);
	grandchild[0] = start(count_five);
	if (requests_of(getpid()) != 3 || requests_of(grandchild[0]) != 5 || seen.n != 2)
		_exit(6);
	end(grandchild[0]);
}

TEST(a_child_counts_for_itself_and_only_if_it_counts)
{
	run(fork_and_count);
	run(fork_and_stay);
}

TEST(the_dead_are_taken_away_by_who_looks_and_by_who_comes)
{
	pid_t pid = start(count_five), next;

	end(pid);
	assert_true(is_there(pid));
	look();
	assert_false(is_there(pid));
	assert_int_equal(seen.n, 0);
	pid = start(count_five);
	end(pid);
	next = start(count_five);
	assert_false(is_there(pid));
	assert_true(is_there(next));
	end(next);
}

/* As if the process that had this number before had left it. */
static void leave(pid_t pid, uint32_t started)
{
	static struct kc_stats stats;
	char path[128];
	int fd;

	path_of(path, pid);
	mkdir(mine, 0700);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	memcpy(stats.head.magic, KC_STATS_MAGIC, sizeof(stats.head.magic));
	stats.head.rows = KC_ALG_COUNT;
	stats.head.row_size = sizeof(stats.row[0]);
	stats.order = 1;
	stats.head.started[0] = started;
	stats.row[ID].backend[0].requests.digit[0] = 9;
	assert_int_equal(write(fd, &stats, sizeof(stats)), sizeof(stats));
	close(fd);
}

static void come_after_another(void)
{
	leave(getpid(), 1);
	count_five();
}

static void fork_to_it(void)
{
	int status;

	turn_on();
	count(3);
	if (fork() == 0) {
		leave(getpid(), 1);
		count(2);
		_exit(requests_of(getpid()) != 2);
	}
	if (wait(&status) < 0 || status)
		_exit(4);
}

TEST(a_number_that_is_used_again_is_another_process)
{
	pid_t pid = start(come_after_another);

	assert_int_equal(requests_of(pid), 5);
	end(pid);
	run(fork_to_it);
	leave(getpid(), 1);
	assert_int_equal(requests_of(getpid()), UINT64_MAX);
	assert_false(is_there(getpid()));
}

TEST(another_versions_file_is_counted_and_left)
{
	char path[128];
	int fd;

	leave(getpid(), (uint32_t)kc_stats_started(0));
	path_of(path, getpid());
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "kcrypto9", 8, 0), 8);
	close(fd);
	assert_int_equal(look(), 1);
	assert_int_equal(seen.n, 0);
	assert_true(is_there(getpid()));
}

static void go_nowhere(void)
{
	kc_stats_open();
	if (kc_stats_turn(true))
		_exit(2);
	count(1);
}

/* Each step of the way, as others could have made it. */
TEST(no_link_and_no_place_of_others_is_used)
{
	char other[80], path[128];
	struct stat st;

	snprintf(other, sizeof(other), "%s/other", dir);
	for (int i = 0; i < 4; i++) {
		remove_directory();
		assert_int_equal(mkdir(dir, 0700) | mkdir(other, 0700), 0);
		if (i)
			assert_int_equal(mkdir(common, 0700) | chmod(common, 01777), 0);
		switch (i) {
		case 0:
			assert_int_equal(symlink(other, common), 0);
			break;
		case 1:
			assert_int_equal(symlink(other, mine), 0);
			break;
		case 2:
			assert_int_equal(chmod(common, 0777), 0);
			break;
		case 3:
			assert_int_equal(mkdir(mine, 0700) | chmod(mine, 0770), 0);
		}
		print_message("  case %d\n", i);
		run(go_nowhere);
		assert_int_equal(rmdir(other), 0);
		snprintf(path, sizeof(path), "rmdir %s 2>/dev/null", mine);
		assert_true(system(path) == 0 || i < 2 || lstat(mine, &st) != 0);
	}
}

static char target[80];

static int (*make_link)(const char *from, const char *to);

static void come_to_a_link(void)
{
	char path[128];

	path_of(path, getpid());
	if (make_link(target, path) != 0)
		_exit(2);
	count_five();
}

TEST(a_link_in_the_files_place_is_replaced)
{
	struct stat st;

	snprintf(target, sizeof(target), "%s/target", dir);
	assert_int_equal(mkdir(mine, 0700), 0);
	assert_int_equal(close(open(target, O_CREAT | O_WRONLY, 0600)), 0);
	for (int i = 0; i < 2; i++) {
		pid_t pid;

		make_link = i ? link : symlink;
		pid = start(come_to_a_link);
		assert_int_equal(requests_of(pid), 5);
		assert_int_equal(stat(target, &st), 0);
		assert_int_equal(st.st_size, 0);
		end(pid);
	}
}

static void limit_files(void)
{
	limit_files_to(0);
}

static void empty_it(void)
{
	char path[128];

	path_of(path, getpid());
	if (truncate(path, 0) != 0)
		_exit(2);
}

static void remove_all(void)
{
	remove_directory();
}

static void (*harm)(void);

static void be_harmed(void)
{
	turn_on();
	count(5);
	harm();
	count(5);
	do_short(3000);
	kc_stats_error(&kc_algs[ID], 0, KC_LIED);
	kc_stats_close();
}

static void come_harmed(void)
{
	harm();
	go_nowhere();
}

TEST(what_happens_to_the_file_ends_nobody)
{
	static void (*const harms[])(void) = { empty_it, remove_all, limit_files };

	for (size_t i = 0; i < COUNT(harms); i++) {
		print_message("  case %zu\n", i);
		harm = harms[i];
		run(be_harmed);
		remove_directory();
		assert_int_equal(mkdir(dir, 0700) | mkdir(common, 0700) | chmod(common, 01777), 0);
	}
	harm = limit_files;
	run(come_harmed);
}

/* Where nobody has made the directory for all. */
TEST(a_users_own_directory_does_as_well)
{
	char user[80], path[128];
	struct stat st;
	pid_t pid;

	snprintf(user, sizeof(user), "%s/user", dir);
	assert_int_equal(rmdir(common) | mkdir(user, 0700), 0);
	snprintf(user, sizeof(user), "%s/user/%lu", dir, (unsigned long)geteuid());
	assert_int_equal(mkdir(user, 0700), 0);
	assert_int_equal(close(open(common, O_CREAT | O_WRONLY, 0600)), 0);
	run(go_nowhere);
	setenv("XDG_RUNTIME_DIR", user, 1);
	pid = start(count_five);
	snprintf(path, sizeof(path), "%.79s/kcrypto/%ld", user, (long)pid);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(requests_of(pid), 5);
	end(pid);
	assert_int_equal(chmod(user, 0770), 0);
	run(go_nowhere);
}

static uint64_t short_told, short_bytes;

static void see_short(void *arg, uid_t uid, pid_t pid, const struct kc_stats *stats)
{
	const struct kc_stats_soft *s = &stats->row[ID].soft[KC_SOFT_SMALL];

	(void)arg;
	(void)uid;
	if (pid != getpid())
		return;
	short_told = kc_count_read(&s->requests);
	short_bytes = kc_count_read(&s->bytes);
}

/* At most half of them are missing, and none at the end. */
static void count_short(void)
{
	turn_on();
	for (unsigned i = 1; i <= 5000; i++) {
		kc_stats_short(&kc_algs[ID], 16, kc_stats_short_is_timed(&kc_algs[ID]) ? 20 : 0);
		if (i != 1 && i != 100 && i != 5000)
			continue;
		kc_stats_dir_walk(see_short, NULL);
		if (short_told > i || short_told < i / 2 || i - short_told > 1024 ||
		    short_bytes != 16 * short_told)
			_exit(4);
	}
	kc_stats_close();
	kc_stats_dir_walk(see_short, NULL);
	if (short_told != 5000 || short_bytes != 80000)
		_exit(5);
}

static void fork_with_some_untold(void)
{
	int status;

	turn_on();
	do_short(100);
	if (fork() == 0) {
		do_short(1);
		kc_stats_close();
		kc_stats_dir_walk(see_short, NULL);
		_exit(short_told != 1);
	}
	if (wait(&status) < 0 || status)
		_exit(4);
}

TEST(what_a_parent_has_not_told_is_not_its_childs)
{
	run(fork_with_some_untold);
}

TEST(short_requests_are_told_a_few_at_a_time)
{
	run(count_short);
}

const struct suite suite = { .before_each = make_directory, .after_each = remove_directory };
