/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which digest a MAC uses, where the properties of the library context prefer kcrypto: requests
 * that reach the kernel show it. usage: inside_test; its last argument is
 * integration/calls/inside.cnf
 */
#include "unit/check.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "integration/lives/loaded.h"
#include "local.h"
#include "standin/standin.h"

#define LEN 20000

static OSSL_LIB_CTX *preferring;
static unsigned char text[LEN], made[2][EVP_MAX_MD_SIZE];
static const unsigned char key[] = "0123456789abcdef";

/* The number of requests for an HMAC, whose result is that of the default provider alone. */
static unsigned requests_of(const char *digest, const char *query, bool is_set_apart)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
		query ? OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, (char *)query,
							 0) :
			OSSL_PARAM_construct_end(),
		OSSL_PARAM_construct_end(),
	};
	unsigned before = standin.requests;

	for (int i = 0; i < 2; i++) {
		LOCAL(OSSL_LIB_CTX) *plain = OSSL_LIB_CTX_new();
		LOCAL(EVP_MAC) *mac = EVP_MAC_fetch(i ? preferring : plain, "HMAC", NULL);
		LOCAL(EVP_MAC_CTX) *c = EVP_MAC_CTX_new(mac);
		size_t n;

		if (is_set_apart)
			assert_true(EVP_MAC_CTX_set_params(c, params));
		assert_true(EVP_MAC_init(c, key, sizeof(key), is_set_apart ? NULL : params));
		assert_true(EVP_MAC_update(c, text, LEN));
		assert_true(EVP_MAC_final(c, made[i], &n, sizeof(made[i])));
	}
	assert_memory_equal(made[0], made[1], 32);
	return standin.requests - before;
}

TEST(a_mac_of_ours_has_no_digest_of_ours_inside)
{
	assert_int_equal(requests_of("SHA256", NULL, false), 0);
	assert_int_equal(requests_of("SHA256", NULL, true), 0);
	assert_int_equal(requests_of("SHA2-256", NULL, false), 0);
}

/* The kernel can do nothing for the MAC but its digest. */
TEST(a_mac_whose_row_is_not_offered_has_one)
{
	assert_true(requests_of("SHA512", NULL, false) > 0);
	assert_true(requests_of("SHA512", NULL, true) > 0);
}

TEST(a_query_of_the_programs_counts)
{
	assert_true(requests_of("SHA256", "?provider=kcrypto", false) > 0);
	assert_true(requests_of("SHA256", "?provider=kcrypto", true) > 0);
	assert_int_equal(requests_of("SHA512", "provider=default", true), 0);
}

static void prepare(void)
{
	stats_file_make();
	preferring = library_with(arguments[3]);
	assert_non_null(preferring);
}

static void end(void)
{
	OSSL_LIB_CTX_free(preferring);
}

const struct suite suite = { .arguments = 4, .set_up = prepare, .tear_down = end };
