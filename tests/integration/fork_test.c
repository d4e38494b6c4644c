/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fork at every call boundary of a context's life: parent and child both go on, both are right,
 * and the child makes its own way into the kernel. usage: fork_test CONFIG [standin]
 */
#include "unit/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diff/row.h"
#include "integration/loaded.h"
#include "integration/script.h"
#include "integration/sessions.h"

/* Opens, copies, starts again, gets another key, stops in the middle of a block, ends. */
static const char life[] = "NBsLCDILbUDFfrR";
#define LIFE (sizeof(life) - 1)

enum how { FORK, CLONE, GRANDCHILD };
enum ending { FREES, LEAVES, FREES_AT_ONCE, EXITS };
enum { WRONG_BYTES = 20, PARENTS_SOCKET, NO_SOCKET, WRONG_COUNT, SOCKET_LEFT };

static const char *self;
static bool over_kernel; /* else over the stand-in, which aborts by itself on a parent's session */

/* One cipher in one direction. */
static struct {
	EVP_CIPHER *ours;
	size_t row;
	int enc;
	struct player want;		       /* the default provider's */
	unsigned long long requests[LIFE + 1]; /* before each call of an undisturbed life */
} play;

static struct player now;

/* After a large request of the child there is a socket that it did not inherit. */
static int check_sockets(char letter, const struct sessions *inherited)
{
	struct sessions ours = sessions();

	if (!over_kernel || !script_large(letter))
		return 0;
	if (ours.n == 0)
		return NO_SOCKET;
	return sessions_in_common(&ours, inherited) == ours.n ? PARENTS_SOCKET : 0;
}

/* The rest of the life, in a child. Only what was used can have let its inherited socket go. */
static int live_on(size_t from, enum ending ending, const struct sessions *inherited)
{
	unsigned long long before = requests(play.row);
	size_t end = ending == FREES || ending == EXITS ? LIFE : LIFE - 2;
	int bad;

	for (size_t i = from; i < end; i++) {
		player_step(&now, life[i]);
		bad = check_sockets(life[i], inherited);
		if (bad)
			return bad;
	}
	if (!player_same(&now, &play.want))
		return WRONG_BYTES;
	if (requests(play.row) - before != play.requests[end] - play.requests[from])
		return WRONG_COUNT;
	return over_kernel && end == LIFE && sessions().n ? SOCKET_LEFT : 0;
}

static int be_child(size_t from, enum ending ending, const struct sessions *inherited)
{
	if (ending == FREES_AT_ONCE) {
		EVP_CIPHER_CTX_free(now.c);
		EVP_CIPHER_CTX_free(now.copy);
		return over_kernel && sessions().n ? SOCKET_LEFT : 0;
	}
	return live_on(from, ending, inherited);
}

