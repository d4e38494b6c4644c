/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fork before every call of an AEAD's life, a message that waits for its end or a session
 * open or both: child and parent go on with the same context, one after the other or in turns, both
 * are right, and each by its own way into the kernel. usage: aead_fork_test CONFIG [standin]
 */
#include "unit/check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/err.h>

#include "diff/row.h"
#include "integration/loaded.h"
#include "integration/message.h"
#include "integration/sessions.h"
#include "stats/stats_read.h"

#define LEN	 9000
#define MESSAGES 8
#define LOG	 (256 * 1024)

/*
 * k: key, IV, AAD; i: the same without a key; x: with a wrong tag, decrypting; K: another key.
 * u, p: all of the text, in place; h: half of it, which not all AEADs take; f: final.
 * Records: R: key; r: one; X: a forged one, decrypting.
 */
static const char life[] = "kufipfxufihhfKufxpfiuf";
static const char life_of_ccm[] = "kufipfxufKufxpfKuf";
static const char life_of_records[] = "RrrXrr";

enum order { CHILD_FIRST, PARENT_FIRST, IN_TURNS, ORDERS };
enum { WRONG_BYTES = 20, PARENTS_SOCKET, NO_SOCKET, WRONG_COUNT, SOCKET_LEFT };

static const enum kc_alg_id rows[] = { KC_ALG_AES_128_GCM, KC_ALG_AES_256_CCM,
				       KC_ALG_CHACHA20_POLY1305 };

static bool over_kernel; /* else over the stand-in, which aborts by itself on a parent's session */
static unsigned char text[LEN];
static unsigned char sealed[MESSAGES][LEN + RECORD_ROOM]; /* by the default provider's life */

struct play {
	EVP_CIPHER_CTX *c;
	int enc;
	unsigned message; /* the next one */
	size_t at;	  /* bytes of its text that are through */
	size_t n;	  /* bytes of the log */
	unsigned char out[LEN + RECORD_ROOM], log[LOG];
};

static struct play want, now;
static enum kc_alg_id row;
static EVP_CIPHER *ours, *theirs;
static const char *calls;			 /* the life that is played */
static unsigned long long counted[sizeof(life)]; /* before each call of an undisturbed one */

static void note(struct play *p, bool ok, const unsigned char *out, size_t len)
{
	if (p->n + len + 1 > sizeof(p->log))
		abort();
	p->log[p->n++] = ok;
	if (len)
		memcpy(p->log + p->n, out, len);
	p->n += len;
	ERR_clear_error();
}

static const unsigned char *key_of(char letter)
{
	return (const unsigned char *)(letter == 'K' ? "this is the other key, 32 bytes." :
						       "0123456789abcdefghijklmnopqrstuv");
}

static void start(struct play *p, char letter)
{
	unsigned char iv[MESSAGE_IV] = { (unsigned char)p->message }, tag[MESSAGE_TAG];

	memcpy(tag, sealed[p->message] + LEN, sizeof(tag));
	tag[5] ^= letter == 'x';
	note(p,
	     message_start(p->c, p->enc, letter == 'k' || letter == 'K' ? key_of(letter) : NULL, iv,
			   p->enc ? NULL : tag) &&
		     message_head(p->c, text, 20, LEN),
	     NULL, 0);
	p->at = 0;
}

static void update(struct play *p, size_t len, bool in_place)
{
	const unsigned char *in = (p->enc ? text : sealed[p->message]) + p->at;
	bool ok;
	int n = 0;

	memset(p->out, 0, sizeof(p->out));
	if (in_place)
		memcpy(p->out, in, len);
	ok = EVP_CipherUpdate(p->c, p->out, &n, in_place ? p->out : in, (int)len);
	note(p, ok, p->out, len);
	if (p == &want && p->enc)
		memcpy(sealed[p->message] + p->at, p->out, len);
	p->at += len;
}

