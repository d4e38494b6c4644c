/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests in OpenSSL's asynchronous jobs, through EVP, over the stand-in that has requests in
 * flight: a job pauses until its request is done, and whatever becomes of it, every byte is the
 * default provider's.
 */
#include "unit/check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <openssl/async.h>
#include <openssl/evp.h>

#include "diff/diff.h"
#include "integration/loaded.h"
#include "local.h"
#include "standin/queued.h"
#include "standin/standin.h"

#define LEN   20000
#define MOST  16
#define CALLS 5

static const char *const names[] = { "AES-128-CBC", "AES-128-CTR",  "AES-128-ECB", "AES-128-CFB",
				     "AES-128-OFB", "DES-EDE3-CBC", "ChaCha20" };

/* The work of a job: encrypts the same text again and again, as one stream. */
struct work {
	EVP_CIPHER_CTX *ctx;
	unsigned char in[LEN], out[CALLS * LEN];
	int len, calls, done;
	bool blocks; /* pauses */
	ASYNC_JOB *job;
	ASYNC_WAIT_CTX *wait;
	bool paused;
};

static struct work works[MOST];
static unsigned char expected[CALLS * LEN], key[64], iv[16];

static int run(void *arg)
{
	struct work *w = *(struct work **)arg;
	int n = 0, at = 0;

	if (w->blocks)
		ASYNC_block_pause();
	for (w->done = 0; w->done < w->calls; w->done++) {
		if (!EVP_CipherUpdate(w->ctx, w->out + at, &n, w->in, w->len) || n != w->len)
			return 0;
		at += n;
	}
	if (w->blocks)
		ASYNC_unblock_pause();
	return 1;
}

/* Starts or resumes it; true once it has ended. */
static bool go_on(struct work *w)
{
	int ret = 0, status = ASYNC_start_job(&w->job, w->wait, &ret, run, &w, sizeof(w));

	w->paused = status == ASYNC_PAUSE;
	assert_true(w->paused || status == ASYNC_FINISH);
	if (!w->paused)
		assert_int_equal(ret, 1);
	return !w->paused;
}

static size_t descriptors(const struct work *w)
{
	size_t n = 0;

	assert_true(ASYNC_WAIT_CTX_get_all_fds(w->wait, NULL, &n));
	return n;
}

static EVP_CIPHER_CTX *begin(const char *name, const char *provider)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, name, provider);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_true(EVP_CipherInit_ex2(c, cipher, key, iv, 1, NULL));
	EVP_CIPHER_CTX_set_padding(c, 0);
	return c;
}

/* A job that has not begun. */
static struct work *work_new(struct work *w, const char *name, int seed)
{
	*w = (struct work){ .ctx = begin(name, "?provider=kcrypto"),
			    .len = LEN / 64 * 64,
			    .calls = CALLS,
			    .wait = ASYNC_WAIT_CTX_new() };
	memset(w->in, seed, sizeof(w->in));
	return w;
}

static void work_end(struct work *w)
{
	EVP_CIPHER_CTX_free(w->ctx);
	ASYNC_WAIT_CTX_free(w->wait);
}

static void assert_right(const struct work *w, const char *name)
{
	LOCAL(EVP_CIPHER_CTX) *c = begin(name, "provider=default");
	int n = 0, at = 0;

	for (int i = 0; i < w->calls; i++, at += n)
		assert_true(EVP_CipherUpdate(c, expected + at, &n, w->in, w->len));
	assert_memory_equal(w->out, expected, (size_t)at);
}

/* Until the driver is trusted and has been compared often enough, nothing is in flight. */
static void warm_up(void)
{
	struct work *w = &works[0];

	for (size_t i = 0; i < COUNT(names); i++) {
		work_new(w, names[i], 1);
		assert_true(run(&w));
		assert_right(w, names[i]);
		work_end(w);
	}
}

