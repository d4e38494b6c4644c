/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two backends for one algorithm: which one is used, and that the other one takes over if the first
 * does not open, fails, lies or is slower.
 */
#include "unit/fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "offload/trial.h"

#define ID KC_ALG_AES_128_CBC

/*
 * Both list hardware, unless their names say otherwise. @key and @value are for the configuration,
 * or NULL.
 */
static void two_ways(const char *first, const char *second, const char *key_, const char *value)
{
	struct kc_driver d = { .name = "cbc(aes)", .flags_known = true };

	standin_reset();
	standin_driver("cbc(aes)", first, 300, strchr(first, '-') && first[0] == 'm');
	snprintf(d.driver, sizeof(d.driver), "%s", second);
	d.kernel_driver_only = second[0] == 'm';
	kc_drivers_add(&standin.other, &d);
	load_policy("ciphers", "AES-128-CBC:0", key_, value, NULL);
	software(ID, KC_ENCRYPT, 131072);
}

/* An update of 128 KiB is right. Returns how many of its requests the second backend did. */
static unsigned other_did(struct kc_cipher *c)
{
	unsigned before = standin.other_requests;

	restart(c);
	memset(out, 0, LEN);
	feed(c, 131072);
	assert_memory_equal(out, want, 131072);
	return standin.other_requests - before;
}

static unsigned fresh_context(void)
{
	struct kc_cipher *c = started(ID, KC_ENCRYPT);
	unsigned did = other_did(c);

	did = other_did(c);
	kc_cipher_free(c);
	return did;
}

