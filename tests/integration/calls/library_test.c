/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto asks the library context that has loaded it, whatever default a thread has by then; and
 * the default provider may be loaded after kcrypto. usage: library_test CONFIG
 */
#include "unit/check.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "integration/lives/loaded.h"
#include "integration/lives/message.h"
#include "local.h"

/* NULL: the default library context. */
static void load_into(OSSL_LIB_CTX *ctx)
{
	diff_setup(ctx);
	assert_int_equal(OSSL_LIB_CTX_load_config(ctx, arguments[0]), 1);
}

static void offers(OSSL_LIB_CTX *ctx, bool expected)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(ctx, "AES-128-CBC", "provider=kcrypto");

	assert_int_equal(cipher != NULL, expected);
	EVP_CIPHER_free(cipher);
	ERR_clear_error();
}

/* Compares the MACs of an empty text with the default provider's. */
static void macs_are_as_defaults(void)
{
	static const unsigned char key[] = "key";
	unsigned char tag[2][EVP_MAX_MD_SIZE];

	for (int ours = 0; ours < 2; ours++) {
		LOCAL(EVP_MAC) *mac =
			EVP_MAC_fetch(NULL, "HMAC", ours ? "provider=kcrypto" : "provider=default");
		struct hash h = hash_new(NULL, mac, "HMAC", "SHA256");

		assert_true(hash_start(&h, key, sizeof(key)));
		assert_int_equal(hash_final(&h, tag[ours]), 32);
		hash_free(&h);
	}
	assert_memory_equal(tag[0], tag[1], 32);
}

/*
 * The first context of a MAC is made while the thread has another default library context, which is
 * freed then.
 */
static void use_and_free_another(void)
{
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", "provider=kcrypto");
	OSSL_LIB_CTX *other = OSSL_LIB_CTX_new(), *before = OSSL_LIB_CTX_set0_default(other);
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(mac);

	assert_non_null(c);
	EVP_MAC_CTX_free(c);
	EVP_MAC_free(mac);
	OSSL_LIB_CTX_set0_default(before);
	OSSL_LIB_CTX_free(other);
}

TEST(a_mac_of_the_default_context_needs_no_other)
{
	load_into(NULL);
	use_and_free_another();
	macs_are_as_defaults();
}

TEST(a_mac_of_a_threads_default_context_needs_no_other)
{
	OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new(), *before = OSSL_LIB_CTX_set0_default(ctx);

	load_into(NULL);
	use_and_free_another();
	macs_are_as_defaults();
	OSSL_LIB_CTX_set0_default(before);
	OSSL_LIB_CTX_free(ctx);
}

/*
 * A library context without the default provider would make kcrypto offer nothing for the life of
 * the process.
 */
TEST(what_is_offered_depends_on_the_context_that_loaded_us)
{
	LOCAL(OSSL_LIB_CTX) *ctx = OSSL_LIB_CTX_new(), *other = OSSL_LIB_CTX_new();
	OSSL_LIB_CTX *before = OSSL_LIB_CTX_set0_default(ctx);
	LOCAL(OSSL_PROVIDER) *null = OSSL_PROVIDER_load(other, "null");

	assert_non_null(null);
	load_into(NULL);
	OSSL_LIB_CTX_set0_default(other);
	offers(ctx, true);
	OSSL_LIB_CTX_set0_default(before);
}

TEST(default_may_be_loaded_after_us_and_after_a_fetch)
{
	LOCAL(OSSL_LIB_CTX) *ctx = OSSL_LIB_CTX_new();
	LOCAL(OSSL_PROVIDER) *ours = NULL, *theirs = NULL;

	diff_setup(ctx);
	ours = OSSL_PROVIDER_load(ctx, "kcrypto");
	assert_non_null(ours);
	offers(ctx, false);
	offers(ctx, false);
	theirs = OSSL_PROVIDER_load(ctx, "default");
	assert_non_null(theirs);
	offers(ctx, true);
}

const struct suite suite = { .arguments = 1 };
