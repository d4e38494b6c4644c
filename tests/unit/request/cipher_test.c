/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cipher context over the stand-in: which requests leave the base, and what happens when the
 * device fails, lies, is late, or belongs to another process. The differential program also checks
 * that the bytes are right.
 */
#include "unit/fixture.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/process.h"
#include "session/buffers.h"
#include "offload/trial.h"

TEST(below_the_threshold_nothing_leaves_the_base)
{
	LOCAL_CIPHER *c = configured("AES-128-CBC:4096", KC_ALG_AES_128_CBC);

	for (int i = 0; i < 1000; i++)
		feed(c, 4095);
	assert_int_equal(standin.opened, 0);
}

TEST(a_session_waits_until_software_did_enough)
{
	struct kc_cipher *c = configured("AES-128-CBC:4096", KC_ALG_AES_128_CBC);

	feed(c, 16384);
	assert_int_equal(standin.opened, 0);
	for (int i = 0; i < 200; i++)
		feed(c, 16384);
	assert_true(standin.requests > 0);
	assert_true(kc_gate_is_open(&c->gate));
	kc_cipher_free(c);
	assert_int_equal(standin.opened, standin.closed);
}

TEST(a_threshold_of_0_sends_the_first_request)
{
	LOCAL_CIPHER *c = configured("AES-128-CBC:0", KC_ALG_AES_128_CBC);

	feed(c, 16);
	assert_true(kc_gate_is_open(&c->gate));
}

TEST(no_request_is_larger_than_max_request)
{
	LOCAL_CIPHER *c = configured("AES-128-CTR:0", KC_ALG_AES_128_CTR);

	software(KC_ALG_AES_128_CTR, KC_ENCRYPT, LEN);
	feed(c, LEN);
	assert_memory_equal(out, want, LEN);
	assert_int_equal(standin.largest, KC_MAX_REQUEST);
}

TEST(plaintext_does_not_stay_in_a_private_buffer)
{
	static const uint8_t zeros[4096];
	/* A decryption of a stream mode runs the same code. */
	LOCAL_CIPHER *c = configured("AES-128-CTR:0", KC_ALG_AES_128_CTR);
	uint8_t *buf;
	size_t n;

	feed(c, 16);
	memcpy(out, in, 4096);
	assert_true(kc_cipher_update(c, out, &n, sizeof(out), out, 4096));
	buf = kc_buffer_take();
	assert_memory_equal(buf, zeros, sizeof(zeros));
	kc_buffer_give(buf, 0);
}

TEST(a_driver_that_lies_is_refused_before_its_first_use)
{
	static const struct {
		unsigned at, len;
	} lies[] = { { 1, 0 }, { 5, 0 }, { 0, 4112 }, { 0, 65536 } };

	for (size_t i = 0; i < COUNT(lies); i++) {
		struct kc_cipher *c = configured("AES-128-CBC:0", KC_ALG_AES_128_CBC);

		standin.lie_at = lies[i].at;
		standin.lie_len = lies[i].len;
		software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 131072);
		feed(c, 131072);
		assert_memory_equal(out, want, 131072);
		assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->trust, KC_REFUSED);
		assert_false(kc_gate_is_open(&c->gate));
		kc_cipher_free(c);
		assert_int_equal(standin.opened, standin.closed);
	}
}

TEST(a_driver_that_loses_a_carry_is_refused)
{
	LOCAL_CIPHER *c = configured("AES-128-CTR:0", KC_ALG_AES_128_CTR);

	setenv("KC_STANDIN_FAULT", "wrap", 1);
	feed(c, 4096);
	unsetenv("KC_STANDIN_FAULT");
	assert_int_equal(policy.row[KC_ALG_AES_128_CTR]->trust, KC_REFUSED);
}

TEST(hidden_hardware_is_refused)
{
	LOCAL_CIPHER *c = configured("AES-128-CBC:0", KC_ALG_AES_128_CBC);

	standin.hides = true;
	standin.open_errno = ENOENT;
	feed(c, 4096);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->trust, KC_REFUSED);
	assert_int_equal(standin.opened, 0);
}

