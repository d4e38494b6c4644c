/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Special features of each mode, over the stand-in: which part of a request leaves the base, and
 * that both parts together give a published answer. The differential program tests the rest.
 */
#include "unit/fixture.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "base/base.h"

/*
 * RFC 3962, appendix B: 64 bytes in CS3. CS1 is plain CBC of whole blocks, with the last two in
 * order.
 */
static const char key_3962[] = "chicken teriyaki";
static const char text_3962[] = "I would like the General Gau's Chicken, please, and wonton soup.";
static const uint8_t cs3[64] = {
	0x97, 0x68, 0x72, 0x68, 0xd6, 0xec, 0xcc, 0xc0, 0xc0, 0x7b, 0x25, 0xe2, 0x5e,
	0xcf, 0xe5, 0x84, 0x39, 0x31, 0x25, 0x23, 0xa7, 0x86, 0x62, 0xd5, 0xbe, 0x7f,
	0xcb, 0xcc, 0x98, 0xeb, 0xf5, 0xa8, 0x48, 0x07, 0xef, 0xe8, 0x36, 0xee, 0x89,
	0xa5, 0x26, 0x73, 0x0d, 0xbc, 0x2f, 0x7b, 0xc8, 0x40, 0x9d, 0xad, 0x8b, 0xbb,
	0x96, 0xc4, 0xcd, 0xc0, 0x3b, 0xc1, 0x03, 0xe1, 0xa1, 0x94, 0xbb, 0xd8,
};

/* A context with an open session, so that a test's input is not its first. */
static struct kc_cipher *warm(const char *ciphers, enum kc_alg_id id, enum kc_dir dir)
{
	struct kc_cipher *c;

	configure(ciphers, NULL);
	c = started(id, dir);
	feed(c, 4096);
	assert_true(kc_gate_is_open(&c->gate));
	return c;
}

static void again(struct kc_cipher *c, const uint8_t *new_key, const uint8_t *new_iv)
{
	const struct kc_alg *alg = c->base->alg;

	assert_true(c->base->init(c->base, c->base_ctx, c->dir, new_key, new_iv));
	kc_cipher_started(c, c->dir, new_key, new_key ? alg->key_len : 0, new_iv,
			  new_iv ? alg->iv_len : 0, true);
}

static void set_cts_mode(struct kc_cipher *c, const char *mode)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE,
						 (char *)(uintptr_t)mode, 0),
		OSSL_PARAM_construct_end(),
	};

	assert_true(kc_base_row(c->base->alg)->set_ctx_params(c->base_ctx, params));
}

TEST(stealing_gives_the_published_answer_with_the_last_two_blocks_by_the_base)
{
	static const uint8_t zeros[16];
	static const char *const modes[] = { "CS1", "CS2", "CS3" };
	LOCAL_CIPHER *c = warm("ALL:0", KC_ALG_AES_128_CBC_CTS, KC_ENCRYPT);
	size_t n;

	for (size_t i = 0; i < COUNT(modes); i++) {
		bool is_cbc = i < 2;
		unsigned requests = standin.requests;

		set_cts_mode(c, modes[i]);
		again(c, (const uint8_t *)key_3962, zeros);
		assert_true(
			kc_cipher_update(c, out, &n, sizeof(out), (const uint8_t *)text_3962, 64));
		assert_int_equal(n, 64);
		assert_memory_equal(out, cs3, 32);
		assert_memory_equal(out + 32, cs3 + (is_cbc ? 48 : 32), 16);
		assert_memory_equal(out + 48, cs3 + (is_cbc ? 32 : 48), 16);
		assert_int_equal(standin.requests, requests + 1);
		/* The message has ended. */
		assert_false(kc_cipher_update(c, out, &n, sizeof(out), in, 64));
		assert_int_equal(standin.requests, requests + 1);
	}
}

TEST(a_tls_record_is_none_where_blocks_are_stolen)
{
	LOCAL_CIPHER *c = warm("ALL:0", KC_ALG_AES_128_CBC_CTS, KC_ENCRYPT);
	unsigned requests;
	size_t n;

	again(c, key, iv);
	software(KC_ALG_AES_128_CBC_CTS, KC_ENCRYPT, 8192);
	c->tls = true;
	requests = standin.requests;
	memcpy(out, in, 8192);
	assert_true(kc_cipher_update(c, out, &n, sizeof(out), out, 8192));
	assert_memory_equal(out, want, 8192);
	assert_int_equal(standin.requests, requests);
}

