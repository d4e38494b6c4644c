/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of counters: it counts for every process, killed ones too, and nothing that happens to
 * it ends one. Each case runs in a child of its own, because a signal would end the test.
 */
#include "unit/stats/process.h"
#include "stats/stats_read.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 1000

static char path[96], other[96];

static void make_file(void)
{
	make_directory();
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	assert_int_equal(setenv("KCRYPTO_STATS", path, 1), 0);
}

static void (*harm)(void);

/* Counts before and after the harm, and must survive whatever that was. */
static void be_harmed(void)
{
	kc_stats_open();
	count(ROUNDS);
	harm();
	count(ROUNDS);
	kc_stats_error(&kc_algs[ID], 0, KC_REQUEST_FAILED);
	kc_stats_error(&kc_algs[ID], 0, KC_LIED);
	_exit(0);
}

static void nothing(void)
{
}

static void empty_it(void)
{
	if (truncate(path, 0) != 0)
		_exit(2);
}

static void shorten_it(void)
{
	if (truncate(path, 100) != 0)
		_exit(2);
}

static void remove_it(void)
{
	if (unlink(path) != 0)
		_exit(2);
}

static void limit_files(void)
{
	limit_files_to(0);
}

static void empty_and_limit(void)
{
	empty_it();
	limit_files();
}

static void assert_all_counted(void)
{
	struct kc_stats stats;
	struct kc_stats_sum sum;

	assert_true(kc_stats_read(&stats));
	sum = kc_stats_sum(&stats.row[ID]);
	assert_int_equal(sum.requests, 2 * ROUNDS);
	assert_int_equal(sum.bytes, 2ull * ROUNDS * BYTES);
	assert_int_equal(sum.failed, 1);
	assert_int_equal(sum.lied, 1);
}

TEST(what_happens_to_the_file_ends_nobody)
{
	static void (*const harms[])(void) = { nothing,	  empty_it,    shorten_it,
					       remove_it, limit_files, empty_and_limit };

	for (size_t i = 0; i < COUNT(harms); i++) {
		print_message("  case %zu\n", i);
		unlink(path);
		harm = harms[i];
		run(be_harmed);
		if (harm == nothing)
			assert_all_counted();
	}
}

static rlim_t limit;

/* It is there before the file. */
static void be_limited(void)
{
	limit_files_to(limit);
	harm = nothing;
	be_harmed();
}

TEST(below_a_limit_of_file_sizes_no_file_is_written)
{
	static const rlim_t limits[] = { 0, 1, 100, sizeof(struct kc_stats) - 1 };
	struct stat st;

	for (size_t i = 0; i < 2 * COUNT(limits); i++) {
		unlink(path);
		/* Of the whole size there is nothing to grow, but something to write. */
		if (i % 2)
			assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0600)) |
						 truncate(path, sizeof(struct kc_stats)),
					 0);
		limit = limits[i / 2];
		run(be_limited);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, i % 2 ? sizeof(struct kc_stats) : 0);
	}
}

/* Somebody else could say what is in it, or it is no file of counters: nothing is written to it. */
TEST(no_other_file_is_taken)
{
	struct kc_stats stats;
	struct stat st;

	for (int i = 0; i < 5; i++) {
		print_message("  case %d\n", i);
		unlink(path);
		unlink(other);
		assert_int_equal(close(open(other, O_CREAT | O_WRONLY, 0600)), 0);
		switch (i) {
		case 0:
			assert_int_equal(symlink(other, path), 0);
			break;
		case 1:
			assert_int_equal(link(other, path), 0);
			break;
		case 2:
			assert_int_equal(rename(other, path) | chmod(path, 0620), 0);
			break;
		case 3:
			assert_int_equal(rename(other, path) | chmod(path, 0602), 0);
			break;
		case 4:
			assert_int_equal(mkfifo(path, 0600), 0);
		}
		harm = nothing;
		run(be_harmed);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, 0);
		assert_false(kc_stats_read(&stats));
	}
}

TEST(a_file_of_another_kind_stays_as_it_is)
{
	static char is[sizeof(struct kc_stats)], was[sizeof(is)];
	int fd = open(path, O_CREAT | O_RDWR, 0600);

	memset(was, 'x', sizeof(was));
	assert_int_equal(write(fd, was, sizeof(was)), sizeof(was));
	harm = nothing;
	run(be_harmed);
	assert_int_equal(pread(fd, is, sizeof(is), 0), sizeof(is));
	assert_memory_equal(is, was, sizeof(is));
	close(fd);
}

/* They make the file at the same time too, and end by a signal. */
TEST(processes_at_a_time_count_into_one_file)
{
	struct kc_stats stats;
	pid_t pid[8];
	int status;

	for (size_t i = 0; i < COUNT(pid); i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			kc_stats_open();
			count(ROUNDS);
			raise(SIGKILL);
		}
	}
	for (size_t i = 0; i < COUNT(pid); i++)
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
	assert_true(kc_stats_read(&stats));
	assert_int_equal(kc_stats_sum(&stats.row[ID]).requests, COUNT(pid) * ROUNDS);
	assert_int_equal(kc_stats_sum(&stats.row[ID]).bytes, COUNT(pid) * ROUNDS * BYTES);
	assert_string_equal(stats.head.name[ID], "AES-128-CBC");
}

/* Emptied, it is an empty file: whoever comes next begins anew, and those who are there join. */
TEST(an_emptied_file_counts_from_nothing)
{
	struct kc_stats stats;
	pid_t pid;

	kc_stats_open();
	count(ROUNDS);
	empty_it();
	count(ROUNDS);
	pid = fork();
	if (pid == 0) {
		kc_stats_close();
		kc_stats_open();
		count(1);
		_exit(0);
	}
	assert_ends_well(pid);
	count(1);
	kc_stats_close();
	assert_true(kc_stats_read(&stats));
	assert_int_equal(kc_stats_sum(&stats.row[ID]).requests, 2);
}

const struct suite suite = { .before_each = make_file, .after_each = remove_directory };