TEST(a_failed_opening_is_tried_again_later)
{
	LOCAL_CIPHER *c = configured("AES-128-CBC:0", KC_ALG_AES_128_CBC);

	standin.open_errno = EMFILE;
	feed(c, 65536);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->trust, KC_UNTRIED);
	standin.open_errno = 0;
	for (int i = 0; i < 20 && !kc_gate_is_open(&c->gate); i++)
		feed(c, 65536);
	assert_true(kc_gate_is_open(&c->gate));
}

TEST(a_costly_session_that_failed_often_waits_and_does_not_wrap)
{
	LOCAL_CIPHER *first = NULL, *c = NULL;
	struct kc_candidate *candidate;

	configure("AES-128-CBC:0", NULL);
	candidate = policy.row[KC_ALG_AES_128_CBC];
	first = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	feed(first, 4096);
	assert_true(kc_gate_is_open(&first->gate));
	atomic_store(&candidate->terms.session_bytes, (SIZE_MAX >> 8) + 1);
	atomic_store(&candidate->failures, 8);
	c = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	for (int i = 0; i < 3; i++)
		feed(c, 65536);
	assert_false(kc_gate_is_open(&c->gate));
}

TEST(a_child_forgets_its_parents_session)
{
	LOCAL_CIPHER *c = configured("AES-128-CBC:0", KC_ALG_AES_128_CBC);
	pid_t pid;

	feed(c, 64);
	pid = fork();
	if (pid == 0) {
		unsigned requests = standin.requests, opened = standin.opened;

		feed(c, 64);
		_exit(standin.forgotten != 1 || standin.opened != opened + 1 ||
		      standin.requests != requests + 1);
	}
	assert_ends_well(pid);
	assert_int_equal(standin.forgotten, 0);
}

TEST(more_contexts_than_max_sessions_all_work)
{
	struct kc_cipher *c[100];

	configure("AES-128-CBC:0", NULL);
	software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 4096);
	for (size_t i = 0; i < COUNT(c); i++) {
		c[i] = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
		feed(c[i], 4096);
		assert_memory_equal(out, want, 4096);
	}
	assert_int_equal(standin.opened - standin.closed,
			 policy.row[KC_ALG_AES_128_CBC]->max_sessions);
	for (size_t i = 0; i < COUNT(c); i++)
		kc_cipher_free(c[i]);
	assert_int_equal(standin.opened, standin.closed);
}

static void *one_request(void *unused)
{
	struct kc_cipher *c = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);

	feed(c, 4096);
	kc_cipher_free(c);
	return unused;
}

/*
 * If the device had a page of its caller's memory, a child that a thread forks could get the
 * answer.
 */
TEST(beside_another_thread_no_page_is_lent)
{
	pthread_t thread;

	configure("AES-128-CBC:0", NULL);
	software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 4096);
	/* Software does the first ones too, into separate memory. */
	for (int i = 0; i < 3; i++)
		one_request(NULL);
	for (int lends = 0; lends < 2; lends++) {
		standin.lends_pages = lends;
		assert_int_equal(pthread_create(&thread, NULL, one_request, NULL), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_memory_equal(out, want, 4096);
		assert_int_equal(standin.last_out != out, lends);
	}
}

static void *thread(void *arg)
{
	uint8_t *mine = malloc(65536);

	for (int i = 0; i < 40; i++) {
		struct kc_cipher *c = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
		size_t n = 0;

		memcpy(mine, in, 65536);
		if (!kc_cipher_update(c, mine, &n, 65536, i % 2 ? mine : in, 65536) ||
		    memcmp(mine, want, 65536) != 0)
			atomic_fetch_add((atomic_uint *)arg, 1);
		kc_cipher_free(c);
	}
	free(mine);
	return NULL;
}

/* Trial, private buffers and failures at the same time; also runs under TSan. */
TEST(threads_that_share_a_policy_are_all_right)
{
	atomic_uint wrong = 0;
	pthread_t t[8];

	configure("AES-128-CBC:0", NULL);
	software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 65536);
	standin.after = 200;
	standin.fail_one_in = 5;
	for (size_t i = 0; i < COUNT(t); i++)
		assert_int_equal(pthread_create(&t[i], NULL, thread, &wrong), 0);
	for (size_t i = 0; i < COUNT(t); i++)
		pthread_join(t[i], NULL);
	assert_int_equal(wrong, 0);
	assert_int_equal(standin.opened, standin.closed);
	assert_int_equal(*kc_process_sessions(), 0);
}

