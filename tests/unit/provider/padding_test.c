/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Padding that is set again, and differently in between, in each possible way: the output is the
 * default provider's. Through EVP, over the stand-in.
 */
#include "unit/check.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "integration/loaded.h"

#define LEN 32

static const unsigned char key[17] = "0123456789abcdef", iv[17] = "fedcba9876543210";

/* Each step of a life is one of these. */
static void tell(EVP_CIPHER_CTX *c, char step)
{
	unsigned padding = step == 'P' || step == 'I';
	uint8_t narrow = 1;
	const OSSL_PARAM params[] = { OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
				      OSSL_PARAM_END };
	const OSSL_PARAM small[] = { OSSL_PARAM_DEFN(OSSL_CIPHER_PARAM_PADDING,
						     OSSL_PARAM_UNSIGNED_INTEGER, &narrow, 1),
				     OSSL_PARAM_END };

	if (step == 's')
		assert_int_equal(EVP_CIPHER_CTX_set_padding(c, 0), 1);
	else if (step == 'I' || step == 'i')
		assert_int_equal(EVP_CipherInit_ex2(c, NULL, key, iv, 1, params), 1);
	else if (step == 'r')
		assert_int_equal(EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL), 1);
	else if (step == 'n')
		assert_int_equal(EVP_CIPHER_CTX_set_params(c, small), 1);
	else
		assert_int_equal(EVP_CIPHER_CTX_set_params(c, params), 1);
}

/* The number of output bytes for LEN after this life, for it and for a copy. */
static void live(const char *life, const char *provider, int bytes[2])
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, "AES-128-CBC", provider);
	EVP_CIPHER_CTX *c[2] = { EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_new() };

	assert_non_null(cipher);
	assert_true(EVP_CipherInit_ex2(c[0], cipher, key, iv, 1, NULL));
	for (; *life; life++)
		tell(c[0], *life);
	assert_true(EVP_CIPHER_CTX_copy(c[1], c[0]));
	for (int i = 0; i < 2; i++) {
		unsigned char in[LEN] = "any", out[2 * LEN];
		int n = 0, last = 0;

		assert_true(EVP_CipherUpdate(c[i], out, &n, in, LEN));
		assert_true(EVP_CipherFinal_ex(c[i], out + n, &last));
		bytes[i] = n + last;
		EVP_CIPHER_CTX_free(c[i]);
	}
	EVP_CIPHER_free(cipher);
}

TEST(the_last_word_counts)
{
	static const char *const lives[] = { "s",     "ss",	"sr",	 "srr", "sP",  "sPs",
					     "sPr",   "ssPp",	"sI",	 "sIp", "sIs", "ssIss",
					     "ppI",   "pppIp",	"iP",	 "nsn", "snp", "snr",
					     "pIrpr", "psnpIs", "rsrnrp" };

	for (size_t i = 0; i < COUNT(lives); i++) {
		int want[2], got[2];

		live(lives[i], "provider=default", want);
		live(lives[i], "provider=kcrypto", got);
		if (memcmp(want, got, sizeof(want)) != 0)
			fail_msg("%s: %d and %d bytes, default %d and %d", lives[i], got[0], got[1],
				 want[0], want[1]);
	}
}

const struct suite suite = { .arguments = 1, .set_up = load, .tear_down = unload };
