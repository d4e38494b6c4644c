/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AF_ALG backend on this kernel, below the provider. usage: kernel_test no|yes: whether the
 * kernel uses software whichever driver is asked for (as Linux 7.2 and later do).
 */
#include "unit/check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/backend.h"

extern const struct kc_backend kc_afalg;

static bool hides(void)
{
	return strcmp(arguments[0], "yes") == 0;
}
static const struct kc_key key = { .bytes = (const uint8_t *)"0123456789abcdef", .len = 16 };

static struct kc_session opened(enum kc_alg_id id)
{
	struct kc_session s = { .alg = &kc_algs[id], .limit = KC_MAX_REQUEST };

	assert_int_equal(kc_afalg.open(&s, "", &key), 0);
	return s;
}

/* Also on a kernel whose software nobody has used yet. */
TEST(a_kernel_that_hides_hardware_is_known_by_what_it_does)
{
	struct kc_session s;

	assert_int_equal(kc_afalg.hides_hardware(), hides());
	s = opened(KC_ALG_AES_128_CBC);
	assert_int_equal(kc_afalg.hides_hardware(), hides());
	close(s.fd);
}

TEST(a_driver_that_is_not_there_does_not_open)
{
	struct kc_session s = { .alg = &kc_algs[KC_ALG_AES_128_CBC], .limit = KC_MAX_REQUEST };

	assert_int_equal(kc_afalg.open(&s, "no-such-driver", &key), -ENOENT);
}

TEST(a_length_that_is_no_block_fails_and_says_so)
{
	struct kc_session s = opened(KC_ALG_AES_128_CBC);
	uint8_t iv[16] = { 0 }, in[24] = { 0 }, out[24];
	struct kc_req req = { .dir = KC_ENCRYPT, .iv = iv, .in = in, .out = out, .len = 24 };

	assert_true(kc_afalg.run(&s, &req, NULL) < 0);
	close(s.fd);
}

TEST(a_limit_is_never_above_what_the_socket_takes_without_waiting)
{
	struct kc_session s = opened(KC_ALG_AES_128_CBC);
	static uint8_t in[KC_MAX_REQUEST], out[KC_MAX_REQUEST];
	uint8_t iv[16] = { 0 };
	struct kc_req req = { .dir = KC_ENCRYPT, .iv = iv, .in = in, .out = out };

	assert_int_equal(s.limit, KC_MAX_REQUEST);
	for (req.len = 16; req.len <= s.limit; req.len *= 2)
		assert_int_equal(kc_afalg.run(&s, &req, NULL), 0);
	close(s.fd);
}

const struct suite suite = { .arguments = 1 };
