/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GCM and HMAC with kernel keys: their limits, and what a message survives. keys_diff compares the
 * bytes. Runs over the module on a kernel, and over the stand-in.
 */
#include "keys/steps.h"

#include <string.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/err.h>

#include "keys/named.h"

#define LONG 200000 /* bytes: no buffer holds it */

static unsigned char text[LONG], out[LONG], want[LONG], want_tag[16], want_mac[32];
static EVP_SKEY *skey;
static EVP_CIPHER *gcm;
static EVP_MAC *hmac;

static EVP_CIPHER_CTX *begin(int enc)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	assert_true(EVP_CipherInit_SKEY(c, gcm, skey, key_iv, 12, enc, NULL));
	return c;
}

static bool set_tag(EVP_CIPHER_CTX *c, const unsigned char *tag, int len)
{
	unsigned char copy[16];

	memcpy(copy, tag, (size_t)len);
	return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, len, copy) > 0;
}

/* Continues after 1000 bytes of text. */
static bool ends_well(EVP_CIPHER_CTX *c)
{
	unsigned char tag[16];
	int n;

	return EVP_CipherUpdate(c, out + 1000, &n, text + 1000, 500) && n == 500 &&
	       memcmp(out + 1000, want + 1000, 500) == 0 && EVP_CipherFinal_ex(c, out, &n) &&
	       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0 &&
	       memcmp(tag, want_tag, 16) == 0;
}

static EVP_CIPHER_CTX *in_the_middle(void)
{
	EVP_CIPHER_CTX *c = begin(1);
	int n;

	assert_true(EVP_CipherUpdate(c, NULL, &n, text, 20));
	assert_true(EVP_CipherUpdate(c, out, &n, text, 1000));
	assert_memory_equal(out, want, 1000);
	return c;
}

TEST(a_message_goes_on_in_parent_and_child)
{
	LOCAL(EVP_CIPHER_CTX) *c = in_the_middle();
	pid_t child = fork();

	if (child == 0)
		_exit(ends_well(c) ? 0 : 1);
	assert_true(ends_well(c));
	assert_ends_well(child);
}

TEST(a_message_survives_the_end_of_its_session)
{
	LOCAL(EVP_CIPHER_CTX) *c = in_the_middle();

	close_descriptors();
	assert_true(ends_well(c));
}

TEST(a_message_ends_if_its_key_has_changed)
{
	int32_t serial = key_add("user", "kcrypto-changed", key_bytes, 32);
	LOCAL(EVP_SKEY) *changed = key_by_serial(NULL, serial);
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
	int n;

	assert_true(EVP_CipherInit_SKEY(c, gcm, changed, key_iv, 12, 1, NULL));
	assert_true(EVP_CipherUpdate(c, out, &n, text, 100));
	assert_true(EVP_CIPHER_CTX_copy(copy, c));
	assert_int_equal(key_add("user", "kcrypto-changed", text, 32), serial);
	ERR_clear_error();
	assert_false(EVP_CipherUpdate(copy, out, &n, text, 16));
	assert_true(said("no longer the one"));
	assert_false(EVP_CipherFinal_ex(copy, out, &n));
	assert_true(said("an earlier request failed"));
}

/* The tag comes before the text or after it, whole or truncated. */
TEST(a_wrong_tag_is_refused)
{
	static const int lens[] = { 4, 8, 12, 13, 16 };

	for (size_t i = 0; i < 4 * COUNT(lens); i++) {
		LOCAL(EVP_CIPHER_CTX) *c = begin(0);
		unsigned char tag[16];
		bool is_right = i & 1, is_early = i & 2;
		int n, len = lens[i / 4];

		memcpy(tag, want_tag, 16);
		tag[len - 1] ^= is_right ? 0 : 1;
		assert_true(!is_early || set_tag(c, tag, len));
		assert_true(EVP_CipherUpdate(c, NULL, &n, text, 20));
		assert_true(EVP_CipherUpdate(c, out, &n, want, 1500));
		assert_memory_equal(out, text, 1500);
		assert_true(is_early || set_tag(c, tag, len));
		ERR_clear_error();
		assert_int_equal(EVP_CipherFinal_ex(c, out, &n) > 0, is_right);
		assert_int_equal(said("the tag is wrong"), !is_right);
	}
}