TEST(a_unit_of_xts_is_one_request_or_none)
{
	static const struct {
		size_t len;
		unsigned requests;
	} units[] = { { 16, 1 },     { 512, 1 },  { 4096, 1 }, { 65536, 1 }, { 65552, 0 },
		      { 131072, 0 }, { 4097, 0 }, { 4111, 0 }, { 17, 0 },    { 32, 1 } };
	LOCAL_CIPHER *c = warm("ALL:0", KC_ALG_AES_128_XTS, KC_ENCRYPT);

	for (size_t i = 0; i < COUNT(units); i++) {
		unsigned requests = standin.requests;

		software(KC_ALG_AES_128_XTS, KC_ENCRYPT, units[i].len);
		feed(c, units[i].len); /* with the same IV each */
		assert_memory_equal(out, want, units[i].len);
		assert_int_equal(standin.requests, requests + units[i].requests);
	}
}

/* As after an init that the base refused because of two equal keys. */
TEST(a_key_that_the_base_refuses_opens_no_session)
{
	static const uint8_t equal[32];
	LOCAL_CIPHER *c = warm("ALL:0", KC_ALG_AES_128_XTS, KC_ENCRYPT);
	unsigned opened = standin.opened, requests = standin.requests;

	assert_false(c->base->init(c->base, c->base_ctx, KC_ENCRYPT, equal, iv));
	kc_cipher_started(c, KC_ENCRYPT, equal, sizeof(equal), iv, 16, false);
	feed(c, 4096);
	assert_false(kc_gate_is_open(&c->gate));
	assert_int_equal(standin.opened, opened);
	assert_int_equal(standin.requests, requests);
}

TEST(a_counter_that_the_kernel_does_not_carry_ends_the_request)
{
	/* 2 blocks before 2^32; the next word overflows too, and the third one must not change */
	static const uint8_t late[16] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 7 };
	struct kc_cipher *c = warm("ALL:0", KC_ALG_CHACHA20, KC_ENCRYPT);
	unsigned requests;

	memcpy(iv, late, sizeof(iv));
	software(KC_ALG_CHACHA20, KC_ENCRYPT, 4096);
	again(c, key, late);
	requests = standin.requests;
	feed(c, 4096);
	assert_memory_equal(out, want, 4096);
	assert_int_equal(standin.requests, requests + 2);
	kc_cipher_free(c);
	memcpy(iv, "fedcba987654321", 16);
}

TEST(a_key_of_another_length_is_the_bases)
{
	LOCAL_CIPHER *c = warm("ALL:0", KC_ALG_BF_CBC, KC_ENCRYPT);
	unsigned requests = standin.requests;

	kc_cipher_started(c, KC_ENCRYPT, key, 8, iv, 8, true);
	feed(c, 4096);
	assert_int_equal(standin.requests, requests);
	again(c, key, iv);
	feed(c, 4096);
	assert_int_equal(standin.requests, requests + 1);
	kc_cipher_key_lost(c);
	feed(c, 4096);
	assert_int_equal(standin.requests, requests + 1);
	assert_false(kc_gate_is_open(&c->gate));
}

static unsigned told; /* calls that set the padding */

static int count_told(void *ctx, const OSSL_PARAM params[])
{
	told++;
	return kc_base_row(&kc_algs[KC_ALG_AES_128_CBC])->set_ctx_params(ctx, params);
}

/* Only where the base holds a block back, which has to be written before the kernel's blocks. */
TEST(padding_is_switched_only_around_what_the_base_is_fed)
{
	struct kc_base_row row = *kc_base_row(&kc_algs[KC_ALG_AES_128_CBC]);
	LOCAL_CIPHER *c = warm("ALL:0", KC_ALG_AES_128_CBC, KC_DECRYPT);
	unsigned requests;

	row.set_ctx_params = count_told;
	/* The first ones are compared with the base's. */
	for (int i = 0; i < 8; i++) {
		again(c, NULL, iv);
		requests = standin.requests;
		feed(c, 4096);
		if (i == 3)
			c->base = &row.base;
	}
	assert_int_equal(standin.requests, requests + 1);
	assert_int_equal(told, 0);
	feed(c, 4096);
	assert_int_equal(standin.requests, requests + 2);
	assert_int_equal(told, 2);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
