/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, the headers that it needs before it, a table of tests that fills itself, and main(). */
#ifndef KC_TESTS_CHECK_H
#define KC_TESTS_CHECK_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Version 1 lacks the new names of version 2. */
#define CMOCKA_DISABLE_DEPRECATION_WARNINGS
#include <cmocka.h>

/*
 * cmocka's own comparison checks each byte, which takes seconds where there are many or a machine
 * is emulated. So cmocka is only used to report the bytes that differ.
 */
static inline void check_memory(const void *a, const void *b, size_t n, const char *file, int line)
{
	if (memcmp(a, b, n) == 0)
		return;
	print_error("%s:%d:\n", file, line);
	assert_memory_equal(a, b, n);
}
#undef assert_memory_equal
#define assert_memory_equal(a, b, n) check_memory(a, b, n, __FILE__, __LINE__)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A test. A constructor puts it into the table, in the order of the file. */
#define TEST(name)                                                                                 \
	static void name(void **state);                                                            \
	static __attribute__((constructor)) void check_add_##name(void)                            \
	{                                                                                          \
		check_add(__COUNTER__, &(struct CMUnitTest){ #name, name });                       \
	}                                                                                          \
	static void name(__attribute__((unused)) void **state)

/* A program may define what its tests need. */
extern const struct suite {
	int arguments;				  /* the least; with fewer, exits with 2 */
	void (*set_up)(void), (*tear_down)(void); /* once; these may assert, too */
	void (*before_each)(void), (*after_each)(void);
	/* The second argument is the beginning of the names of the tests to run. */
	bool by_kind;
} suite;

/* Without the program's name. */
extern char **arguments;

void check_add(size_t slot, const struct CMUnitTest *test);
/* What main() does, for a program that has a main() of its own. */
int check_main(int argc, char **argv);

/* Waits for a child, which must exit with 0. */
void assert_ends_well(pid_t child);

/* Waits for a child. Returns its status, or 1000 plus the signal that ended it. */
int child_status(pid_t child);

/*
 * Whether this runs inside qemu-user, as the suite that uses it says: qemu-user wipes no page.
 * Tests of that are skipped there and nowhere else.
 */
static inline bool is_emulated(void)
{
	return getenv("KC_TESTS_EMULATED") != NULL;
}

#endif
