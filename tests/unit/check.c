/* SPDX-License-Identifier: Apache-2.0 */
/* See check.h. */
#include "unit/check.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

static struct CMUnitTest tests[64]; /* cmocka skips empty ones */

char **arguments;

/*
 * A program may define it. No weak definition stands here for the other programs, as a compiler may
 * take its zeros for a constant.
 */
extern const struct suite suite __attribute__((weak));

static const struct suite *its_suite(void)
{
	static const struct suite none;

	return &suite ? &suite : &none;
}

/* The type that cmocka has for a function of a suite. */
#define STEP(name)                                                                                 \
	static int name(__attribute__((unused)) void **state)                                      \
	{                                                                                          \
		its_suite()->name();                                                               \
		return 0;                                                                          \
	}

STEP(set_up)
STEP(tear_down)
STEP(before_each)
STEP(after_each)

void check_add(size_t slot, const struct CMUnitTest *test)
{
	if (slot >= COUNT(tests) || tests[slot].name)
		abort();
	tests[slot] = *test;
	tests[slot].setup_func = its_suite()->before_each ? before_each : NULL;
	tests[slot].teardown_func = its_suite()->after_each ? after_each : NULL;
}

int child_status(pid_t child)
{
	int status = 0;

	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

void assert_ends_well(pid_t child)
{
	assert_int_equal(child_status(child), 0);
}

int check_main(int argc, char **argv)
{
	static char kind[32];

	if (argc <= its_suite()->arguments)
		return 2;
	arguments = argv + 1;
	if (its_suite()->by_kind) {
		snprintf(kind, sizeof(kind), "%s*", argv[2]);
		cmocka_set_test_filter(kind);
	}
	return cmocka_run_group_tests_name(program_invocation_short_name, tests,
					   its_suite()->set_up ? set_up : NULL,
					   its_suite()->tear_down ? tear_down : NULL);
}

__attribute__((weak)) int main(int argc, char **argv)
{
	return check_main(argc, argv);
}