TEST(hardware_comes_first_then_the_order_of_the_list)
{
	static const struct {
		const char *first, *second, *key, *value, *best;
	} cases[] = {
		{ "mv-cbc-aes", "mv-cbc-aes", NULL, NULL, "stand-in" },
		{ "cbc-aes-generic", "mv-cbc-aes", NULL, NULL, "other" },
		{ "mv-cbc-aes", "mv-cbc-aes", "backends", "other, stand-in", "other" },
		{ "mv-cbc-aes", "mv-cbc-aes", "backends", "auto", "stand-in" },
		{ "mv-cbc-aes", "mv-cbc-aes", "BACKENDS", "another", "other" },
		{ "mv-cbc-aes", "mv-cbc-aes", "backends", "nonsense", "stand-in" },
		{ "mv-cbc-aes", "cbc-aes-generic", "backends", "other stand-in", "stand-in" },
		{ "cbc-aes-generic", "cbc-aes-generic", "soft_drivers", "1", "stand-in" },
		{ "cbc-aes-generic", "mv-cbc-aes", "soft_drivers", "1", "other" },
		{ "mv-cbc-aes", "mv-cbc-aes", "backends", "other other another stand-in other",
		  "other" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		print_message("  case %zu\n", i);
		two_ways(cases[i].first, cases[i].second, cases[i].key, cases[i].value);
		assert_true(policy.row[ID]->is_offered);
		assert_string_equal(policy.row[ID]->backend->names[0], cases[i].best);
	}
}

TEST(a_backend_that_is_not_in_the_list_gets_nothing)
{
	two_ways("mv-cbc-aes", "mv-cbc-aes", "backends", "other");
	assert_null(policy.row[ID]->next);
	assert_int_equal(fresh_context(), 2);
	assert_int_equal(standin.requests, 0);
}

TEST(where_the_first_does_not_open_the_second_does_the_request)
{
	LOCAL_CIPHER *c = NULL;

	two_ways("mv-cbc-aes", "mv-cbc-aes", NULL, NULL);
	standin.open_errno = EACCES;
	c = started(ID, KC_ENCRYPT);
	assert_true(other_did(c) > 0);
	assert_int_equal(standin.requests, 0);
}

TEST(a_first_that_lies_is_refused_and_the_second_goes_on)
{
	two_ways("mv-cbc-aes", "mv-cbc-aes", NULL, NULL);
	standin.lie_len = 4112;
	assert_int_equal(fresh_context(), 2);
	assert_int_equal(policy.row[ID]->trust, KC_REFUSED);
}

TEST(a_lie_that_verify_finds_refuses_that_way_only)
{
	LOCAL_CIPHER *c = NULL;

	two_ways("mv-cbc-aes", "cbc-aes-generic", "verify", "1");
	policy.row[ID]->next->is_offered = true; /* as if software were allowed */
	c = started(ID, KC_ENCRYPT);
	assert_int_equal(other_did(c), 0);
	standin.lie_at = 1;
	assert_int_equal(other_did(c), 0);
	assert_int_equal(policy.row[ID]->trust, KC_REFUSED);
	other_did(c);
	assert_int_equal(other_did(c), 2);
}

TEST(after_a_failure_the_other_way_is_gone)
{
	LOCAL_CIPHER *c = NULL;

	two_ways("mv-cbc-aes", "cbc-aes-generic", NULL, NULL);
	policy.row[ID]->next->is_offered = true;
	c = started(ID, KC_ENCRYPT);
	assert_int_equal(other_did(c), 0);
	standin.fail_one_in = 1;
	assert_int_equal(other_did(c), 0); /* the base did it */
	for (int i = 0; i < 20 && !kc_gate_is_open(&c->gate); i++)
		other_did(c);
	assert_int_equal(other_did(c), 2);
}

TEST(of_two_ways_to_other_hardware_the_faster_one_is_gone)
{
	two_ways("mv-cbc-aes", "mv2-cbc-aes", NULL, NULL);
	standin.delay_us = 3000;
	assert_int_equal(fresh_context(), 2);
	assert_int_equal(policy.row[ID]->trust, KC_TRUSTED);
	two_ways("mv-cbc-aes", "mv2-cbc-aes", "backends", "other stand-in");
	standin.delay_us = 3000;
	assert_int_equal(fresh_context(), 2);
}

/* Also for a request whose length pays for neither. */
TEST(of_two_ways_to_the_same_driver_the_second_is_not_tried)
{
	LOCAL_CIPHER *c = NULL;

	two_ways("mv-cbc-aes", "mv-cbc-aes", NULL, NULL);
	assert_int_equal(fresh_context(), 0);
	assert_int_equal(policy.row[ID]->trust, KC_TRUSTED);
	assert_int_equal(policy.row[ID]->next->trust, KC_UNTRIED);
	assert_int_equal(standin.other_requests, 0);
	atomic_store(&policy.row[ID]->terms.threshold[KC_ENCRYPT], SIZE_MAX);
	c = started(ID, KC_ENCRYPT);
	assert_true(c->threshold == SIZE_MAX);
}

/* As kcrypto tune leaves it: the threshold, and the time of a request, once and per KiB. */
static void tuned(struct kc_candidate *c, size_t threshold, unsigned once_ns, unsigned kib_ns)
{
	atomic_store(&c->trust, KC_TRUSTED);
	atomic_store(&c->terms.threshold[KC_ENCRYPT], threshold);
	atomic_store(&c->terms.threshold[KC_DECRYPT], threshold);
	atomic_store(&c->terms.once_ns, once_ns);
	atomic_store(&c->terms.kib_ns, kib_ns);
	atomic_store(&c->terms.session_bytes, 0);
}

/*
 * Whether the second backend gets a request of @len bytes of a new context. -1: software does it.
 */
static int other_gets(size_t len)
{
	LOCAL_CIPHER *c = started(ID, KC_ENCRYPT);
	unsigned first = standin.requests, other = standin.other_requests;

	for (int i = 0; i < 2; i++)
		feed(c, len);
	if (standin.other_requests > other)
		return 1;
	return standin.requests > first ? 0 : -1;
}

TEST(each_length_goes_to_the_backend_that_is_faster_with_it)
{
	two_ways("mv-cbc-aes", "mv-cbc-aes", NULL, NULL);
	tuned(policy.row[ID], 4096, 20000, 500);
	tuned(policy.row[ID]->next, 1024, 5000, 2000);
	assert_int_equal(other_gets(2048), 1);
	assert_int_equal(other_gets(8192), 1);
	assert_int_equal(other_gets(16384), 0);
	assert_int_equal(other_gets(65536), 0);
	assert_int_equal(other_gets(512), -1);
}

static int submit_nothing(struct kc_session *session, const struct kc_req *req, uint64_t number)
{
	(void)session, (void)req, (void)number;
	return -EAGAIN;
}

TEST(a_backend_with_requests_in_flight_may_be_an_eighth_slower)
{
	const struct kc_backend *first;
	struct kc_backend queue;

	two_ways("mv-cbc-aes", "mv-cbc-aes", NULL, NULL);
	first = policy.row[ID]->backend;
	queue = *first;
	queue.submit = submit_nothing;
	tuned(policy.row[ID], 1024, 20000, 1000);
	tuned(policy.row[ID]->next, 1024, 19000, 950);
	assert_int_equal(other_gets(16384), 1);
	policy.row[ID]->backend = &queue;
	assert_int_equal(other_gets(16384), 0);
	tuned(policy.row[ID]->next, 1024, 17000, 850);
	assert_int_equal(other_gets(16384), 1);
	policy.row[ID]->backend = first;
}

/* However fast the backend is with the longest requests. */
TEST(a_high_threshold_shuts_no_other_backend_out)
{
	two_ways("mv-cbc-aes", "mv-cbc-aes", NULL, NULL);
	tuned(policy.row[ID], 57472, 1000, 100);
	tuned(policy.row[ID]->next, 992, 10000, 1000);
	assert_int_equal(other_gets(16384), 1);
	assert_int_equal(other_gets(57472), 0);
	atomic_store(&policy.row[ID]->terms.threshold[KC_ENCRYPT], SIZE_MAX);
	assert_int_equal(other_gets(57472), 1);
}

TEST(a_backend_that_does_not_exist_here_is_not_listed)
{
	two_ways("mv-cbc-aes", "mv-cbc-aes", NULL, NULL);
	assert_non_null(policy.row[ID]->next);
	configure("AES-128-CBC:0", NULL);
	assert_null(policy.row[ID]->next);
}

/* A candidate that is refused as slower has no threshold that a request could reach. */
TEST(a_threshold_is_of_the_way_that_is_gone)
{
	struct kc_candidate *first;
	LOCAL_CIPHER *c = NULL;

	two_ways("mv-cbc-aes", "mv-cbc-aes", NULL, NULL);
	first = policy.row[ID];
	atomic_store(&first->trust, KC_REFUSED);
	atomic_store(&first->terms.threshold[KC_ENCRYPT], SIZE_MAX);
	atomic_store(&first->next->trust, KC_TRUSTED);
	atomic_store(&first->next->terms.threshold[KC_ENCRYPT], 4096);
	c = started(ID, KC_ENCRYPT);
	assert_int_equal(c->threshold, 4096);
	assert_int_equal(other_did(c), 2);
}

TEST(where_neither_opens_software_does_it)
{
	two_ways("mv-cbc-aes", "mv-cbc-aes", "backends", "stand-in");
	standin.open_errno = ENODEV;
	assert_int_equal(fresh_context(), 0);
	assert_int_equal(standin.requests, 0);
}

/*
 * The state after kcrypto tune: right, from 1 KiB on; a session costs as much as 8 KiB of software.
 */
static void make_proven(enum kc_alg_id id)
{
	struct kc_candidate *c;

	configure("AES-128-CBC", NULL);
	c = policy.row[id];
	atomic_store(&c->trust, KC_PROVEN);
	c->terms.is_tuned = true;
	c->is_examined = true;
	c->terms.floor = SIZE_MAX;
	atomic_store(&c->terms.threshold[KC_ENCRYPT], 1024);
	atomic_store(&c->terms.session_bytes, 8192);
}

TEST(a_proved_driver_is_asked_no_more_than_the_shortest_question)
{
	struct kc_cipher *c;

	make_proven(KC_ALG_AES_128_CBC);
	software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 65536);
	c = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	for (size_t done = 0; done < 16384; done += 4096) {
		feed(c, 4096);
		assert_int_equal(standin.opened, 0);
	}
	kc_cipher_free(c);
	c = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	feed(c, 16384);
	assert_int_equal(standin.opened, 0);
	restart(c);
	feed(c, 65536);
	assert_memory_equal(out, want, 65536);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->trust, KC_TRUSTED);
	/* The question in both directions, and the request. */
	assert_int_equal(standin.opened, 2);
	assert_int_equal(standin.requests, 3);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->terms.threshold[KC_ENCRYPT], 1024);
	kc_cipher_free(c);
}

