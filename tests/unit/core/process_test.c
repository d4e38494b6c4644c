/* SPDX-License-Identifier: Apache-2.0 */
/* The fork mark tells processes apart, whatever call made them. */
#include "unit/check.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/process.h"

/* The first arguments of clone, in this machine's order. */
#ifdef __s390x__
#define LIKE_FORK 0, SIGCHLD
#else
#define LIKE_FORK SIGCHLD, 0
#endif

/* The exit status of a child made by fork(), or by a clone that libc does not know of. */
static int in_child(bool raw, int (*f)(unsigned), unsigned arg)
{
	pid_t pid = raw ? (pid_t)syscall(SYS_clone, LIKE_FORK, NULL, NULL, NULL) : fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(f(arg));
	return child_status(pid);
}

static int same_mark(unsigned parents)
{
	return kc_process_mark() == parents;
}

static int grandchild_differs_from_both(unsigned parents)
{
	unsigned mine = kc_process_mark();

	return mine == parents || in_child(false, same_mark, mine) ||
	       (!is_emulated() && in_child(true, same_mark, parents));
}

static int sessions(unsigned arg)
{
	(void)arg;
	return (int)atomic_load(kc_process_sessions());
}

TEST(a_process_keeps_its_mark)
{
	assert_int_not_equal(kc_process_mark(), 0);
	assert_int_equal(kc_process_mark(), kc_process_mark());
}

TEST(a_forked_child_has_another_mark)
{
	assert_int_equal(in_child(false, same_mark, kc_process_mark()), 0);
}

TEST(a_child_of_raw_clone_has_another_mark)
{
	if (is_emulated())
		skip();
	assert_int_equal(in_child(true, same_mark, kc_process_mark()), 0);
}

TEST(a_grandchild_differs_from_both)
{
	assert_int_equal(in_child(false, grandchild_differs_from_both, kc_process_mark()), 0);
}

TEST(a_child_counts_its_sessions_from_none)
{
	atomic_store(kc_process_sessions(), 5);
	assert_int_equal(in_child(!is_emulated(), sessions, 0), 0);
	assert_int_equal(sessions(0), 5);
	atomic_store(kc_process_sessions(), 0);
}