static void end(struct play *p)
{
	int n = 0;
	bool ok = EVP_CipherFinal_ex(p->c, p->out, &n);

	note(p, ok && (!p->enc || message_tag(p->c, p->out)), p->out, p->enc ? MESSAGE_TAG : 0);
	if (p == &want && p->enc)
		memcpy(sealed[p->message] + LEN, p->out, MESSAGE_TAG);
	p->message++;
}

static void record(struct play *p, char letter)
{
	size_t len = LEN + record_carried(p->c) + MESSAGE_TAG;
	bool ok;

	memcpy(p->out, sealed[p->message], sizeof(p->out));
	if (p->enc)
		memcpy(p->out + record_carried(p->c), text, LEN);
	else
		p->out[len / 2] ^= letter == 'X';
	ok = record_play(p->c, (unsigned char)p->message, p->out, len);
	note(p, ok, p->out, len);
	if (p == &want && p->enc)
		memcpy(sealed[p->message], p->out, len);
	p->message++;
}

static void step(struct play *p, char letter)
{
	unsigned char iv[MESSAGE_IV] = { 77 };

	switch (letter) {
	case 'u':
	case 'p':
		update(p, LEN, letter == 'p');
		break;
	case 'h':
		update(p, LEN / 2, false);
		break;
	case 'f':
		end(p);
		break;
	case 'R':
		note(p, records_start(p->c, p->enc, key_of(letter), iv), NULL, 0);
		break;
	case 'r':
	case 'X':
		record(p, letter);
		break;
	default:
		start(p, letter);
	}
}

static void begin(struct play *p, const EVP_CIPHER *cipher, int enc)
{
	p->c = EVP_CIPHER_CTX_new();
	p->enc = enc;
	p->message = 0;
	p->at = p->n = 0;
	assert_true(EVP_CipherInit_ex(p->c, cipher, NULL, NULL, NULL, enc));
}

static void end_of(struct play *p)
{
	EVP_CIPHER_CTX_free(p->c);
	p->c = NULL;
}

static bool as_wanted(void)
{
	return now.n == want.n && memcmp(now.log, want.log, now.n) == 0;
}

/* A way to wait for the other one: a byte for each call that may be made. */
struct turns {
	int my, others;
};

static void wait_for(const struct turns *t)
{
	char byte;

	if (t && read(t->my, &byte, 1) < 0)
		abort();
}

/* The other one may be through. */
static void pass_on(const struct turns *t)
{
	if (t && write(t->others, "", 1) < 0 && errno != EPIPE)
		abort();
}

/* The rest of the life; 0 or what went wrong. @inherited: what a child may not use; or NULL. */
static int live_on(size_t from, const struct turns *turns, const struct sessions *inherited)
{
	unsigned long long before = requests(row);

	for (size_t i = from; calls[i]; i++) {
		wait_for(turns);
		before = turns ? requests(row) : before;
		step(&now, calls[i]);
		if (turns && requests(row) - before != counted[i + 1] - counted[i])
			return WRONG_COUNT;
		if (over_kernel && inherited && counted[i + 1] > counted[i]) {
			struct sessions mine = sessions();

			if (mine.n == 0)
				return NO_SOCKET;
			if (sessions_in_common(&mine, inherited))
				return PARENTS_SOCKET;
		}
		pass_on(turns);
	}
	if (!turns && requests(row) - before != counted[strlen(calls)] - counted[from])
		return WRONG_COUNT;
	end_of(&now);
	if (over_kernel && sessions().n)
		return SOCKET_LEFT;
	return as_wanted() ? 0 : WRONG_BYTES;
}

