/* SPDX-License-Identifier: Apache-2.0 */
/* verify = N over the stand-in: a driver that begins to lie after its trial. */
#include "unit/fixture.h"

#include <string.h>

#include "session/buffers.h"
#include "diff/stats_file.h"
#include "stats/table.h"

static uint64_t wrong(enum kc_alg_id id)
{
	return kc_stats_sum(&stats_file_read()->row[id]).lied;
}

/* A context after the trial, with an open session. */
static struct kc_cipher *trusted(enum kc_alg_id id, enum kc_dir dir)
{
	struct kc_cipher *c = started(id, dir);

	feed(c, 64);
	assert_true(kc_gate_is_open(&c->gate));
	restart(c);
	return c;
}

TEST(an_answer_that_is_wrong_is_put_right_and_the_driver_refused)
{
	static const enum kc_alg_id ids[] = { KC_ALG_AES_128_CBC, KC_ALG_AES_256_CTR,
					      KC_ALG_AES_192_ECB, KC_ALG_DES_EDE3_CBC };

	for (size_t i = 0; i < 2 * COUNT(ids); i++) {
		enum kc_alg_id id = ids[i / 2];
		enum kc_dir dir = i % 2 ? KC_ENCRYPT : KC_DECRYPT;
		uint64_t before = wrong(id);
		struct kc_cipher *c, *other;
		unsigned requests;

		configure("ALL:0 AES-192-ECB:0", "1");
		software(id, dir, 131072);
		c = trusted(id, dir);
		c->base->set_padding(c->base, c->base_ctx, false);
		other = trusted(id, dir);
		standin.lie_at = 2; /* of the three requests of the update */
		memset(out, 0, LEN);
		feed(c, 131072);
		assert_memory_equal(out, want, 131072);
		assert_int_equal(policy.row[id]->trust, KC_REFUSED);
		assert_int_equal(wrong(id), before + 1);
		assert_false(kc_gate_is_open(&c->gate));

		requests = standin.requests;
		feed(other, 4096);
		feed(c, 4096);
		assert_int_equal(standin.requests, requests);
		assert_false(kc_gate_is_open(&other->gate));
		kc_cipher_free(c);
		kc_cipher_free(other);
		assert_int_equal(standin.opened, standin.closed);
	}
}

TEST(in_place_a_wrong_answer_is_put_right_too)
{
	LOCAL_CIPHER *c = NULL;
	size_t n;

	configure("AES-128-CBC:0", "1");
	software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 65536);
	c = trusted(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	standin.lie_at = 1;
	memcpy(out, in, 65536);
	assert_true(kc_cipher_update(c, out, &n, sizeof(out), out, 65536));
	assert_memory_equal(out, want, 65536);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->trust, KC_REFUSED);
}

TEST(one_in_n_is_compared)
{
	unsigned seen = 0;

	for (unsigned at = 1; at <= 30; at++) {
		struct kc_cipher *c;

		configure("AES-128-CBC:0", "5");
		c = trusted(KC_ALG_AES_128_CBC, KC_ENCRYPT);
		/* The first ones are compared in any case. */
		for (int i = 0; i < 4; i++)
			feed(c, 64);
		standin.lie_at = at;
		for (int i = 0; i < 30; i++)
			feed(c, 64);
		seen += policy.row[KC_ALG_AES_128_CBC]->trust == KC_REFUSED;
		kc_cipher_free(c);
	}
	assert_int_equal(seen, 6);
}

/* One context compares for all: what is left of the failed request is in the device. */
TEST(the_first_answer_after_a_failure_is_compared)
{
	LOCAL_CIPHER *c = NULL, *other = NULL;

	configure("AES-128-CBC:0", NULL);
	software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 4096);
	c = trusted(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	other = trusted(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	for (int i = 0; i < 5; i++) {
		restart(c);
		feed(c, 4096);
	}
	restart(c);
	standin.fail_one_in = 1;
	feed(c, 4096);
	assert_memory_equal(out, want, 4096);
	standin.fail_one_in = 0;
	standin.lie_at = 1;
	memset(out, 0, 4096);
	feed(other, 4096);
	assert_memory_equal(out, want, 4096);
	assert_int_equal(policy.row[KC_ALG_AES_128_CBC]->trust, KC_REFUSED);
}

TEST(a_failure_under_comparison_is_the_bases_business)
{
	uint64_t before = wrong(KC_ALG_AES_128_CTR);
	LOCAL_CIPHER *c = NULL;

	configure("AES-128-CTR:0", "1");
	software(KC_ALG_AES_128_CTR, KC_ENCRYPT, 131077);
	c = trusted(KC_ALG_AES_128_CTR, KC_ENCRYPT);
	standin.fail_one_in = 1;
	feed(c, 131077);
	assert_memory_equal(out, want, 131077);
	assert_int_equal(policy.row[KC_ALG_AES_128_CTR]->trust, KC_TRUSTED);
	assert_true(policy.row[KC_ALG_AES_128_CTR]->failures > 0);
	assert_int_equal(wrong(KC_ALG_AES_128_CTR), before);
}

/* Takes two buffers, as many as a comparison needs, and gives them back. */
static void on_two_buffers(void (*act)(uint8_t *buf))
{
	uint8_t *first = kc_buffer_take(), *second = kc_buffer_take();

	act(first);
	act(second);
	kc_buffer_give(first, 0);
	kc_buffer_give(second, 0);
}

static void make_zero(uint8_t *buf)
{
	memset(buf, 0, KC_MAX_REQUEST);
}

static void expect_zero(uint8_t *buf)
{
	static const uint8_t zeros[KC_MAX_REQUEST];

	assert_memory_equal(buf, zeros, sizeof(zeros));
}

/* The trial leaves its own text, which is no secret, so the buffers are zero only after it. */
TEST(what_it_is_compared_with_does_not_stay_in_memory)
{
	LOCAL_CIPHER *c = NULL;
	size_t n;

	configure("AES-128-CBC:0", "1");
	c = trusted(KC_ALG_AES_128_CBC, KC_DECRYPT);
	kc_buffer_free();
	on_two_buffers(make_zero);
	feed(c, 65536);
	on_two_buffers(expect_zero);
	assert_true(kc_cipher_update(c, out, &n, sizeof(out), out, 65536));
	on_two_buffers(expect_zero);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