TEST(gcm_refuses_what_the_kernel_lacks)
{
	LOCAL(EVP_CIPHER_CTX) *c = begin(0);
	OSSL_PARAM aad[] = {
		OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, text, 13),
		OSSL_PARAM_construct_end(),
	};
	int n;

	ERR_clear_error();
	assert_false(EVP_CipherInit_SKEY(c, NULL, NULL, text, 16, 1, NULL));
	assert_true(said("the kernel takes 12 bytes"));
	assert_false(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 8, NULL) > 0);
	assert_true(said("the kernel takes 12 bytes"));
	assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0);
	assert_false(set_tag(c, text, 10));
	assert_true(said("tags of 4, 8 and 12 to 16 bytes"));
	assert_false(EVP_CIPHER_CTX_set_params(c, aad));
	assert_true(said("TLS does not use keys of the kernel"));
	assert_true(EVP_CipherUpdate(c, out, &n, text, 10));
	assert_false(EVP_CipherUpdate(c, NULL, &n, text, 10));
	assert_true(said("AAD must come before the text"));
	assert_false(EVP_CipherFinal_ex(c, out, &n));
	assert_true(said("there is no tag to compare"));
}

TEST(a_message_that_is_too_long_ends)
{
	LOCAL(EVP_CIPHER_CTX) *c = begin(1);
	int n;

	assert_true(EVP_CipherUpdate(c, out, &n, text, 60000));
	ERR_clear_error();
	assert_false(EVP_CipherUpdate(c, out, &n, text, 6000));
	assert_true(said("a message has at most 64 KiB"));
	assert_false(EVP_CipherFinal_ex(c, out, &n));
	assert_true(EVP_CipherInit_SKEY(c, NULL, NULL, key_iv, 12, 1, NULL));
	ERR_clear_error();
	assert_true(EVP_CipherUpdate(c, NULL, &n, text, 256));
	assert_false(EVP_CipherUpdate(c, NULL, &n, text, 1));
	assert_true(said("AAD has at most 256 bytes"));
	assert_false(EVP_CipherUpdate(c, out, &n, text, 16));
}

TEST(an_iv_is_for_one_message)
{
	EVP_CIPHER_CTX *c = begin(1);
	unsigned char made[2][12] = { { 0 } };
	int n;

	assert_true(EVP_CipherUpdate(c, out, &n, text, 10));
	assert_true(EVP_CipherFinal_ex(c, out, &n));
	ERR_clear_error();
	assert_false(EVP_CipherUpdate(c, out, &n, text, 10));
	assert_true(said("an IV of its own"));
	assert_true(EVP_CipherInit_SKEY(c, NULL, skey, NULL, 0, 1, NULL));
	assert_false(EVP_CipherUpdate(c, out, &n, text, 10));
	EVP_CIPHER_CTX_free(c);
	/* An encryption without an IV gets a random one, and a decryption needs that one. */
	for (int i = 0; i < 2; i++) {
		c = EVP_CIPHER_CTX_new();
		assert_true(EVP_CipherInit_SKEY(c, gcm, skey, NULL, 0, 1, NULL));
		assert_true(EVP_CipherUpdate(c, out, &n, text, 10));
		assert_true(EVP_CIPHER_CTX_get_updated_iv(c, made[i], 12));
		EVP_CIPHER_CTX_free(c);
	}
	assert_memory_not_equal(made[0], made[1], 12);
	c = EVP_CIPHER_CTX_new();
	assert_true(EVP_CipherInit_SKEY(c, gcm, skey, NULL, 0, 0, NULL));
	ERR_clear_error();
	assert_false(EVP_CipherUpdate(c, out, &n, text, 10));
	assert_true(said("an IV is needed"));
	EVP_CIPHER_CTX_free(c);
}

/* A message cannot continue in the other direction or with another key. */
TEST(an_init_without_an_iv_ends_a_message_that_has_begun)
{
	for (int i = 0; i < 2; i++) {
		LOCAL(EVP_CIPHER_CTX) *c = begin(1);
		int n;

		assert_true(EVP_CipherUpdate(c, out, &n, text, 10));
		assert_true(EVP_CipherInit_SKEY(c, NULL, i ? skey : NULL, NULL, 0, i, NULL));
		assert_false(EVP_CipherUpdate(c, out, &n, text, 10));
	}
}

static OSSL_PARAM *digest(const char *name)
{
	static OSSL_PARAM params[2];

	params[0] = text_param("digest", name);
	params[1] = OSSL_PARAM_construct_end();
	return params;
}

static EVP_MAC_CTX *begin_mac(void)
{
	EVP_MAC_CTX *m = EVP_MAC_CTX_new(hmac);

	assert_true(EVP_MAC_init_SKEY(m, skey, digest("SHA256")));
	return m;
}

/* The message is all of @text. */
static bool mac_is_right(EVP_MAC_CTX *m, size_t begun)
{
	unsigned char mac[32];
	size_t n;

	return EVP_MAC_update(m, text + begun, LONG - begun) && EVP_MAC_final(m, mac, &n, 32) &&
	       n == 32 && memcmp(mac, want_mac, 32) == 0;
}

TEST(the_beginning_of_a_mac_survives_everything)
{
	LOCAL(EVP_MAC_CTX) *m = begin_mac(), *copy = NULL;
	pid_t child;

	assert_true(EVP_MAC_update(m, text, 60000));
	copy = EVP_MAC_CTX_dup(m);
	child = fork();
	if (child == 0)
		_exit(mac_is_right(m, 60000) ? 0 : 1);
	assert_ends_well(child);
	close_descriptors();
	assert_true(mac_is_right(m, 60000));
	assert_true(mac_is_right(copy, 60000));
}