static int status_of(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

/* One of two ways; a raw clone is not seen by pthread_atfork. */
static pid_t divide(bool clone)
{
	pid_t pid;

	fflush(NULL);
	pid = clone ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
	return pid;
}

static void be_child(size_t at, enum order order, const int *to_child, const int *to_parent)
{
	const struct turns turns = { to_child[0], to_parent[1] };
	struct sessions inherited = sessions();

	close(to_child[1]);
	close(to_parent[0]);
	if (order == PARENT_FIRST)
		wait_for(&turns);
	_exit(live_on(at, order == IN_TURNS ? &turns : NULL, &inherited));
}

/* A fork before call @at. */
static void forked_life(size_t at, bool clone, enum order order)
{
	int to_child[2], to_parent[2], child = 0, parent;
	struct turns turns;
	pid_t pid;

	begin(&now, ours, want.enc);
	for (size_t i = 0; i < at; i++)
		step(&now, calls[i]);
	assert_int_equal(pipe(to_child), 0);
	assert_int_equal(pipe(to_parent), 0);
	pid = divide(clone);
	assert_true(pid >= 0);
	if (pid == 0)
		be_child(at, order, to_child, to_parent);
	turns = (struct turns){ to_parent[0], to_child[1] };
	close(to_child[0]);
	close(to_parent[1]);
	if (order == CHILD_FIRST)
		child = status_of(pid);
	if (order == IN_TURNS)
		pass_on(&turns);
	parent = live_on(at, order == IN_TURNS ? &turns : NULL, NULL);
	close(to_child[1]);
	if (order != CHILD_FIRST)
		child = status_of(pid);
	close(to_parent[0]);
	if (parent || child)
		fail_msg(
			"call %zu of %s, enc %d, order %d: the parent ended with %d, the child with %d",
			at, calls, want.enc, order, parent, child);
}

/* What the default provider does, and how many requests each call of ours makes. */
static void choose(const char *which, int enc)
{
	calls = which;
	begin(&want, theirs, enc);
	for (size_t i = 0; calls[i]; i++)
		step(&want, calls[i]);
	end_of(&want);
	for (int round = 0; round < 2; round++) { /* the first one may hold the driver's trial */
		unsigned long long start_count = requests(row);

		begin(&now, ours, enc);
		for (size_t i = 0; calls[i]; i++) {
			counted[i] = requests(row) - start_count;
			step(&now, calls[i]);
		}
		counted[strlen(calls)] = requests(row) - start_count;
		end_of(&now);
		assert_true(as_wanted());
	}
	assert_true(counted[strlen(calls)] >= 4);
}

static void each_call_forked(const char *which)
{
	static unsigned turn;

	/* Encrypting first: it makes what is decrypted then. */
	for (int enc = 1; enc >= 0; enc--) {
		unsigned long long failed = redone(row);

		choose(which, enc);
		for (size_t at = 0; at <= strlen(calls); at++, turn++)
			forked_life(at, turn % 2, turn % ORDERS);
		assert_int_equal(redone(row), failed);
	}
}

/* What is offered: /dev/crypto has one of them. */
static void for_all(bool are_records)
{
	size_t offered = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		row = rows[i];
		if (!row_fetch(lib, &kc_algs[row], &ours, &theirs))
			continue;
		print_message("  %s\n", EVP_CIPHER_get0_name(theirs));
		if (are_records)
			each_call_forked(life_of_records);
		else if (EVP_CIPHER_get_mode(theirs) == EVP_CIPH_CCM_MODE)
			each_call_forked(life_of_ccm);
		else
			each_call_forked(life);
		EVP_CIPHER_free(ours);
		EVP_CIPHER_free(theirs);
		offered++;
	}
	assert_true(offered > 0);
}

TEST(messages_go_on_in_both_and_both_are_right)
{
	for_all(false);
}

TEST(records_go_on_in_both_and_both_are_right)
{
	for_all(true);
}

const struct suite suite = { .set_up = load, .tear_down = unload };

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	over_kernel = argc == 2;
	for (size_t i = 0; i < LEN; i++)
		text[i] = (unsigned char)(i * 13 + i / 256);
	return check_main(argc, argv);
}
