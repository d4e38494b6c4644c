/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest's state as bytes, from OpenSSL 4.0 on, over the stand-in: what follows it may be done by
 * the kernel. kcrypto-diff compares everything else with the default provider. usage:
 * serialize_test CONFIG
 */
#include "unit/check.h"

#include <openssl/evp.h>

#include "integration/lives/loaded.h"
#include "local.h"

#define LEN 5000

static const unsigned char in[LEN];

static void begin(EVP_MD_CTX *c, const EVP_MD *md)
{
	assert_int_equal(EVP_DigestInit_ex(c, md, NULL), 1);
	assert_int_equal(EVP_DigestUpdate(c, in, LEN), 1);
}

TEST(a_message_after_one_that_was_read_is_the_kernels_again)
{
	LOCAL(EVP_MD) *md = EVP_MD_fetch(lib, "SHA256", "provider=kcrypto");
	LOCAL(EVP_MD_CTX) *c = EVP_MD_CTX_new();
	unsigned char bytes[4096], out[EVP_MAX_MD_SIZE];
	unsigned long long before;
	size_t len = sizeof(bytes);

	begin(c, md);
	assert_int_equal(EVP_MD_CTX_serialize(c, bytes, &len), 1);
	assert_int_equal(EVP_MD_CTX_deserialize(c, bytes, len), 1);
	begin(c, md);
	before = requests(KC_ALG_SHA256);
	assert_int_equal(EVP_DigestFinal_ex(c, out, NULL), 1);
	assert_int_equal(requests(KC_ALG_SHA256), before + 1);
}

const struct suite suite = { .arguments = 1, .set_up = load, .tear_down = unload };
