/* SPDX-License-Identifier: Apache-2.0 */
/* See stats_run.h. */
#include "unit/stats/process.h"
#include "stats/stats_read.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char dir[64], common[80], mine[96];

void path_of(char path[128], pid_t pid)
{
	snprintf(path, 128, "%s/%ld", mine, (long)pid);
}

void make_directory(void)
{
	strcpy(dir, "/tmp/kcrypto-stats-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(common, sizeof(common), "%s/kcrypto", dir);
	snprintf(mine, sizeof(mine), "%s/%lu", common, (unsigned long)geteuid());
	unsetenv("KCRYPTO_STATS");
	unsetenv("XDG_RUNTIME_DIR");
	kc_stats_run = dir;
	assert_int_equal(mkdir(common, 0700) || chmod(common, 01777), 0);
}

void remove_directory(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

void count(unsigned n)
{
	errno = 77;
	for (unsigned i = 0; i < n; i++)
		kc_stats_done(&kc_algs[ID], 0, BYTES, 3000);
	if (errno != 77)
		_exit(3);
}

void do_short(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		kc_stats_short(&kc_algs[ID], 16, kc_stats_short_is_timed(&kc_algs[ID]) ? 20 : 0);
}

void turn_on(void)
{
	kc_stats_open();
	if (!kc_stats_turn(true))
		_exit(2);
}

void limit_files_to(rlim_t size)
{
	const struct rlimit limit = { size, RLIM_INFINITY };

	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		_exit(2);
}

/* A process that has done @f and waits until it is ended. */
pid_t start(void (*f)(void))
{
	int pipes[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		f();
		if (write(pipes[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &c, 1), 1);
	close(pipes[0]);
	return pid;
}

void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Done, and ended well. */
void run(void (*f)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		f();
		_exit(0);
	}
	assert_ends_well(pid);
}

struct seen seen;

static void see(void *arg, uid_t uid, pid_t pid, const struct kc_stats *stats)
{
	(void)arg;
	assert_int_equal(uid, geteuid());
	assert_string_equal(stats->head.name[ID], "AES-128-CBC");
	seen.pid[seen.n] = pid;
	seen.requests[seen.n++] = kc_stats_sum(&stats->row[ID]).requests;
}

unsigned look(void)
{
	memset(&seen, 0, sizeof(seen));
	return kc_stats_dir_walk(see, NULL);
}

uint64_t requests_of(pid_t pid)
{
	look();
	for (unsigned i = 0; i < seen.n; i++)
		if (seen.pid[i] == pid)
			return seen.requests[i];
	return UINT64_MAX;
}

bool is_there(pid_t pid)
{
	char path[128];
	struct stat st;

	path_of(path, pid);
	return lstat(path, &st) == 0;
}

void count_five(void)
{
	turn_on();
	count(5);
}
