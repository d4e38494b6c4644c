/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fork at every call boundary of the lives of ciphers, AEADs, digests and MACs, while a message
 * is kept or a session is open or both: parent and child continue with the same context, one after
 * the other or in turns; both are right, and the child opens its own sessions. usage: fork_test
 * CONFIG ciphers|aeads|hashes [standin]
 */
#include "unit/check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "integration/lives/loaded.h"
#include "integration/lives/script.h"
#include "integration/lives/sessions.h"

/* The first arguments of clone, in this machine's order. */
#ifdef __s390x__
#define LIKE_FORK 0, SIGCHLD
#else
#define LIKE_FORK SIGCHLD, 0
#endif

#define MAX_LIFE 32

/*
 * A cipher opens, copies, starts again, gets another key, stops in the middle of a block, ends. An
 * AEAD's messages end, are refused, continue in pieces, which CCM cannot, or are records. A
 * digest's or MAC's life is two messages with one context.
 */
static const struct life {
	const char *calls;
	unsigned requests; /* the kernel does at least this many */
} of_cipher = { "NBsLCDILbUDFfrR", 5 }, of_messages = { "NkufipfxufKufxpfiufihhfR", 4 },
  of_ccm = { "NkufipfKufKpfxufxpfKufR", 4 }, of_records = { "NTttXttR", 4 },
  of_hash = { "NiabfiacfR", 2 };

struct way {
	enum { FORK, CLONE, GRANDCHILD } how; /* pthread_atfork() does not see a raw clone */
	enum { CHILD_FIRST, PARENT_FIRST, IN_TURNS } order;
	enum { FREES, LEAVES, FREES_AT_ONCE, EXITS } ending; /* of the child */
};

enum { WRONG_BYTES = 20, PARENTS_SOCKET, NO_SOCKET, WRONG_COUNT, SOCKET_LEFT };

static const char *self;
static bool over_kernel; /* else over the stand-in, which aborts on a parent's session */

/* One row in one direction. */
static struct {
	size_t row;
	struct row_of ours, theirs;
	const char *life;
	unsigned long long counted[MAX_LIFE]; /* requests before each call of an undisturbed life */
	size_t len;			      /* calls */
	size_t waiting; /* sessions that wait for the next digest after such a life */
} play;

static struct player want, now; /* the default provider's, and kcrypto's */

/* Pipes on which the processes take turns: a byte for each call that the reader may make. */
struct turns {
	int my, others;
};

static void wait_for(const struct turns *t)
{
	char byte;

	if (t && read(t->my, &byte, 1) < 0)
		abort();
}

/* The other process may have ended. */
static void pass_on(const struct turns *t)
{
	if (t && write(t->others, "", 1) < 0 && errno != EPIPE)
		abort();
}

/* After a request the child has a socket that it did not inherit. */
static int check_sockets(const struct sessions *inherited)
{
	struct sessions ours = sessions();

	if (ours.n == 0)
		return NO_SOCKET;
	return sessions_in_common(&ours, inherited) == ours.n ? PARENTS_SOCKET : 0;
}

/* @turns: NULL where one process waits until the other one has ended. */
static int step(size_t i, const struct turns *turns, const struct sessions *inherited)
{
	unsigned long long before, wanted = play.counted[i + 1] - play.counted[i];
	int bad = 0;

	wait_for(turns);
	before = requests(play.row);
	player_step(&now, play.life[i]);
	if (requests(play.row) - before != wanted)
		bad = WRONG_COUNT;
	else if (over_kernel && inherited && wanted)
		bad = check_sockets(inherited);
	pass_on(turns);
	return bad;
}

static int is_left(void)
{
	return over_kernel && sessions().n > play.waiting ? SOCKET_LEFT : 0;
}

