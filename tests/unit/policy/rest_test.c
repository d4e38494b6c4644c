/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that hangs until a time limit ends the request costs a process one wait, and then
 * nothing for a while: in no context, in no row of the driver, on no backend.
 */
#include "unit/offload/timed.h"

#include <errno.h>
#include <stdio.h>

#include "base/base.h"
#include "offload/gate.h"
#include "policy/policy.h"

#define SECOND	 1000000000
#define LIMIT_NS ((uint64_t)10200 * MS)

static uint64_t takes; /* ns: for a failing request; others take no time */

static void works(size_t len)
{
	(void)len;
	if (standin.fail_one_in)
		now += takes;
}

static void start(const char *ciphers, const char *second)
{
	struct kc_driver d = { .name = "cbc(aes)",
			       .flags_known = true,
			       .kernel_driver_only = true };

	standin_reset();
	standin_driver("cbc(aes)", "mv-cbc-aes", 300, true);
	standin_driver("ctr(aes)", "mv-ctr-aes", 300, true);
	snprintf(d.driver, sizeof(d.driver), "%s", second);
	if (*second)
		kc_drivers_add(&standin.other, &d);
	load_policy("ciphers", ciphers, NULL);
	standin.working = works;
	standin.fail_errno = ETIMEDOUT;
	takes = LIMIT_NS;
	now = SECOND;
}

static void hangs(bool does)
{
	standin.fail_one_in = does;
}

/* The number of @n messages, one each second, that wait. @of contexts take turns. */
static unsigned wait_of(struct kc_cipher **contexts, size_t of, unsigned n)
{
	unsigned waited = 0;

	for (unsigned i = 0; i < n; i++) {
		struct kc_cipher *c = contexts[i % of];
		uint64_t before = now;

		restart(c);
		feed(c, 16384);
		assert_memory_equal(out, want, 16384);
		waited += now - before >= takes;
		now += SECOND;
	}
	return waited;
}

static unsigned waiting(struct kc_cipher *first, struct kc_cipher *second, unsigned n)
{
	struct kc_cipher *both[] = { first, second };

	return wait_of(both, 2, n);
}

/* Sends 60 messages. The device hangs from the first on, or after it was right for a while. */
static unsigned minute_of(uint64_t ns, const char *ciphers, unsigned good, const char *second)
{
	LOCAL_CIPHER *a = NULL, *b = NULL;

	start(ciphers, second);
	takes = ns;
	software(ID, KC_ENCRYPT, 16384);
	a = started(ID, KC_ENCRYPT);
	b = started(ID, KC_ENCRYPT);
	assert_int_equal(waiting(a, b, good), 0);
	assert_int_equal(good && !kc_gate_is_open(&b->gate), false);
	hangs(true);
	standin.other_requests = 0;
	return waiting(a, b, 60);
}

static unsigned minute(const char *ciphers, unsigned good, const char *second)
{
	return minute_of(LIMIT_NS, ciphers, good, second);
}

TEST(a_driver_that_hangs_costs_a_process_two_waits)
{
	static const char *const thresholds[] = { "AES-128-CBC:0", "AES-128-CBC:1024" };

	for (size_t i = 0; i < COUNT(thresholds); i++) {
		assert_in_range(minute(thresholds[i], 0, ""), 1, 2);
		assert_in_range(minute(thresholds[i], 200, ""), 1, 2);
	}
}

/* A driver may give up a request itself, long before /dev/kcrypto's module would. */
TEST(it_is_two_waits_whenever_the_driver_is_given_up)
{
	static const unsigned ms[] = { 100,  250,  500,	 900,  1000,  1500,
				       2000, 5000, 7400, 7600, 20000, 59000 };

	for (size_t i = 0; i < COUNT(ms); i++) {
		uint64_t ns = (uint64_t)ms[i] * MS;

		assert_in_range(minute_of(ns, "AES-128-CBC:0", 0, ""), 1, 2);
		assert_in_range(minute_of(ns, "AES-128-CBC:0", 20, ""), 1, 2);
		assert_in_range(minute_of(ns, "AES-128-CBC:1024", 20, ""), 1, 2);
	}
}

/* Opens a message whose tag is all zeros, and so wrong, in one request. */
static int open_message(struct kc_gate *gate, const struct kc_base *base)
{
	static const uint8_t zeros[32];
	static uint8_t sealed[16384], tag[16];
	const struct kc_key with = { .bytes = zeros, .len = 16, .tag_len = sizeof(tag) };
	const struct kc_req req = {
		.dir = KC_DECRYPT, .iv = zeros, .in = sealed, .out = out, .len = 16384, .tag = tag
	};

	if (!kc_gate_open(gate, base, KC_DECRYPT, &with, req.len))
		return 0;
	return kc_gate_run(gate, base, &with, &req);
}