/* The kernel has the message's state, in a session of the parent. */
TEST(a_long_mac_goes_on_in_the_parent_only)
{
	LOCAL(EVP_MAC_CTX) *m = begin_mac(), *copy = NULL;
	pid_t child;

	assert_true(EVP_MAC_update(m, text, 150000));
	child = fork();
	if (child == 0) {
		copy = EVP_MAC_CTX_dup(m);
		ERR_clear_error();
		if (mac_is_right(m, 150000) || !said("the beginning of the message"))
			_exit(1);
		_exit(mac_is_right(copy, 150000) || !EVP_MAC_init(m, NULL, 0, NULL) ||
		      !mac_is_right(m, 0));
	}
	assert_ends_well(child);
	copy = EVP_MAC_CTX_dup(m);
	assert_non_null(copy);
	assert_true(mac_is_right(m, 150000));
	assert_true(mac_is_right(copy, 150000));
}

TEST(a_long_mac_ends_with_its_session)
{
	LOCAL(EVP_MAC_CTX) *m = begin_mac();

	assert_true(EVP_MAC_update(m, text, 150000));
	close_descriptors();
	ERR_clear_error();
	assert_null(EVP_MAC_CTX_dup(m));
	assert_true(said(kc_keys_explain(-ECONNRESET)));
	assert_false(mac_is_right(m, 150000));
	assert_true(ERR_peek_error() != 0);
	assert_true(EVP_MAC_init(m, NULL, 0, NULL));
	assert_true(mac_is_right(m, 0));
}

TEST(hmac_refuses_what_is_not_the_kernels)
{
	LOCAL(EVP_MAC_CTX) *m = EVP_MAC_CTX_new(hmac);
	size_t size = 100;
	OSSL_PARAM tls[] = {
		OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_TLS_DATA_SIZE, &size),
		OSSL_PARAM_construct_end(),
	};
	OSSL_PARAM bytes[] = {
		OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, text, 32),
		OSSL_PARAM_construct_end(),
	};

	ERR_clear_error();
	assert_false(EVP_MAC_init(m, key_bytes, 32, digest("SHA256")));
	assert_true(said("a key of the kernel is needed"));
	assert_false(EVP_MAC_CTX_set_params(m, bytes));
	assert_true(said("a key of the kernel is needed"));
	assert_false(EVP_MAC_init_SKEY(m, skey, NULL));
	assert_true(said("HMAC needs a digest"));
	assert_false(EVP_MAC_init_SKEY(m, skey, digest("SHAKE256")));
	assert_true(said("no HMAC with SHAKE256"));
	assert_false(EVP_MAC_CTX_set_params(m, tls));
	assert_true(said("TLS does not use keys of the kernel"));
	assert_false(EVP_MAC_update(m, text, 1));
	assert_true(EVP_MAC_init_SKEY(m, skey, digest("SHA256")));
	assert_true(mac_is_right(m, 0));
	ERR_clear_error();
	assert_false(EVP_MAC_update(m, text, 1));
	assert_true(said("an init is needed"));
	/* Another digest drops the key. */
	assert_true(EVP_MAC_CTX_set_params(m, digest("SHA512")));
	assert_false(EVP_MAC_init(m, NULL, 0, NULL));
	assert_true(said("a key of the kernel is needed"));
}

/* Computes the default provider's answers. */
static void set_up(void)
{
	EVP_CIPHER *cipher;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n;

	key_setup();
	for (size_t i = 0; i < LONG; i++)
		text[i] = (unsigned char)(i * 31 + i / 256);
	cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", "provider=default");
	assert_true(EVP_EncryptInit_ex2(c, cipher, key_bytes, key_iv, NULL));
	assert_true(EVP_EncryptUpdate(c, NULL, &n, text, 20));
	assert_true(EVP_EncryptUpdate(c, want, &n, text, 1500));
	assert_true(EVP_EncryptFinal_ex(c, out, &n));
	assert_true(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, want_tag) > 0);
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_free(cipher);
	assert_non_null(EVP_Q_mac(NULL, "HMAC", "provider=default", "SHA256", NULL, key_bytes, 32,
				  text, LONG, want_mac, 32, NULL));
	skey = key_by_serial(NULL, key_add("user", "kcrypto-messages", key_bytes, 32));
	assert_non_null(skey);
	gcm = EVP_CIPHER_fetch(NULL, "AES-256-GCM", KEYS);
	hmac = EVP_MAC_fetch(NULL, "HMAC", KEYS);
	assert_non_null(gcm);
	assert_non_null(hmac);
}

const struct suite suite = { .set_up = set_up };