/* The rest of the life; 0 or what went wrong. @inherited: what a child may not use; or NULL. */
static int live_on(size_t from, int ending, const struct turns *turns,
		   const struct sessions *inherited)
{
	size_t end = ending == LEAVES ? strcspn(play.life, "rR") : play.len;
	int bad = 0;

	if (ending == FREES_AT_ONCE) {
		player_end(&now);
		return is_left();
	}
	for (size_t i = from; i < end && !bad; i++)
		bad = step(i, turns, inherited);
	if (!bad && !player_same(&now, &want))
		bad = WRONG_BYTES;
	/* Only a context that was used can have closed its inherited socket. */
	return !bad && end == play.len ? is_left() : bad;
}

static int status_of(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

/* @ends: descriptors that a process in between must not hold; or NULL. */
static pid_t divide(int how, const int *ends)
{
	pid_t pid;

	fflush(NULL);
	if (how == CLONE)
		return (pid_t)syscall(SYS_clone, LIKE_FORK, NULL, NULL, NULL);
	pid = fork();
	if (how == FORK || pid != 0)
		return pid;
	pid = fork();
	if (pid == 0)
		return 0;
	for (int i = 0; i < 4; i++)
		close(ends[i]);
	_exit(status_of(pid));
}

static void be_child(size_t at, const struct way *way, const int *ends)
{
	const struct turns turns = { ends[0], ends[3] };
	struct sessions inherited = sessions();
	int status;

	close(ends[1]);
	close(ends[2]);
	if (way->order == PARENT_FIRST)
		wait_for(&turns);
	status = live_on(at, way->ending, way->order == IN_TURNS ? &turns : NULL, &inherited);
	if (way->ending == EXITS)
		exit(status);
	_exit(status);
}

/* kcrypto's life, up to before call @at. */
static void live_until(size_t at)
{
	player_begin(&now, &kc_algs[play.row], &play.ours, want.enc);
	for (size_t i = 0; i < at; i++)
		player_step(&now, play.life[i]);
}

static void forked_life(size_t at, struct way way)
{
	int ends[4], child = 0, parent; /* for the child to read, and for the parent */
	struct turns turns;
	pid_t pid;

	live_until(at);
	assert_int_equal(pipe(&ends[0]), 0);
	assert_int_equal(pipe(&ends[2]), 0);
	pid = divide(way.how, ends);
	assert_true(pid >= 0);
	if (pid == 0)
		be_child(at, &way, ends);
	turns = (struct turns){ ends[2], ends[1] };
	close(ends[0]);
	close(ends[3]);
	if (way.order == CHILD_FIRST)
		child = status_of(pid);
	if (way.order == IN_TURNS)
		pass_on(&turns);
	parent = live_on(at, FREES, way.order == IN_TURNS ? &turns : NULL, NULL);
	close(ends[1]);
	if (way.order != CHILD_FIRST)
		child = status_of(pid);
	close(ends[2]);
	if (parent || child)
		fail_msg("call %zu of %s, enc %d, way %d %d %d: the parent ended with %d, the "
			 "child with %d",
			 at, play.life, want.enc, way.how, way.order, way.ending, parent, child);
}

/* Runs the default provider's life, and counts the requests of each call on kcrypto. */
static void rehearse(const struct life *life, int enc)
{
	play.life = life->calls;
	play.len = strlen(life->calls);
	player_begin(&want, &kc_algs[play.row], &play.theirs, enc);
	want.seals = enc;
	player_run(&want, play.life);
	for (int round = 0; round < 2; round++) { /* the first one may include the driver's trial */
		unsigned long long start = requests(play.row);

		live_until(0);
		for (size_t i = 0; i < play.len; i++) {
			player_step(&now, play.life[i]);
			play.counted[i + 1] = requests(play.row) - start;
		}
		assert_true(player_same(&now, &want));
	}
	assert_true(play.counted[play.len] >= life->requests);
	play.waiting = sessions().n;
	assert_true(play.waiting <= (kc_algs[play.row].kind > KC_AEAD));
}

/* Returns false if the row is not offered. */
static bool choose(size_t row)
{
	row_release(&play.ours);
	row_release(&play.theirs);
	play.row = row;
	return !row_is_absent(&kc_algs[row]) &&
	       row_fetch_both(lib, &kc_algs[row], &play.ours, &play.theirs);
}

/* In both directions; first encrypting, which makes the text to decrypt. */
static void rehearsed(const struct life *life, void (*forks)(void))
{
	bool has_directions = kc_algs[play.row].kind <= KC_AEAD;
	unsigned long long failed = redone(play.row);

	for (int enc = 1; enc >= !has_directions; enc--) {
		rehearse(life, enc);
		forks();
	}
	assert_int_equal(redone(play.row), failed);
}

/* Plain fork, raw clone and turns at each call, the other ways by rotation; a short life, all. */
static void in_every_way(void)
{
	static const struct way ways[] = {
		{ GRANDCHILD, CHILD_FIRST, FREES },    { FORK, PARENT_FIRST, LEAVES },
		{ FORK, CHILD_FIRST, FREES_AT_ONCE },  { FORK, CHILD_FIRST, EXITS },
		{ CLONE, CHILD_FIRST, FREES_AT_ONCE }, { GRANDCHILD, PARENT_FIRST, FREES },
	};
	static size_t turn;

	for (size_t at = 1; at < play.len; at++, turn++) {
		for (int i = 0; i < 4; i++)
			if (i / 2 == (i + (int)at) % 2 || play.len <= strlen(of_hash.calls))
				forked_life(at, (struct way){ i / 2, i % 2, FREES });
		forked_life(at, (struct way){ turn % 2, IN_TURNS, FREES });
		forked_life(at, ways[turn % COUNT(ways)]);
	}
}

/* The child makes the first request of all, so it tries the driver itself. */
TEST(ciphers_of_a_child_before_the_first_request_try_the_driver_themselves)
{
	OSSL_LIB_CTX *shared = lib;
	pid_t pid;

	lib = library_with(arguments[0]);
	assert_non_null(lib);
	assert_true(choose(KC_ALG_AES_128_CBC));
	pid = divide(CLONE, NULL);
	if (pid == 0) {
		unsigned long long before = requests(play.row);

		rehearse(&of_cipher, 1);
		_exit(requests(play.row) < before + 5);
	}
	assert_int_equal(status_of(pid), 0);
	rehearse(&of_cipher, 1);
	row_release(&play.ours);
	row_release(&play.theirs);
	OSSL_LIB_CTX_free(lib);
	lib = shared;
}

/* Neither the cipher inside nor the length of its key makes a difference here. */
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

/* With a session open, after a copy, and after another key. */
static void fork_thrice(void)
{
	forked_life(4, (struct way){ FORK, CHILD_FIRST, FREES });
	forked_life(6, (struct way){ FORK, PARENT_FIRST, FREES });
	forked_life(9, (struct way){ FORK, CHILD_FIRST, FREES });
}

TEST(ciphers_of_every_mode_are_right_on_both_sides_of_a_fork)
{
	size_t offered = 0;

	for (size_t row = 0; row < KC_ALG_COUNT; row++)
		if (kc_algs[row].kind == KC_CIPHER && !is_as_before(row) && choose(row)) {
			rehearsed(&of_cipher, fork_thrice);
			offered++;
		}
	assert_true(offered >= 1);
}

/* Rows that differ as much as possible. /dev/crypto does not have all. */
static void of_each(const enum kc_alg_id *rows, size_t n, size_t at_least, bool are_records)
{
	size_t offered = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kc_alg *alg = &kc_algs[rows[i]];

		if (!choose(rows[i]))
			continue;
		print_message("  %s\n", alg->names);
		if (are_records)
			rehearsed(&of_records, in_every_way);
		else if (alg->kind == KC_CIPHER)
			rehearsed(&of_cipher, in_every_way);
		else if (alg->kind != KC_AEAD)
			rehearsed(&of_hash, in_every_way);
		else
			rehearsed(rows[i] == KC_ALG_AES_256_CCM ? &of_ccm : &of_messages,
				  in_every_way);
		offered++;
	}
	assert_true(offered >= at_least);
}

