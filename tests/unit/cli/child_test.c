/* SPDX-License-Identifier: Apache-2.0 */
/* A child answers, dies or hangs, and the parent knows which. */
#include "unit/check.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/child.h"

struct data {
	int how, answer;
	char more[2000];
};

/* By wall time: a busy machine does little work, but some in each second. */
static void work(double seconds)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9 <
		 seconds);
}

static void act(void *arg)
{
	struct data *d = arg;

	if (d->how < 0)
		kill(getpid(), -d->how);
	while (d->how == 1)
		pause();
	if (d->how == 3)
		work(8.5);
	if (d->how == 2)
		_exit(3);
	d->answer = 42;
	memset(d->more, 'x', sizeof(d->more));
}

static const struct {
	int how;
	unsigned seconds;
	bool answers;
	const char *why;
} cases[] = {
	{ 0, 60, true, NULL },
	{ 1, 1, false, "did not answer within 1 s" },
	{ 2, 60, false, "ended with exit code 3" },
	{ 3, 8, true, NULL }, /* late, but at work: the machine is busy */
	{ -SIGTERM, 60, false, "killed by signal 15" },
	{ -SIGSTOP, 1, false, "did not answer within 1 s" },
};

TEST(a_question_is_answered_or_it_is_known_why_not)
{
	char why[KC_CHILD_WHY_SIZE];
	struct kc_child child;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct data d = { .how = cases[i].how, .answer = 1 };

		assert_int_equal(kc_child_ask(&child, act, &d, sizeof(d), cases[i].seconds),
				 cases[i].answers);
		assert_int_equal(d.answer, cases[i].answers ? 42 : 1);
		assert_int_equal(d.more[1999], cases[i].answers ? 'x' : 0);
		if (cases[i].why)
			assert_string_equal(kc_child_why(&child, why), cases[i].why);
		assert_int_equal(kill(child.pid, 0), -1); /* no child is left */
	}
}

static void count(void *arg, int fd)
{
	for (int i = 0; i < *(int *)arg; i++)
		if (write(fd, &i, sizeof(i)) != (ssize_t)sizeof(i))
			return;
	while (*(int *)arg == 3)
		pause();
}

TEST(answers_come_one_after_another)
{
	struct kc_child child;
	int n, i;

	for (n = 2; n <= 3; n++) {
		assert_true(kc_child_start(&child, count, &n));
		for (int k = 0; k < n; k++) {
			assert_true(kc_child_read(&child, &i, sizeof(i), 60));
			assert_int_equal(i, k);
		}
		assert_false(kc_child_read(&child, &i, sizeof(i), n == 3 ? 1 : 60));
		assert_int_equal(child.is_silent, n == 3);
		kc_child_end(&child);
		assert_true(child.has_ended);
	}
}

TEST(a_command_has_the_exit_code_of_a_shell)
{
	bool is_filtered = true;
	static char *const calls[][4] = { { "true" },
					  { "false" },
					  { "/nowhere" },
					  { "/etc" },
					  { "sh", "-c", "kill -9 $$" },
					  { "sh", "-c", "test \"$OPENSSL_CONF\" = x && exit 7" } };
	static const int codes[] = { 0, 1, 127, 126, 137, 7 };

	for (size_t i = 0; i < COUNT(codes); i++)
		assert_int_equal(kc_child_run(calls[i], "x", true, &is_filtered), codes[i]);
}