static void load_and_warm_up(void)
{
	load();
	warm_up();
}

static void reset(void)
{
	memset(&queued, 0, sizeof(queued));
	standin.fail_one_in = 0;
	standin.lie_len = 0;
}

const struct suite suite = {
	.arguments = 1, .set_up = load_and_warm_up, .tear_down = unload, .before_each = reset
};

TEST(a_job_pauses_with_a_descriptor_until_its_request_is_done)
{
	struct work *w = work_new(&works[0], names[0], 2);
	int pauses = 0;

	for (; !go_on(w); pauses++) {
		assert_int_equal(descriptors(w), 1);
		assert_int_equal(queued.now, 1);
	}
	assert_int_equal(pauses, CALLS);
	assert_int_equal(descriptors(w), 0);
	assert_int_equal(queued.now, 0);
	assert_right(w, names[0]);
	work_end(w);
}

TEST(a_call_outside_a_job_is_not_submitted)
{
	struct work *w = work_new(&works[0], names[0], 3);

	assert_true(run(&w));
	assert_int_equal(queued.submitted, 0);
	assert_right(w, names[0]);
	work_end(w);
}

/* Resumes jobs by chance until all have ended. */
static void play(size_t n, uint64_t seed)
{
	struct random random = { .state = seed };
	bool ended[MOST] = { false };

	for (size_t left = n; left;) {
		size_t i = random_below(&random, n);

		if (ended[i])
			continue;
		ended[i] = go_on(&works[i]);
		left -= ended[i];
	}
}

static void play_all(uint64_t seed)
{
	for (size_t i = 0; i < MOST; i++)
		work_new(&works[i], names[i % COUNT(names)], (int)(seed + i));
	play(MOST, seed);
	for (size_t i = 0; i < MOST; i++) {
		assert_right(&works[i], names[i % COUNT(names)]);
		work_end(&works[i]);
	}
	assert_int_equal(queued.now, 0);
}

TEST(jobs_are_resumed_in_any_order)
{
	for (uint64_t seed = 1; seed < 20; seed++)
		play_all(seed);
	assert_int_equal(queued.most, MOST);
}

TEST(jobs_that_are_resumed_too_early_pause_again)
{
	queued.early = 4;
	for (uint64_t seed = 1; seed < 20; seed++)
		play_all(seed);
}

TEST(what_fails_in_flight_is_done_by_software)
{
	standin.fail_one_in = 3;
	for (uint64_t seed = 1; seed < 20; seed++)
		play_all(seed);
}

TEST(a_request_that_finds_no_room_in_flight_waits)
{
	queued.fail_submit = 2;
	play_all(1);
	queued.submit_errno = EIO;
	play_all(2);
}

TEST(where_pausing_is_blocked_the_request_waits)
{
	struct work *w = work_new(&works[0], names[0], 4);

	w->blocks = true;
	queued.early = 4;
	assert_true(go_on(w));
	assert_int_equal(queued.waited, CALLS);
	assert_int_equal(descriptors(w), 0);
	assert_right(w, names[0]);
	work_end(w);
}

TEST(a_job_without_a_place_for_descriptors_does_not_pause)
{
	struct work *w = work_new(&works[0], names[0], 4);
	ASYNC_WAIT_CTX *wait = w->wait;

	w->wait = NULL;
	assert_true(go_on(w));
	w->wait = wait;
	assert_int_equal(queued.submitted, 0);
	assert_right(w, names[0]);
	work_end(w);
}

static ASYNC_JOB *left[MOST];

/* OpenSSL does not free such a job: it stays reachable here. */
static void abandon(struct work *w)
{
	size_t n = 0;

	while (left[n])
		n++;
	left[n] = w->job;
	w->job = NULL;
}