static const enum kc_alg_id ciphers[] = { KC_ALG_AES_128_CBC, KC_ALG_AES_256_CTR };
static const enum kc_alg_id aeads[] = { KC_ALG_AES_128_GCM, KC_ALG_AES_256_CCM,
					KC_ALG_CHACHA20_POLY1305 };
static const enum kc_alg_id hashes[] = { KC_ALG_SHA256, KC_ALG_HMAC_SHA256, KC_ALG_CMAC_AES_128 };

TEST(ciphers_are_right_on_both_sides_of_any_fork_before_any_call)
{
	of_each(ciphers, COUNT(ciphers), 1, false);
}

TEST(aeads_messages_go_on_in_both_and_both_are_right)
{
	of_each(aeads, COUNT(aeads), 1, false);
}

TEST(aeads_records_go_on_in_both_and_both_are_right)
{
	of_each(aeads, COUNT(aeads), 1, true);
}

TEST(hashes_go_on_in_both_and_both_are_right)
{
	of_each(hashes, COUNT(hashes), 2, false);
}

/* A separate function, since registers may not survive its vfork. */
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

/* vfork and exec: nothing is inherited, and the parent's session stays open. */
static void vfork_everywhere(void)
{
	for (size_t at = 1; at < play.len; at++) {
		struct sessions before, after;

		live_until(at);
		before = sessions();
		assert_int_equal(status_of(vfork_and_exec()), 0);
		after = sessions();
		assert_int_equal(sessions_in_common(&before, &after), before.n);
		player_run(&now, play.life + at);
		assert_true(player_same(&now, &want));
	}
}

