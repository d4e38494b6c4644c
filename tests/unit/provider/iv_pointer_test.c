/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program keeps a pointer to an IV inside a context, and writes through it: what the kernel still
 * does then. The differential program compares the answers. usage: iv_pointer_test CONFIG
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "unit/check.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "diff/iv_functions.h"
#include "integration/lives/loaded.h"
#include "local.h"
#include "standin/standin.h"

#define LEN 4096

static unsigned char text[LEN], out[2][3 * LEN];
static const unsigned char key[65] =
	"0123456789abcdef0123456789abcdefFEDCBA9876543210FEDCBA9876543210",
			   iv[17] = "fedcba9876543210", other[17] = "ABCDEFGHIJKLMNOP";

static const char *const ciphers[] = { "AES-128-CBC",	  "AES-256-CTR", "AES-128-CFB",
				       "AES-192-OFB",	  "AES-256-XTS", "DES-EDE3-CBC",
				       "CAMELLIA-128-CBC" };
static const char *const aeads[] = { "AES-128-GCM", "AES-256-CCM" };

/* An initialised context; an AEAD has the usual lengths, and CCM's text is declared. */
static EVP_CIPHER_CTX *start(const char *name, const char *provider)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, name, provider);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_non_null(cipher);
	assert_true(EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, 1));
	if (EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE) {
		assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0);
		assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, NULL) > 0);
	}
	assert_true(EVP_CipherInit_ex(c, NULL, NULL, key, iv, 1));
	return c;
}

static unsigned char *update(EVP_CIPHER_CTX *c, unsigned char *to)
{
	int n = 0;

	if (EVP_CIPHER_get_mode(EVP_CIPHER_CTX_get0_cipher(c)) == EVP_CIPH_CCM_MODE)
		assert_true(EVP_CipherUpdate(c, NULL, &n, NULL, LEN));
	assert_true(EVP_CipherUpdate(c, to, &n, text, LEN));
	assert_int_equal(n, LEN);
	return to + LEN;
}

static void changes_the_original(EVP_CIPHER_CTX *c, unsigned char *to)
{
	unsigned char *kept;

	to = update(c, to);
	kept = (unsigned char *)(uintptr_t)EVP_CIPHER_CTX_original_iv(c);
	to = update(c, to);
	kept[3] ^= 0x40;
	assert_true(EVP_CipherInit_ex(c, NULL, NULL, NULL, NULL, -1));
	update(c, to);
}

static void writes_an_iv_before_an_update(EVP_CIPHER_CTX *c, unsigned char *to)
{
	unsigned char *kept = EVP_CIPHER_CTX_iv_noconst(c);
	size_t len = (size_t)EVP_CIPHER_CTX_get_iv_length(c);

	to = update(c, to);
	memcpy(kept, other, len);
	to = update(c, to);
	memcpy(kept, iv, len);
	assert_int_equal(EVP_Cipher(c, to, text, LEN), LEN);
}

typedef void life(EVP_CIPHER_CTX *c, unsigned char *to);

/* Compares with the default provider. Returns true if the kernel did a part. */
static bool same(const char *name, life *play)
{
	unsigned before = standin.requests;

	memset(out, 0, sizeof(out));
	for (int i = 0; i < 2; i++) {
		LOCAL(EVP_CIPHER_CTX) *c = start(name, i ? "provider=default" : "provider=kcrypto");

		play(c, out[i]);
	}
	assert_memory_equal(out[0], out[1], sizeof(out[0]));
	return standin.requests > before;
}

TEST(of_a_cipher_the_kernel_goes_on_from_what_was_written)
{
	for (size_t i = 0; i < COUNT(ciphers); i++) {
		assert_true(same(ciphers[i], changes_the_original));
		assert_true(same(ciphers[i], writes_an_iv_before_an_update));
	}
}

static void an_aeads_message_counts_the_nonce_that_was_written(EVP_CIPHER_CTX *c, unsigned char *to)
{
	unsigned char *kept = EVP_CIPHER_CTX_iv_noconst(c);
	int n;

	for (int i = 0; i < 2; i++) {
		kept[i] ^= 1;
		to = update(c, to);
		assert_true(EVP_CipherFinal_ex(c, to, &n));
		assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, to) > 0);
		assert_true(EVP_CipherInit_ex(c, NULL, NULL, i ? key + 1 : NULL, other, -1));
	}
}

/* The text is done, and the base has not seen it. */
static void takes_it_in_mid_message(EVP_CIPHER_CTX *c, unsigned char *to)
{
	int n;

	to = update(c, to);
	memset(EVP_CIPHER_CTX_iv_noconst(c), 0x77, 12);
	if (EVP_CIPHER_get_mode(EVP_CIPHER_CTX_get0_cipher(c)) == EVP_CIPH_GCM_MODE)
		to = update(c, to);
	assert_true(EVP_CipherFinal_ex(c, to, &n));
	assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, to) > 0);
}

static void leaves_it_alone(EVP_CIPHER_CTX *c, unsigned char *to)
{
	LOCAL(EVP_CIPHER_CTX) *copy = EVP_CIPHER_CTX_new();

	if (EVP_CIPHER_CTX_copy(copy, c))
		update(copy, to);
	else
		update(c, to);
}

/* As libssl does for each datagram that it decrypts: this is no IV. */
static void asks_for_the_mac_of_a_record(EVP_CIPHER_CTX *c, unsigned char *to)
{
	void *mac = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, &mac, 16),
		OSSL_PARAM_construct_end(),
	};

	assert_true(EVP_CIPHER_CTX_get_params(c, params));
	update(c, to);
}

TEST(of_an_aead_the_base_does_the_messages)
{
	for (size_t i = 0; i < COUNT(aeads); i++) {
		assert_true(same(aeads[i], leaves_it_alone));
		assert_false(same(aeads[i], an_aeads_message_counts_the_nonce_that_was_written));
		assert_true(same(aeads[i], takes_it_in_mid_message));
		assert_true(same(aeads[i], asks_for_the_mac_of_a_record));
	}
}

static void prepare(void)
{
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(i * 7 + i / 256);
	load();
}

const struct suite suite = { .arguments = 1, .set_up = prepare, .tear_down = unload };