TEST(a_job_that_is_never_resumed_leaves_nothing_and_writes_nothing)
{
	struct work *w = work_new(&works[0], names[0], 5);
	unsigned closed = standin.closed, opened = standin.opened;

	memset(w->out, 0x77, sizeof(w->out));
	memset(expected, 0x77, sizeof(expected));
	assert_false(go_on(w));
	abandon(w);
	work_end(w);
	assert_int_equal(queued.dropped, 1);
	assert_int_equal(queued.now, 0);
	assert_int_equal(standin.closed - closed, standin.opened - opened);
	assert_memory_equal(w->out, expected, sizeof(w->out));
}

TEST(a_context_that_a_job_left_begins_anew)
{
	struct work *w = work_new(&works[0], names[0], 6);

	assert_false(go_on(w));
	abandon(w);
	for (int i = 0; i < 3; i++) {
		assert_true(EVP_CipherInit_ex2(w->ctx, NULL, NULL, iv, 1, NULL));
		while (!go_on(w))
			;
		assert_right(w, names[0]);
	}
	work_end(w);
	assert_int_equal(queued.dropped, 1);
}

/* The copy is at a place of the stream that the base knows: it goes on as the base alone would. */
TEST(a_context_is_copied_while_its_job_pauses)
{
	LOCAL(EVP_CIPHER_CTX) *copy = EVP_CIPHER_CTX_new();
	struct work *w = work_new(&works[0], "AES-128-CBC", 7);
	unsigned char out[64];
	int n = 0;

	w->len = LEN / 64 * 64;
	assert_false(go_on(w));
	assert_true(EVP_CIPHER_CTX_copy(copy, w->ctx));
	assert_true(EVP_CipherUpdate(copy, out, &n, w->in, 64));
	while (!go_on(w))
		;
	assert_right(w, "AES-128-CBC");
	assert_memory_equal(out, w->out, 64);
	work_end(w);
}

static void resume_in_child(struct work *w)
{
	while (!go_on(w))
		;
	assert_right(w, names[0]);
	work_end(w);
}

TEST(both_processes_go_on_after_a_fork_while_a_job_pauses)
{
	struct work *w = work_new(&works[0], names[0], 8);
	pid_t child;

	assert_false(go_on(w));
	child = fork();
	if (child == 0) {
		resume_in_child(w);
		_exit(0);
	}
	assert_ends_well(child);
	resume_in_child(w);
	assert_int_equal(queued.now, 0);
}

/* Its caller may hold a lock of libcrypto's. */
static int digest(void *arg)
{
	LOCAL(EVP_MD) *md = EVP_MD_fetch(lib, "SHA256", "?provider=kcrypto");
	unsigned char out[32];
	int ok = 1;

	(void)arg;
	for (int i = 0; ok && i < CALLS; i++)
		ok = EVP_Digest(works[0].in, LEN, out, NULL, md, NULL);
	return ok;
}

TEST(a_digest_does_not_pause)
{
	ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
	ASYNC_JOB *job = NULL;
	int ret = 0;

	assert_int_equal(ASYNC_start_job(&job, wait, &ret, digest, NULL, 0), ASYNC_FINISH);
	assert_int_equal(ret, 1);
	ASYNC_WAIT_CTX_free(wait);
}

/* OpenSSL's random generators do just this; another job would get the same numbers. */
static int zeros(void *arg)
{
	struct work *w = *(struct work **)arg;
	int n = 0;

	memset(w->out, 0, LEN);
	return EVP_CipherUpdate(w->ctx, w->out, &n, w->out, LEN);
}

TEST(zeros_in_place_by_a_counter_do_not_pause)
{
	struct work *w = work_new(&works[0], "AES-128-CTR", 0);
	int ret = 0;

	assert_int_equal(ASYNC_start_job(&w->job, w->wait, &ret, zeros, &w, sizeof(w)),
			 ASYNC_FINISH);
	assert_int_equal(queued.submitted, 0);
	w->len = LEN;
	w->calls = 1;
	assert_right(w, "AES-128-CTR");
	work_end(w);
}