TEST(ciphers_sessions_are_not_inherited_by_an_executed_program)
{
	for (size_t i = 0; i < COUNT(ciphers); i++)
		if (choose(ciphers[i]))
			rehearsed(&of_cipher, vfork_everywhere);
}

static atomic_bool stop;

static void *encrypt_until_told(void *wrong)
{
	struct player *p = calloc(1, sizeof(*p));

	while (p && !atomic_load(&stop)) {
		player_begin(p, &kc_algs[play.row], &play.ours, want.enc);
		player_run(p, play.life);
		if (!player_same(p, &want))
			atomic_store((atomic_bool *)wrong, true);
	}
	free(p);
	return NULL;
}

static void fork_two_hundred_times(void)
{
	live_until(6);
	for (int i = 0; i < 200; i++) {
		pid_t pid = divide(FORK, NULL);

		if (pid == 0) {
			player_run(&now, "IL");
			_exit(memcmp(now.log, want.log, now.n) == 0 ? 0 : WRONG_BYTES);
		}
		assert_int_equal(status_of(pid), 0);
	}
}

TEST(ciphers_in_threads_go_on_while_another_one_forks)
{
	static atomic_bool wrong;
	pthread_t thread[2];

	if (!over_kernel) {
		print_message("  the stand-in takes locks, which a child would inherit locked\n");
		return;
	}
	assert_true(choose(KC_ALG_AES_128_CBC));
	rehearse(&of_cipher, 1);
	for (size_t i = 0; i < COUNT(thread); i++)
		assert_int_equal(pthread_create(&thread[i], NULL, encrypt_until_told, &wrong), 0);
	fork_two_hundred_times();
	atomic_store(&stop, true);
	for (size_t i = 0; i < COUNT(thread); i++)
		pthread_join(thread[i], NULL);
	assert_false(atomic_load(&wrong));
	player_run(&now, play.life + 6);
	assert_true(player_same(&now, &want));
}

static void finish(void)
{
	row_release(&play.ours);
	row_release(&play.theirs);
	unload();
}

const struct suite suite = { .arguments = 2, .by_kind = true, .set_up = load, .tear_down = finish };

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "sockets") == 0)
		return (int)sessions().n;
	signal(SIGPIPE, SIG_IGN);
	self = argv[0];
	over_kernel = argc == 3;
	return check_main(argc, argv);
}