/* Whoever finds that the tag was right says so by kc_gate_mistaken(). */
TEST(a_driver_that_hangs_and_then_calls_a_tag_bad_rests_too)
{
	const struct kc_base *base = kc_base_get(&kc_algs[KC_ALG_AES_128_GCM]);
	struct kc_gate gate;
	unsigned waited = 0;

	start("AES-128-GCM:0", "");
	standin_driver("gcm(aes)", "mv-gcm-aes", 300, true);
	load_policy("ciphers", "AES-128-GCM:0", NULL);
	kc_gate_init(&gate, policy.row[KC_ALG_AES_128_GCM]);
	kc_gate_renew(&gate, KC_DECRYPT);
	for (int i = 0; i < 20; i++)
		open_message(&gate, base);
	assert_true(kc_gate_is_open(&gate));
	standin.fail_errno = EBADMSG;
	hangs(true);
	for (int i = 0; i < 20; i++) {
		uint64_t before = now;

		if (open_message(&gate, base) == -EBADMSG)
			kc_gate_mistaken(&gate);
		waited += now - before >= takes;
		now += SECOND;
	}
	kc_gate_end(&gate);
	assert_int_equal(waited, 2);
	assert_true(kc_candidate_let_rest(policy.row[KC_ALG_AES_128_GCM]));
}

/* Earlier failures then no longer count. */
TEST(a_success_ends_a_row_of_failures)
{
	LOCAL_CIPHER *c = NULL;

	start("AES-128-CBC:0", "");
	takes = (uint64_t)400 * MS;
	software(ID, KC_ENCRYPT, 16384);
	c = started(ID, KC_ENCRYPT);
	for (int i = 0; i < 8; i++) {
		hangs(true);
		assert_int_equal(waiting(c, c, 1), 1);
		hangs(false);
		waiting(c, c, 20);
		assert_int_equal(policy.row[ID]->failures, 0);
	}
}

/* The second backend leads to the same device. */
TEST(nobody_goes_on_asking_the_driver_through_another_backend)
{
	assert_in_range(minute("AES-128-CBC:0", 20, "mv-cbc-aes"), 1, 2);
	assert_in_range(standin.other_requests, 0, 1);
}

TEST(another_driver_goes_on)
{
	assert_in_range(minute("AES-128-CBC:0", 20, "other-cbc-aes"), 1, 2);
	assert_true(standin.other_requests > 50);
}

/* AES-256 has the same driver; AES in counter mode has another. */
TEST(a_driver_rests_in_all_its_rows)
{
	LOCAL_CIPHER *c = NULL;

	start("AES-128-CBC:0 AES-256-CBC:0 AES-128-CTR:0", "");
	software(ID, KC_ENCRYPT, 16384);
	c = started(ID, KC_ENCRYPT);
	assert_int_equal(waiting(c, c, 5), 0);
	hangs(true);
	assert_int_equal(waiting(c, c, 2), 2);
	assert_true(kc_candidate_let_rest(policy.row[ID]));
	assert_true(kc_candidate_let_rest(policy.row[KC_ALG_AES_256_CBC]));
	assert_false(kc_candidate_let_rest(policy.row[KC_ALG_AES_128_CTR]));
}

TEST(it_is_asked_again_and_each_failure_doubles_the_rest)
{
	LOCAL_CIPHER *c = NULL;

	start("AES-128-CBC:0", "");
	software(ID, KC_ENCRYPT, 16384);
	c = started(ID, KC_ENCRYPT);
	assert_int_equal(waiting(c, c, 5), 0);
	hangs(true);
	assert_int_equal(waiting(c, c, 80), 2);
	assert_int_equal(waiting(c, c, 160), 1);
	assert_int_equal(waiting(c, c, 320), 1);
	assert_int_equal(waiting(c, c, 640), 1);
	hangs(false);
	assert_int_equal(waiting(c, c, 400), 0);
	assert_true(kc_gate_is_open(&c->gate));
	assert_int_equal(policy.row[ID]->failures, 0);
}

/* All of them were in flight when the first one failed. */
TEST(requests_that_fail_together_count_once)
{
	start("AES-128-CBC:0", "");
	for (int i = 0; i < 8; i++)
		kc_rest_begin(policy.row[ID], LIMIT_NS);
	assert_true(kc_candidate_let_rest(policy.row[ID]));
	now += 8 * LIMIT_NS + SECOND;
	assert_false(kc_candidate_let_rest(policy.row[ID]));
}

/* A device that fails at once rests for no longer than its failures cost. */
TEST(what_costs_nothing_puts_nothing_off)
{
	LOCAL_CIPHER *c = NULL;

	start("AES-128-CBC:0", "");
	software(ID, KC_ENCRYPT, 16384);
	takes = 10000;
	standin.fail_errno = EIO;
	c = started(ID, KC_ENCRYPT);
	assert_int_equal(waiting(c, c, 5), 0);
	hangs(true);
	waiting(c, c, 3);
	hangs(false);
	waiting(c, c, 200);
	assert_true(kc_gate_is_open(&c->gate));
}

TEST(a_driver_that_lied_is_refused_in_all_rows_of_this_backend)
{
	LOCAL_CIPHER *c = NULL;

	start("AES-128-CBC:0 AES-256-CBC:0 AES-128-CTR:0", "mv-cbc-aes");
	software(ID, KC_ENCRYPT, 16384);
	c = started(ID, KC_ENCRYPT);
	feed(c, 16384);
	standin.lies = true;
	assert_int_equal(waiting(c, c, 2), 0);
	assert_int_equal(policy.row[ID]->trust, KC_REFUSED);
	assert_int_equal(policy.row[KC_ALG_AES_256_CBC]->trust, KC_REFUSED);
	assert_int_equal(policy.row[KC_ALG_AES_128_CTR]->trust, KC_UNTRIED);
	assert_true(policy.row[ID]->next->trust != KC_REFUSED);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
