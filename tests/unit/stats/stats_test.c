/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that processes share: it counts for each of them, killed processes too, and nothing that
 * happens to the memory ends a process.
 */
#include "unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stats/stats.h"

#define ID     KC_ALG_AES_128_CBC
#define BYTES  65521
#define ROUNDS 1000

static char path[KC_STATS_PATH], file[] = "/tmp/kcrypto-stats-XXXXXX";
static int fd = -1;

static void make(void)
{
	fd = kc_stats_make(path);
	assert_true(fd >= 0);
	assert_int_equal(setenv("KCRYPTO_STATS", path, 1), 0);
}

static void remake(void)
{
	close(fd);
	make();
}

static void drop(void)
{
	close(fd);
	unlink(file);
	strcpy(file + sizeof(file) - 7, "XXXXXX");
}

static void count(unsigned n)
{
	errno = 77;
	for (unsigned i = 0; i < n; i++)
		kc_stats_done(&kc_algs[ID], 0, BYTES, 0);
	if (errno != 77)
		_exit(3);
}

static uint64_t requests(void)
{
	static struct kc_stats stats;

	return kc_stats_read(&stats) ? kc_stats_sum(&stats.row[ID]).requests : UINT64_MAX;
}

/* Counts in a child of its own, because a signal would end the test. */
static void run(void (*harm)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		kc_stats_open();
		count(ROUNDS);
		harm();
		count(ROUNDS);
		kc_stats_error(&kc_algs[ID], 0, KC_STATS_REQUEST_FAILED);
		kc_stats_error(&kc_algs[ID], 0, KC_STATS_LIED);
		kc_stats_close();
		_exit(0);
	}
	assert_ends_well(pid);
}

static void nothing(void)
{
}

static void shorten(void)
{
	if (truncate(path, 0) == 0 || ftruncate(fd, 100) == 0)
		_exit(2);
}

static void limit_files(void)
{
	const struct rlimit limit = { 0, RLIM_INFINITY };

	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		_exit(2);
}

static void close_all(void)
{
	for (int i = 0; i < 1024; i++)
		close(i);
}

TEST(what_happens_to_the_memory_ends_nobody)
{
	static void (*const harms[])(void) = { nothing, shorten, limit_files, close_all };

	for (size_t i = 0; i < COUNT(harms); i++) {
		struct kc_stats stats;
		struct kc_stats_sum sum;

		print_message("  case %zu\n", i);
		remake();
		run(harms[i]);
		assert_true(kc_stats_read(&stats));
		sum = kc_stats_sum(&stats.row[ID]);
		assert_int_equal(sum.requests, 2 * ROUNDS);
		assert_int_equal(sum.bytes, 2ull * ROUNDS * BYTES);
		assert_int_equal(sum.failed, 1);
		assert_int_equal(sum.lied, 1);
	}
}

/* The processes also begin at the same time, and end by a signal. */
TEST(processes_at_a_time_count_together)
{
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
	assert_int_equal(requests(), COUNT(pid) * ROUNDS);
}

/* As a process leaves it that is killed, or slow, while it writes the head. */
TEST(a_table_that_another_process_began_is_completed)
{
	struct kc_stats *s = kc_stats_map(path);

	assert_non_null(s);
	memset(&s->head, 0, sizeof(s->head));
	atomic_store(&s->head.magic, 1);
	run(nothing);
	assert_int_equal(requests(), 2 * ROUNDS);
	kc_stats_unmap(s);
}

TEST(a_child_counts_in_its_parents_memory)
{
	pid_t pid;

	kc_stats_open();
	count(1);
	pid = fork();
	if (pid == 0) {
		count(2);
		_exit(0);
	}
	assert_ends_well(pid);
	count(4);
	kc_stats_close();
	assert_int_equal(requests(), 7);
}

TEST(counts_go_beyond_32_bits)
{
	struct kc_count n = { 0, 0 };

	kc_count_add(&n, 0xffffffff);
	kc_count_add(&n, 1);
	assert_int_equal(kc_count_read(&n), 0x100000000);
	kc_count_add(&n, 0x5fffffffe);
	kc_count_add(&n, 3);
	assert_int_equal(kc_count_read(&n), 0x700000001);
}

static void name_file(void)
{
	int f = mkstemp(file);

	assert_true(f >= 0);
	assert_int_equal(ftruncate(f, 65536), 0);
	close(f);
	assert_int_equal(setenv("KCRYPTO_STATS", file, 1), 0);
}

/* Creates a memory file with @size bytes, of which @there are allocated. */
static void name_memory(unsigned seals, off_t size, off_t there)
{
	int f = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(f >= 0);
	assert_int_equal(ftruncate(f, size), 0);
	assert_int_equal(posix_fallocate(f, 0, there), 0);
	assert_int_equal(fcntl(f, F_ADD_SEALS, seals), 0);
	assert_int_equal(dup2(f, fd), fd);
	close(f);
}

static void assert_not_taken(void)
{
	run(nothing);
	assert_int_equal(requests(), UINT64_MAX);
}

/* Such memory could be shortened, or could run out: either would end the process. */
TEST(no_memory_that_can_end_a_process_is_taken)
{
	name_memory(0, 65536, 65536);
	assert_not_taken();
	name_memory(F_SEAL_GROW, 65536, 65536);
	assert_not_taken();
	name_memory(F_SEAL_SHRINK, 4096, 4096);
	assert_not_taken();
	name_memory(F_SEAL_SHRINK, 65536, 4096);
	assert_not_taken();
	name_memory(F_SEAL_SHRINK, 65536, 65536);
	run(nothing);
	assert_int_equal(requests(), 2 * ROUNDS);
}

TEST(no_other_file_is_taken)
{
	char is[65536], none[sizeof(is)];
	int f;

	name_file();
	assert_not_taken();
	memset(none, 0, sizeof(none));
	f = open(file, O_RDONLY);
	assert_int_equal(read(f, is, sizeof(is)), sizeof(is));
	assert_memory_equal(is, none, sizeof(is));
	close(f);
	unlink(file);
	assert_int_equal(mkfifo(file, 0600), 0);
	assert_not_taken();
	unlink(file);
	assert_not_taken();
	assert_int_not_equal(access(file, F_OK), 0);
}

TEST(another_users_memory_is_not_taken)
{
	if (geteuid() != 0) {
		print_message("  only root can\n");
		return;
	}
	assert_int_equal(fchown(fd, 65534, 65534), 0);
	assert_not_taken();
}

/* The table of another version, with as many rows. */
TEST(a_table_with_other_names_is_not_taken)
{
	struct kc_stats *s = kc_stats_map(path);

	assert_non_null(s);
	assert_true(kc_stats_fits(s));
	s->head.name[ID][0] = 'X';
	assert_false(kc_stats_fits(s));
	assert_null(kc_stats_map(path));
	assert_not_taken();
	kc_stats_unmap(s);
}

const struct suite suite = { .before_each = make, .after_each = drop };