TEST(after_a_failed_init_a_tls_parameter_or_final_the_base_is_alone)
{
	LOCAL_CIPHER *c = configured("AES-128-CBC:0", KC_ALG_AES_128_CBC);
	uint8_t block[16];
	unsigned before;
	size_t n;

	feed(c, 64);
	before = standin.requests;
	kc_cipher_started(c, KC_ENCRYPT, key, 5, iv, 16, false);
	feed(c, 64);
	kc_cipher_started(c, KC_ENCRYPT, key, 16, iv, 16, true);
	kc_cipher_final(c, block, &n, sizeof(block));
	feed(c, 64);
	assert_int_equal(standin.requests, before);
}

/* Each update is a separate data unit. */
TEST(a_small_request_that_xts_refuses_changes_no_later_byte)
{
	LOCAL_CIPHER *c = NULL;
	size_t n;

	configure("AES-128-XTS:64", NULL);
	software(KC_ALG_AES_128_XTS, KC_ENCRYPT, 16384);
	c = started(KC_ALG_AES_128_XTS, KC_ENCRYPT);
	for (int turn = 0; turn < 300; turn++)
		feed(c, 16384);
	assert_true(kc_gate_is_open(&c->gate));
	assert_false(kc_cipher_update(c, out, &n, sizeof(out), in, 10));
	feed(c, 16384);
	assert_memory_equal(out, want, 16384);
}

TEST(an_iv_alone_or_with_a_key_is_noted_where_it_is_one)
{
	struct kc_cipher *c = configured("AES-128-CBC:0 DES-EDE3-CBC:0", KC_ALG_AES_128_CBC);

	feed(c, 4096);
	assert_false(kc_cipher_restarts(c, KC_ENCRYPT, NULL, 0, NULL, 0));
	assert_false(kc_cipher_restarts(c, KC_ENCRYPT, NULL, 0, iv, 8));
	assert_true(kc_cipher_restarts(c, KC_ENCRYPT, NULL, 0, iv, 16));
	assert_true(c->threshold == c->gate.threshold);
	assert_true(kc_cipher_restarts(c, KC_DECRYPT, NULL, 0, iv, 16));
	assert_true(c->threshold == KC_NO_DETOUR);
	assert_false(kc_cipher_restarts(c, KC_DECRYPT, key, 5, iv, 16));
	assert_true(kc_cipher_restarts(c, KC_DECRYPT, key, 16, iv, 16));
	assert_true(c->threshold == c->gate.threshold);
	kc_cipher_free(c);
	/* The key has an unusual length; the base of this row refuses the usual one. */
	c = started(KC_ALG_DES_EDE3_CBC, KC_ENCRYPT);
	assert_false(kc_cipher_restarts(c, KC_ENCRYPT, NULL, 0, iv, 8));
	kc_cipher_free(c);
}

/* A context whose next update of so many bytes is like the last one. */
static struct kc_cipher *usual(size_t len)
{
	struct kc_cipher *c = configured("AES-128-CBC:0", KC_ALG_AES_128_CBC);

	for (int i = 0; i < 5; i++)
		feed(c, len);
	assert_true(c->usual.at);
	return c;
}

TEST(an_update_like_the_last_one_asks_for_the_process_and_for_failures)
{
	LOCAL_CIPHER *c = usual(4096), *other = NULL;
	unsigned requests = standin.requests;
	pid_t pid = fork();

	if (pid == 0) {
		feed(c, 4096);
		_exit(standin.forgotten != 1 || standin.requests != requests + 1);
	}
	assert_ends_well(pid);
	/* Another context catches the driver lying. */
	other = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	feed(other, 4096);
	requests = standin.requests;
	kc_rest_refuse(other->gate.candidate);
	feed(c, 4096);
	assert_int_equal(standin.requests, requests);
}

TEST(a_failed_update_like_the_last_one_is_done_by_the_base)
{
	LOCAL_CIPHER *c = usual(4096);

	restart(c);
	feed(c, 4096);
	restart(c);
	software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 4096);
	standin.fail_one_in = 1;
	memset(out, 0, 4096);
	feed(c, 4096);
	assert_memory_equal(out, want, 4096);
	assert_false(kc_gate_is_open(&c->gate));
	assert_true(c->gate.candidate->has_failed);
	assert_int_equal(c->gate.done.failed, 1);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