/*
 * As far as kcrypto tune came, its verdict counts, and its terms count in any case. The trial costs
 * as much as without a tune file, so it waits for as many bytes, of all contexts.
 */
TEST(a_driver_that_was_not_examined_to_the_end_is_tried_and_compared)
{
	LOCAL_CIPHER *c = NULL;

	make_proven(KC_ALG_AES_128_CBC);
	policy.row[KC_ALG_AES_128_CBC]->is_examined = false;
	software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 65536);
	for (size_t done = 0; done + 32768 <= KC_BYTES_BEFORE_TRIAL; done += 32768) {
		struct kc_cipher *other = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);

		feed(other, 32768);
		assert_int_equal(standin.opened, 0);
		kc_cipher_free(other);
	}
	c = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	feed(c, 65536);
	assert_true(standin.opened > 0);
	restart(c);
	standin.lie_len = 65536;
	feed(c, 65536);
	assert_memory_equal(out, want, 65536);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->trust, KC_REFUSED);
	assert_true(standin.requests > 10);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->terms.threshold[KC_ENCRYPT], 1024);
}

TEST(a_dear_session_is_not_opened_however_often_its_price_is_counted)
{
	LOCAL_CIPHER *c = NULL;

	make_proven(KC_ALG_AES_128_CBC);
	atomic_store(&policy.row[KC_ALG_AES_128_CBC]->terms.session_bytes, SIZE_MAX / 2 + 1);
	c = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	for (int i = 0; i < 3; i++)
		feed(c, 65536);
	assert_int_equal(standin.opened, 0);
}

TEST(a_proved_driver_that_lies_now_is_refused)
{
	LOCAL_CIPHER *c = NULL;

	make_proven(KC_ALG_AES_128_CBC);
	standin.lies = true;
	software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 65536);
	c = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	atomic_store(&policy.row[KC_ALG_AES_128_CBC]->terms.session_bytes, 0);
	feed(c, 65536);
	assert_memory_equal(out, want, 65536);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->trust, KC_REFUSED);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
