/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests in OpenSSL's asynchronous jobs, through EVP, over the stand-in that has requests in
 * flight: a job pauses until its request is done, and whatever happens to the job, every byte is
 * the default provider's.
 */
#include "unit/check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <openssl/async.h>
#include <openssl/evp.h>

#include "integration/lives/loaded.h"
#include "local.h"
#include "standin/queued.h"
#include "standin/standin.h"

#define LEN   20000
#define CALLS 5

static const char CBC[] = "AES-128-CBC", CTR[] = "AES-128-CTR";

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

/* Starts or resumes the job. Returns true once it has ended. */
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

/* A job that has not started. */
static struct work *work_new(const char *name, int seed)
{
	static struct work w;

	w = (struct work){ .ctx = begin(name, "?provider=kcrypto"),
			   .len = LEN / 64 * 64,
			   .calls = CALLS,
			   .wait = ASYNC_WAIT_CTX_new() };
	memset(w.in, seed, sizeof(w.in));
	return &w;
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
static void warm_up(const char *name)
{
	struct work *w = work_new(name, 1);

	assert_true(run(&w));
	assert_right(w, name);
	work_end(w);
}

static void load_and_warm_up(void)
{
	load();
	warm_up(CBC);
	warm_up(CTR);
}

static void reset(void)
{
	memset(&queued, 0, sizeof(queued));
}

const struct suite suite = {
	.arguments = 1, .set_up = load_and_warm_up, .tear_down = unload, .before_each = reset
};

TEST(a_job_pauses_with_a_descriptor_until_its_request_is_done)
{
	struct work *w = work_new(CBC, 2);
	int pauses = 0;

	for (; !go_on(w); pauses++) {
		assert_int_equal(descriptors(w), 1);
		assert_int_equal(queued.now, 1);
	}
	assert_int_equal(pauses, CALLS);
	assert_int_equal(descriptors(w), 0);
	assert_int_equal(queued.now, 0);
	assert_right(w, CBC);
	work_end(w);
}

TEST(a_call_outside_a_job_is_not_submitted)
{
	struct work *w = work_new(CBC, 3);

	assert_true(run(&w));
	assert_int_equal(queued.submitted, 0);
	assert_right(w, CBC);
	work_end(w);
}

/* Each update has the buffers of the last one. */
static int run_alike(void *arg)
{
	struct work *w = *(struct work **)arg;
	int n = 0;

	for (int i = 0; i < CALLS; i++)
		if (!EVP_CipherUpdate(w->ctx, w->out, &n, w->in, w->len) || n != w->len)
			return 0;
	return 1;
}

TEST(updates_that_are_alike_pause_in_a_job_and_only_there)
{
	struct work *w = work_new(CBC, 3);
	int ret = 0, pauses = 0;

	for (int turn = 1; turn <= 2; turn++) {
		assert_true(run_alike(&w));
		assert_int_equal(pauses, queued.submitted);
		while (ASYNC_start_job(&w->job, w->wait, &ret, run_alike, &w, sizeof(w)) ==
		       ASYNC_PAUSE)
			pauses++;
		assert_int_equal(ret, 1);
		assert_int_equal(pauses, turn * CALLS);
	}
	work_end(w);
}

/* Or the request fails: then it is counted, and software does it. */
TEST(a_request_that_finds_no_room_in_flight_waits)
{
	static const int errors[] = { 0, EIO };

	for (size_t i = 0; i < COUNT(errors); i++) {
		struct work *w = work_new(CBC, 4);
		unsigned long long failed = redone(KC_ALG_AES_128_CBC);

		queued.fail_submit = 2;
		queued.submit_errno = errors[i];
		while (!go_on(w))
			;
		assert_right(w, CBC);
		assert_int_equal(redone(KC_ALG_AES_128_CBC) > failed, errors[i] != 0);
		work_end(w);
	}
}

TEST(where_pausing_is_blocked_the_request_waits)
{
	struct work *w = work_new(CBC, 4);

	w->blocks = true;
	queued.early = 4;
	assert_true(go_on(w));
	assert_int_equal(queued.waited, CALLS);
	assert_int_equal(descriptors(w), 0);
	assert_right(w, CBC);
	work_end(w);
}

TEST(a_job_without_a_place_for_descriptors_does_not_pause)
{
	struct work *w = work_new(CBC, 4);
	ASYNC_WAIT_CTX *wait = w->wait;

	w->wait = NULL;
	assert_true(go_on(w));
	w->wait = wait;
	assert_int_equal(queued.submitted, 0);
	assert_right(w, CBC);
	work_end(w);
}

static ASYNC_JOB *left[2];

/* OpenSSL does not free such a job. It stays reachable here. */
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
	struct work *w = work_new(CBC, 5);
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
	struct work *w = work_new(CBC, 6);

	assert_false(go_on(w));
	abandon(w);
	for (int i = 0; i < 3; i++) {
		assert_true(EVP_CipherInit_ex2(w->ctx, NULL, NULL, iv, 1, NULL));
		while (!go_on(w))
			;
		assert_right(w, CBC);
	}
	work_end(w);
	assert_int_equal(queued.dropped, 1);
}

/* The base knows the copy's place in the stream, so the copy continues as the base alone would. */
TEST(a_context_is_copied_while_its_job_pauses)
{
	LOCAL(EVP_CIPHER_CTX) *copy = EVP_CIPHER_CTX_new();
	struct work *w = work_new(CBC, 7);
	unsigned char out[64];
	int n = 0;

	assert_false(go_on(w));
	assert_true(EVP_CIPHER_CTX_copy(copy, w->ctx));
	assert_true(EVP_CipherUpdate(copy, out, &n, w->in, 64));
	while (!go_on(w))
		;
	assert_right(w, CBC);
	assert_memory_equal(out, w->out, 64);
	work_end(w);
}

static void resume_in_child(struct work *w)
{
	while (!go_on(w))
		;
	assert_right(w, CBC);
	work_end(w);
}

TEST(both_processes_go_on_after_a_fork_while_a_job_pauses)
{
	struct work *w = work_new(CBC, 8);
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

/* The caller may hold a lock of libcrypto. */
static int digest(void *arg)
{
	LOCAL(EVP_MD) *md = EVP_MD_fetch(lib, "SHA256", "?provider=kcrypto");
	static const unsigned char text[LEN];
	unsigned char out[32];
	int ok = 1;

	(void)arg;
	for (int i = 0; ok && i < CALLS; i++)
		ok = EVP_Digest(text, LEN, out, NULL, md, NULL);
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

/* OpenSSL's random generators do exactly this; another job would get the same numbers. */
static int zeros(void *arg)
{
	struct work *w = *(struct work **)arg;
	int n = 0;

	memset(w->out, 0, LEN);
	return EVP_CipherUpdate(w->ctx, w->out, &n, w->out, LEN);
}

TEST(zeros_in_place_by_a_counter_do_not_pause)
{
	struct work *w = work_new(CTR, 0);
	int ret = 0;

	assert_int_equal(ASYNC_start_job(&w->job, w->wait, &ret, zeros, &w, sizeof(w)),
			 ASYNC_FINISH);
	assert_int_equal(queued.submitted, 0);
	w->len = LEN;
	w->calls = 1;
	assert_right(w, CTR);
	work_end(w);
}
