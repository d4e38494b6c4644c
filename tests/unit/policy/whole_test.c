/* SPDX-License-Identifier: Apache-2.0 */
/* The longest message that pays, of those that only go as a whole. */
#include "unit/offload/timed.h"

#include "core/process.h"
#include "policy/first_terms.h"
#include "policy/learn.h"

static struct kc_candidate *aead(void)
{
	struct kc_candidate *c;

	prepare("ALL");
	c = policy.row[KC_ALG_AES_128_GCM];
	atomic_store(&c->trust, KC_TRUSTED);
	atomic_store(&c->terms.threshold[KC_ENCRYPT], 1024);
	return c;
}

static void pairs(struct kc_candidate *c, size_t len, bool pays)
{
	const struct kc_pair pair = { KC_ENCRYPT, len, 2000, pays ? 1000 : 2500, false, false };

	for (int i = 0; i < 3; i++)
		kc_terms_pair(c, &pair);
}

/* Whether a message of this length goes to the kernel. */
static bool goes(struct kc_candidate *c, size_t len)
{
	struct kc_gate gate;
	const struct kc_key with = { .bytes = key, .len = 16, .tag_len = 16 };
	size_t limit;

	atomic_store(&c->terms.before_look, SIZE_MAX / 2);
	kc_gate_init(&gate, c);
	kc_gate_renew(&gate, KC_ENCRYPT);
	limit = kc_gate_open(&gate, kc_base_get(c->alg), KC_ENCRYPT, &with, len);
	kc_gate_end(&gate);
	kc_gate_close(&gate);
	return limit >= len;
}

TEST(a_message_that_is_too_long_goes_to_software_and_a_shorter_one_does_not)
{
	struct kc_candidate *c = aead();

	pairs(c, 16384, true);
	pairs(c, 60000, false);
	assert_true(goes(c, 16384));
	assert_true(goes(c, 32768));
	assert_false(goes(c, 32769));
	assert_false(goes(c, 60000));
	assert_int_equal(c->terms.threshold[KC_ENCRYPT], 1024);
	assert_true(kc_candidate_pays(c, KC_ENCRYPT, 32768));
	assert_false(kc_candidate_pays(c, KC_ENCRYPT, 60000));
}

TEST(a_message_that_is_too_long_is_looked_at_and_may_pay_again)
{
	struct kc_candidate *c = aead();

	pairs(c, 16384, true);
	pairs(c, 60000, false);
	for (int i = 0; i < 9; i++)
		pairs(c, 60000, true);
	assert_true(goes(c, 60000));
	assert_true(c->terms.longest == SIZE_MAX);
}

TEST(a_look_at_a_message_is_made_however_long_it_is)
{
	const struct kc_key with = { .bytes = key, .len = 16, .tag_len = 16 };
	struct kc_candidate *c = aead();
	struct kc_gate gate;

	pairs(c, 16384, true);
	pairs(c, 60000, false);
	atomic_store(&c->terms.before_look, 0);
	kc_gate_init(&gate, c);
	kc_gate_renew(&gate, KC_ENCRYPT);
	assert_true(kc_gate_open(&gate, kc_base_get(c->alg), KC_ENCRYPT, &with, 60000) >= 60000);
	assert_true(gate.is_pair);
	kc_gate_close(&gate);
	kc_gate_end(&gate);
}

/* Where longer messages pay, a message that does not is too short. */
TEST(a_message_that_does_not_pay_between_others_is_not_too_long)
{
	struct kc_candidate *c = aead();

	pairs(c, 60000, true);
	pairs(c, 4096, true);
	pairs(c, 16384, false);
	assert_false(goes(c, 16384));
	assert_true(goes(c, 60000));
}

/* A configured threshold applies to all longer messages. */
TEST(whole_messages_above_a_configured_threshold_have_no_longest)
{
	const struct kc_measured m = { .threshold = { 1024, 1024 }, .longest = 16384 };
	struct kc_candidate *c;

	prepare("AES-128-GCM:1024");
	c = policy.row[KC_ALG_AES_128_GCM];
	kc_terms_tuned(c, &m);
	atomic_store(&c->trust, KC_TRUSTED);
	assert_true(goes(c, 60000));
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
