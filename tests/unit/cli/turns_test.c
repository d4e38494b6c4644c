/* SPDX-License-Identifier: Apache-2.0 */
/* Contenders take turns, and a crew that fails neither counts nor stops the others. */
#include "unit/check.h"

#include <signal.h>
#include <string.h>

#include "cli/bench/turns.h"

static bool put_down(void *arg, size_t who, unsigned round)
{
	strcat(arg, (const char[]){ (char)('A' + who), '\0' });
	return round < 2;
}

TEST(each_round_begins_with_another_contender)
{
	char order[16] = "";

	assert_true(kc_turns(3, 2, UINT64_MAX, put_down, order));
	assert_string_equal(order, "ABCBCA");
	assert_false(kc_turns(3, 3, UINT64_MAX, put_down, order));
	assert_string_equal(order, "ABCBCAABCBCAC");
}

TEST(where_the_time_is_over_each_has_one_turn_that_counts)
{
	char order[16] = "";

	assert_true(kc_turns(3, 100, 0, put_down, order));
	assert_string_equal(order, "ABCBCA");
}

enum how { WORKS, HAS_NO_STATE, FAILS_ONCE, DIES };

static void *begin(const void *how)
{
	static enum how copy;

	copy = *(const enum how *)how;
	return copy == HAS_NO_STATE ? NULL : &copy;
}

static int work(void *how)
{
	static _Atomic unsigned calls;

	if (*(enum how *)how == DIES)
		raise(SIGKILL);
	return *(enum how *)how != FAILS_ONCE || calls++ != 5;
}

TEST(a_crew_counts_the_calls_of_all_its_processes)
{
	static struct kc_crew crew;
	static const enum how how = WORKS;
	const struct kc_job job = { begin, work, &how };

	for (unsigned n = 1; n <= 3; n += 2) {
		struct kc_turn t;

		kc_crew_start(&crew, &job, n);
		for (int i = 0; i < 2; i++) {
			assert_true(kc_crew_turn(&crew, 5, &t));
			assert_true(t.calls >= n);
		}
		kc_crew_end(&crew);
		assert_int_equal(kill(crew.child[n - 1].pid, 0), -1); /* none is left */
	}
}

TEST(a_crew_that_fails_gets_no_more_turns)
{
	static struct kc_crew crew;
	struct kc_turn t;

	for (enum how how = HAS_NO_STATE; how <= DIES; how++) {
		const struct kc_job job = { begin, work, &how };

		kc_crew_start(&crew, &job, 2);
		assert_false(kc_crew_turn(&crew, 5, &t));
		assert_false(kc_crew_turn(&crew, 5, &t));
		kc_crew_end(&crew);
	}
}