static int status_of(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

/* @end: a descriptor that the process between must not hold. */
static pid_t divide(enum how how, int end)
{
	pid_t pid;

	fflush(NULL);
	if (how == CLONE)
		return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	pid = fork();
	if (how == FORK || pid != 0)
		return pid;
	pid = fork();
	if (pid == 0)
		return 0;
	close(end);
	_exit(status_of(pid));
}

/* A fork before call @at. The one that goes second waits until the other one is through. */
static void forked_life(size_t at, enum how how, bool child_first, enum ending ending)
{
	struct sessions inherited;
	int parent_done[2], status;
	char byte;
	pid_t pid;

	player_begin(&now, play.ours, play.enc);
	for (size_t i = 0; i < at; i++)
		player_step(&now, life[i]);
	inherited = sessions();
	assert_int_equal(pipe(parent_done), 0);
	pid = divide(how, parent_done[1]);
	assert_true(pid >= 0);
	if (pid == 0) {
		close(parent_done[1]);
		if (!child_first && read(parent_done[0], &byte, 1) != 0)
			_exit(1);
		status = be_child(at, ending, &inherited);
		if (ending == EXITS)
			exit(status);
		_exit(status);
	}
	status = child_first ? status_of(pid) : 0;
	player_run(&now, life + at);
	close(parent_done[1]);
	close(parent_done[0]);
	if (!child_first)
		status = status_of(pid);
	if (status)
		fail_msg("call %zu, %s: the child ended with %d", at,
			 child_first ? "first" : "then", status);
	assert_true(player_same(&now, &play.want));
}

/* The reference, and how many requests each call makes. False: it is not offered. */
static bool choose(size_t row, int enc)
{
	EVP_CIPHER *theirs;

	if (kc_algs[row].kind != KC_CIPHER)
		return false;
	EVP_CIPHER_free(play.ours);
	play.ours = NULL;
	if (row_is_absent(&kc_algs[row]) || !row_fetch(lib, &kc_algs[row], &play.ours, &theirs))
		return false;
	play.row = row;
	play.enc = enc;
	player_begin(&play.want, theirs, enc);
	player_run(&play.want, life);
	EVP_CIPHER_free(theirs);
	for (int round = 0; round < 2; round++) { /* the first one may hold the driver's trial */
		unsigned long long start = requests(play.row);

		player_begin(&now, play.ours, enc);
		for (size_t i = 0; i <= LIFE; i++) {
			play.requests[i] = requests(play.row) - start;
			if (i < LIFE)
				player_step(&now, life[i]);
		}
		assert_true(player_same(&now, &play.want));
	}
	assert_true(play.requests[LIFE] >= 5);
	return true;
}

/* Neither which cipher is inside nor the length of its key makes a difference here. */
static bool is_as(const struct kc_alg *a, const struct kc_alg *b)
{
	return a->kind == b->kind && a->iv_rule == b->iv_rule && a->stream == b->stream &&
	       a->steals == b->steals && a->legacy == b->legacy;
}

static bool is_as_before(size_t row)
{
	size_t i = 0;

	while (!is_as(&kc_algs[i], &kc_algs[row]))
		i++;
	return i < row;
}

/* Every mode that is offered, both directions. */
static void for_all(void (*what)(void))
{
	size_t offered = 0;

	for (size_t row = 0; row < KC_ALG_COUNT; row++)
		for (int enc = 0; enc <= 1; enc++)
			if (!is_as_before(row) && choose(row, enc)) {
				what();
				offered++;
			}
	assert_true(offered >= 2);
}

/* Three that are as different as can be, where the last is offered. */
static void for_some(void (*what)(void))
{
	for (int enc = 0; enc <= 1; enc++) {
		assert_true(choose(KC_ALG_AES_128_CBC, enc));
		what();
	}
	if (choose(KC_ALG_AES_256_CTR, 1))
		what();
}

/* With a session open, after a copy, and after another key. */
static void fork_thrice(void)
{
	forked_life(4, FORK, true, FREES);
	forked_life(6, FORK, false, FREES);
	forked_life(9, FORK, true, FREES);
}

static void every_cipher_is_right_on_both_sides_of_a_fork(void **state)
{
	(void)state;
	for_all(fork_thrice);
}

/* Plain fork and raw clone always, the others in turn. */
static void in_every_way(void)
{
	static const struct {
		enum how how;
		bool child_first;
		enum ending ending;
	} ways[] = {
		{ GRANDCHILD, true, FREES },	{ FORK, false, LEAVES },
		{ FORK, true, FREES_AT_ONCE },	{ FORK, true, EXITS },
		{ CLONE, true, FREES_AT_ONCE }, { GRANDCHILD, false, FREES },
	};
	static size_t turn;

	for (size_t at = 1; at < LIFE; at++, turn++) {
		size_t i = turn % COUNT(ways);

		forked_life(at, FORK, at % 2 == 0, FREES);
		forked_life(at, CLONE, at % 2, FREES);
		forked_life(at, ways[i].how, ways[i].child_first, ways[i].ending);
	}
}

static void a_fork_of_any_kind_before_any_call_leaves_both_sides_right(void **state)
{
	(void)state;
	for_some(in_every_way);
}

/* The child is the first one to make a request at all: it tries the driver itself. */
static void a_child_that_is_forked_before_the_first_request_tries_the_driver_itself(void **state)
{
	OSSL_LIB_CTX *shared = lib;
	pid_t pid;

	(void)state;
	assert_true(choose(KC_ALG_AES_128_CBC, 1));
	lib = library_with(arguments[0]);
	assert_non_null(lib);
	pid = divide(CLONE, -1);
	if (pid == 0) {
		unsigned long long before = requests(play.row);

		_exit(!choose(KC_ALG_AES_128_CBC, 1) || requests(play.row) < before + 5);
	}
	assert_int_equal(status_of(pid), 0);
	assert_true(choose(KC_ALG_AES_128_CBC, 1));
	EVP_CIPHER_free(play.ours);
	play.ours = NULL;
	OSSL_LIB_CTX_free(lib);
	lib = shared;
}

/* Apart: what a function keeps in registers is not sure after its vfork. */
static __attribute__((noinline)) pid_t vfork_and_exec(void)
{
	char *argv[] = { (char *)(uintptr_t)self, (char *)(uintptr_t) "sockets", NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		execv(self, argv);
		_exit(127);
	}
	return pid;
}

/* vfork and exec: nothing is inherited, and the parent's session lives on. */
static void vfork_everywhere(void)
{
	for (size_t at = 1; at < LIFE; at++) {
		struct sessions before, after;

		player_begin(&now, play.ours, play.enc);
		for (size_t i = 0; i < at; i++)
			player_step(&now, life[i]);
		before = sessions();
		assert_int_equal(status_of(vfork_and_exec()), 0);
		after = sessions();
		assert_int_equal(sessions_in_common(&before, &after), before.n);
		player_run(&now, life + at);
		assert_true(player_same(&now, &play.want));
	}
}

static void an_executed_program_inherits_nothing(void **state)
{
	(void)state;
	for_some(vfork_everywhere);
}

static atomic_bool stop;

static void *encrypt_until_told(void *wrong)
{
	struct player *p = calloc(1, sizeof(*p));

	while (p && !atomic_load(&stop)) {
		player_begin(p, play.ours, play.enc);
		player_run(p, life);
		if (!player_same(p, &play.want))
			atomic_store((atomic_bool *)wrong, true);
	}
	free(p);
	return NULL;
}

/* Not over the stand-in: that one takes locks, which a child would inherit locked. */
static void threads_encrypt_while_another_one_forks_two_hundred_times(void **state)
{
	static atomic_bool wrong;
	pthread_t thread[2];

	(void)state;
	assert_true(choose(KC_ALG_AES_128_CBC, 1));
	for (size_t i = 0; i < COUNT(thread); i++)
		assert_int_equal(pthread_create(&thread[i], NULL, encrypt_until_told, &wrong), 0);
	player_begin(&now, play.ours, play.enc);
	player_run(&now, "NBsLCD");
	for (int i = 0; i < 200; i++) {
		pid_t pid = divide(FORK, -1);

		if (pid == 0) {
			player_step(&now, 'I');
			player_step(&now, 'L');
			_exit(memcmp(now.log, play.want.log, now.n) == 0 ? 0 : WRONG_BYTES);
		}
		assert_int_equal(status_of(pid), 0);
	}
	atomic_store(&stop, true);
	for (size_t i = 0; i < COUNT(thread); i++)
		pthread_join(thread[i], NULL);
	assert_false(atomic_load(&wrong));
	player_run(&now, life + 6);
	assert_true(player_same(&now, &play.want));
}

static int finish(void **state)
{
	EVP_CIPHER_free(play.ours);
	play.ours = NULL;
	return unload(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_child_that_is_forked_before_the_first_request_tries_the_driver_itself),
		cmocka_unit_test(every_cipher_is_right_on_both_sides_of_a_fork),
		cmocka_unit_test(a_fork_of_any_kind_before_any_call_leaves_both_sides_right),
		cmocka_unit_test(an_executed_program_inherits_nothing),
	};
	const struct CMUnitTest with_threads[] = {
		cmocka_unit_test(threads_encrypt_while_another_one_forks_two_hundred_times),
	};
	int failed;

	if (argc == 2 && strcmp(argv[1], "sockets") == 0)
		return (int)sessions().n;
	if (argc < 2)
		return 2;
	self = argv[0];
	arguments = argv + 1;
	over_kernel = argc == 2;
	failed = cmocka_run_group_tests_name("fork", tests, load, finish);
	if (over_kernel)
		failed += cmocka_run_group_tests_name("fork with threads", with_threads, load,
						      finish);
	return failed;
}
