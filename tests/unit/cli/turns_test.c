/* SPDX-License-Identifier: Apache-2.0 */
/* Contenders take turns. A crew that fails neither counts nor stops the others. */
#include "unit/check.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

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

static struct {
	atomic_uint begun, ended, calls;
	atomic_size_t task;
} * seen; /* by all processes */

__attribute__((constructor)) static void share(void)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void *begin(const void *how, size_t task)
{
	static enum how copy;

	seen->begun++;
	seen->task = task;
	copy = *(const enum how *)how;
	return copy == HAS_NO_STATE ? NULL : &copy;
}

static void end(void *state)
{
	(void)state;
	seen->ended++;
}

static int work(void *how)
{
	static _Atomic unsigned calls;

	seen->calls++;
	if (*(enum how *)how == DIES)
		raise(SIGKILL);
	return *(enum how *)how != FAILS_ONCE || calls++ != 5;
}

TEST(a_crew_counts_the_calls_of_all_its_processes)
{
	static struct kc_crew crew;
	static const enum how how = WORKS;
	const struct kc_job job = { begin, work, end, &how };

	for (unsigned n = 1; n <= 3; n += 2) {
		struct kc_turn t;

		kc_crew_start(&crew, &job, n);
		for (int i = 0; i < 2; i++) {
			assert_true(kc_crew_turn(&crew, 1, 5, &t));
			assert_true(t.calls >= n);
		}
		kc_crew_end(&crew);
		assert_int_equal(kill(crew.child[n - 1].pid, 0), -1); /* no child is left */
	}
}

TEST(a_crew_that_fails_gets_no_more_turns)
{
	static struct kc_crew crew;
	struct kc_turn t;

	for (enum how how = HAS_NO_STATE; how <= DIES; how++) {
		const struct kc_job job = { begin, work, end, &how };

		kc_crew_start(&crew, &job, 2);
		assert_false(kc_crew_turn(&crew, 1, 5, &t));
		assert_false(kc_crew_turn(&crew, 1, 5, &t));
		kc_crew_end(&crew);
	}
}

TEST(a_crew_keeps_its_state_until_the_next_task)
{
	static struct kc_crew crew;
	static const enum how how = WORKS;
	struct kc_turn t;
	unsigned calls;

	seen->begun = seen->ended = seen->calls = 0;
	kc_crew_start(&crew, &(struct kc_job){ begin, work, end, &how }, 1);
	assert_int_equal(seen->begun, 0);
	assert_true(kc_crew_turn(&crew, 64, 0, &t));
	assert_int_equal(seen->calls, 0);
	assert_true(kc_crew_turn(&crew, 64, 1, &t));
	calls = seen->calls;
	assert_true(calls == t.calls && calls > 0);
	assert_int_equal(seen->begun, 1);
	assert_int_equal(seen->task, 64);
	assert_true(kc_crew_turn(&crew, 65, 1, &t));
	assert_int_equal(seen->begun, 2);
	assert_int_equal(seen->ended, 1);
	assert_int_equal(seen->task, 65);
	assert_int_equal(seen->calls, calls + t.calls);
	kc_crew_end(&crew);
}
