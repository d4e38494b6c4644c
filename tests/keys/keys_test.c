/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel keys: how a program gets one, what is refused, and what a context survives. Runs over the
 * module on a kernel, and over the stand-in.
 */
#include "keys/steps.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#define LEN 100

static unsigned char text[LEN], want[LEN + 16];

/* Encrypts with the default provider's AES-256-CBC and these bytes. */
static void encrypt_plainly(void)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(NULL, "AES-256-CBC", "provider=default");
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new();
	int n;

	assert_true(EVP_EncryptInit_ex2(c, cipher, key_bytes, key_iv, NULL));
	assert_true(EVP_EncryptUpdate(c, want, &n, text, LEN));
	assert_true(EVP_EncryptFinal_ex(c, want + n, &n));
}

static EVP_SKEY *new_key(void)
{
	return user_key("kcrypto-test", &(int32_t){ 0 });
}

static bool encrypts(EVP_CIPHER_CTX *c)
{
	unsigned char got[LEN + 16];
	int n = 0, m = 0;

	return EVP_CipherUpdate(c, got, &n, text, LEN) && EVP_CipherFinal_ex(c, got + n, &m) &&
	       n + m == LEN / 16 * 16 + 16 && memcmp(got, want, (size_t)(n + m)) == 0;
}

TEST(a_key_is_found_by_name_and_by_serial)
{
	static const char *const ways[] = { "user:kcrypto-test", "%user:kcrypto-test",
					    "keyring:user:kcrypto-test",
					    "kernel-key:user:kcrypto-test" };
	EVP_SKEY *skey = new_key();

	assert_string_equal(EVP_SKEY_get0_key_id(skey), "user:kcrypto-test");
	EVP_SKEY_free(skey);
	for (size_t i = 0; i < COUNT(ways); i++) {
		skey = key_by_name(NULL, ways[i], 0);
		assert_non_null(skey);
		assert_string_equal(EVP_SKEY_get0_key_id(skey), "user:kcrypto-test");
		assert_true(EVP_SKEY_is_a(skey, "KERNEL-KEY"));
		EVP_SKEY_free(skey);
	}
	assert_int_equal(ERR_peek_error(), 0);
}

TEST(an_encryption_is_the_default_providers)
{
	EVP_SKEY *skey = new_key();
	LOCAL(EVP_CIPHER_CTX) *c = key_started("AES-256-CBC", skey);

	/* A context no longer needs the object once it has the key. */
	EVP_SKEY_free(skey);
	assert_true(encrypts(c));
	assert_int_equal(ERR_peek_error(), 0);
}

/* The default provider's cipher still takes an object of the type that it knows. */
TEST(programs_that_do_not_ask_for_us_get_the_default_provider)
{
	static const char *const names[] = { "AES-256-CBC", "AES-128-CTR", "AES-256-XTS",
					     "AES-256-GCM" };
	unsigned char raw[32];
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new();
	LOCAL(EVP_CIPHER) *cbc = EVP_CIPHER_fetch(NULL, "AES-256-CBC", NULL);
	LOCAL(EVP_SKEY) *skey = NULL;
	LOCAL(EVP_MAC) *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);

	assert_string_equal(OSSL_PROVIDER_get0_name(EVP_MAC_get0_provider(mac)), "default");
	for (size_t i = 0; i < COUNT(names); i++) {
		LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(NULL, names[i], NULL);

		assert_string_equal(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)),
				    "default");
	}
	memcpy(raw, key_bytes, 32);
	skey = EVP_SKEY_import_raw_key(NULL, "AES", raw, 32, NULL);
	assert_true(EVP_CipherInit_SKEY(c, EVP_aes_256_cbc(), skey, key_iv, 16, 1, NULL) ||
		    EVP_CipherInit_SKEY(c, cbc, skey, key_iv, 16, 1, NULL));
}

/* In this order a query without properties would find kcrypto-keys's ciphers first. */
TEST(nothing_is_offered_if_the_default_provider_comes_later)
{
	LOCAL(OSSL_LIB_CTX) *ctx = OSSL_LIB_CTX_new();
	LOCAL(OSSL_PROVIDER) *ours = key_provider(ctx, NULL),
			     *later = OSSL_PROVIDER_load(ctx, "default");
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(ctx, "AES-256-CBC", NULL);

	assert_string_equal(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "default");
	assert_null(EVP_CIPHER_fetch(ctx, "AES-256-CBC", KEYS));
	assert_null(key_by_name(ctx, "user:kcrypto-test", 0));
}

static void lists(const char *name, const char *gettable, const char *settable)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(NULL, name, KEYS);

	assert_non_null(OSSL_PARAM_locate_const(EVP_CIPHER_gettable_ctx_params(cipher), gettable));
	assert_non_null(OSSL_PARAM_locate_const(EVP_CIPHER_settable_ctx_params(cipher), settable));
}

TEST(what_may_be_asked_and_set_is_listed)
{
	LOCAL(EVP_MAC) *mac = EVP_MAC_fetch(NULL, "HMAC", KEYS);
	EVP_SKEYMGMT *manager = EVP_SKEYMGMT_fetch(NULL, "KERNEL-KEY", KEYS);
	char *name = NULL;
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, &name, 0),
				OSSL_PARAM_construct_end() };
	const OSSL_PROVIDER *provider = EVP_MAC_get0_provider(mac);

	lists("AES-256-CBC", OSSL_CIPHER_PARAM_UPDATED_IV, OSSL_CIPHER_PARAM_PADDING);
	lists("AES-256-GCM", OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_CIPHER_PARAM_AEAD_TAG);
	assert_non_null(EVP_MAC_gettable_ctx_params(mac));
	assert_non_null(EVP_MAC_settable_ctx_params(mac));
	assert_non_null(EVP_SKEYMGMT_get0_gen_settable_params(manager));
	assert_non_null(EVP_SKEYMGMT_get0_imp_settable_params(manager));
	EVP_SKEYMGMT_free(manager);
	assert_non_null(OSSL_PROVIDER_gettable_params(provider));
	assert_true(OSSL_PROVIDER_get_params(provider, params));
	assert_non_null(strstr(name, "keyring"));
}

/* EVP's own functions send none of these. */
TEST(a_parameter_of_a_wrong_type_is_refused)
{
	unsigned num = 3;
	char word[] = "many";
	OSSL_PARAM wrong[] = { OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_PADDING, word, 0),
			       OSSL_PARAM_construct_end() };
	OSSL_PARAM number[] = { OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
				OSSL_PARAM_construct_end() };
	LOCAL(EVP_SKEY) *skey = new_key();
	LOCAL(EVP_CIPHER_CTX) *c = key_started("AES-256-CBC", skey);

	assert_false(EVP_CIPHER_CTX_set_params(c, wrong));
	EVP_CIPHER_CTX_set_params(c, number);
	ERR_clear_error();
	assert_true(encrypts(c));
}

TEST(bytes_are_no_key)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(NULL, "AES-256-CBC", KEYS);
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new();
	unsigned char raw[32], out[32];
	int n;

	memcpy(raw, key_bytes, 32);
	assert_false(EVP_EncryptInit_ex2(c, cipher, key_bytes, key_iv, NULL));
	assert_true(EVP_EncryptInit_ex2(c, cipher, NULL, key_iv, NULL));
	ERR_clear_error();
	assert_false(EVP_EncryptUpdate(c, out, &n, text, 16));
	assert_true(said("a key of the kernel is needed"));
	assert_null(EVP_SKEY_import_raw_key(NULL, "KERNEL-KEY", raw, 32, KEYS));
	assert_true(said("not by its bytes"));
}

TEST(a_key_is_not_exported)
{
	LOCAL(EVP_SKEY) *skey = new_key();
	const unsigned char *raw;
	size_t len;

	ERR_clear_error();
	assert_false(EVP_SKEY_get0_raw_key(skey, &raw, &len));
	assert_true(said("never leaves the kernel"));
}

static int read_export(const OSSL_PARAM params[], void *arg)
{
	const OSSL_PARAM *len = OSSL_PARAM_locate_const(params, "key-length");

	return len && OSSL_PARAM_get_size_t(len, arg) &&
	       OSSL_PARAM_locate_const(params, "serial") && OSSL_PARAM_locate_const(params, "name");
}

TEST(its_identity_is)
{
	LOCAL(EVP_SKEY) *skey = new_key();
	size_t len = 0;

	assert_true(EVP_SKEY_export(skey, OSSL_SKEYMGMT_SELECT_PARAMETERS, read_export, &len));
	assert_int_equal(len, 32);
}

TEST(names_that_mean_no_key_are_refused)
{
	static const struct {
		const char *name, *why;
	} names[] = {
		{ "user:kcrypto-nowhere", "there is no such key" },
		{ "kcrypto-test", "Invalid argument" },
		{ "user:", "Invalid argument" },
		{ ":kcrypto-test", "Invalid argument" },
		{ "a-type-with-a-long-name:x", "Invalid argument" },
		{ "12x", "Invalid argument" },
		{ "2147483646", "there is no such key" },
		{ "99999999999", "Invalid argument" },
		{ "0", "Invalid argument" },
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		ERR_clear_error();
		assert_null(key_by_name(NULL, names[i].name, 0));
		if (!said(names[i].why))
			fail_msg("%s: not '%s'", names[i].name, names[i].why);
	}
	assert_null(EVP_SKEY_import(NULL, "KERNEL-KEY", KEYS, OSSL_SKEYMGMT_SELECT_ALL,
				    (OSSL_PARAM[]){ OSSL_PARAM_END }));
}

TEST(a_key_of_another_length_is_refused)
{
	LOCAL(EVP_SKEY) *skey = new_key();

	/* The kernel by itself would accept the key, for AES-256. */
	assert_null(key_start("AES-128-CBC", skey));
	assert_true(said("has 32 bytes, not 16"));
	assert_null(key_start("AES-256-XTS", skey));
}

TEST(a_revoked_key_is_refused)
{
	int32_t serial = key_add("user", "kcrypto-revoked", key_bytes, 32);
	LOCAL(EVP_SKEY) *skey = key_by_serial(NULL, serial);

	assert_non_null(skey);
	key_revoke(serial);
	ERR_clear_error();
	assert_null(key_start("AES-256-CBC", skey));
	assert_true(said("revoked"));
}

/* The child opens a session of its own, by the serial number. */
TEST(parent_and_child_go_on)
{
	LOCAL(EVP_SKEY) *skey = new_key();
	LOCAL(EVP_CIPHER_CTX) *c = key_started("AES-256-CBC", skey);
	pid_t child;

	child = fork();
	if (child == 0)
		_exit(encrypts(c) ? 0 : 1);
	assert_true(encrypts(c));
	assert_ends_well(child);
}

TEST(a_child_without_the_key_fails_and_says_why)
{
	int32_t serial = key_add("user", "kcrypto-revoked", key_bytes, 32);
	LOCAL(EVP_SKEY) *skey = key_by_serial(NULL, serial);
	LOCAL(EVP_CIPHER_CTX) *c = key_started("AES-256-CBC", skey);
	unsigned char out[16];
	int n;
	pid_t child;

	child = fork();
	if (child == 0) {
		key_revoke(serial);
		ERR_clear_error();
		n = !EVP_CipherUpdate(c, out, &n, text, 16) && said("revoked");
		/* The stream has a gap, so it never continues. */
		_exit(n && !EVP_CipherUpdate(c, out, &n, text, 16) && said("earlier") ? 0 : 1);
	}
	assert_ends_well(child);
}

/* The same serial number with other bytes: no message may be encrypted with both keys. */
TEST(a_key_that_changed_ends_the_message)
{
	int32_t serial = key_add("user", "kcrypto-changed", key_bytes, 32);
	LOCAL(EVP_SKEY) *skey = key_by_serial(NULL, serial);
	LOCAL(EVP_CIPHER_CTX) *c = key_started("AES-256-CTR", skey), *copy = EVP_CIPHER_CTX_new();
	unsigned char out[16];
	int n;

	assert_true(EVP_CipherUpdate(c, out, &n, text, 16));
	assert_true(EVP_CIPHER_CTX_copy(copy, c));
	assert_int_equal(key_add("user", "kcrypto-changed", text, 32), serial);
	ERR_clear_error();
	assert_false(EVP_CipherUpdate(copy, out, &n, text, 16));
	assert_true(said("no longer the one"));
	assert_true(EVP_CipherUpdate(c, out, &n, text, 16));
}

TEST(a_closed_descriptor_is_replaced)
{
	LOCAL(EVP_SKEY) *skey = new_key();
	LOCAL(EVP_CIPHER_CTX) *c = key_started("AES-256-CBC", skey);

	close_descriptors();
	assert_true(encrypts(c));
}

TEST(a_copy_and_the_original_go_on)
{
	LOCAL(EVP_SKEY) *skey = new_key();
	EVP_CIPHER_CTX *c = key_started("AES-256-CBC", skey), *copy = EVP_CIPHER_CTX_new();

	assert_true(EVP_CIPHER_CTX_copy(copy, c));
	assert_true(encrypts(c));
	EVP_CIPHER_CTX_free(c);
	assert_true(encrypts(copy));
	EVP_CIPHER_CTX_free(copy);
}

TEST(overlapping_places_are_refused)
{
	LOCAL(EVP_SKEY) *skey = new_key();
	LOCAL(EVP_CIPHER_CTX) *c = key_started("AES-256-CBC", skey);
	unsigned char room[64] = { 0 };
	int n;

	ERR_clear_error();
	assert_false(EVP_CipherUpdate(c, room + 8, &n, room, 32));
	assert_true(said("overlap"));
	assert_true(EVP_CipherUpdate(c, room, &n, room, 32));
}

static EVP_SKEY *generate(const char *type, const char *name, size_t len, const char *master)
{
	OSSL_PARAM params[] = {
		text_param("type", type),
		text_param("name", name),
		OSSL_PARAM_construct_size_t("key-length", &len),
		text_param("keyring", "process"),
		master ? text_param("master", master) : OSSL_PARAM_construct_end(),
		OSSL_PARAM_construct_end(),
	};

	return key_generate(params);
}

TEST(a_generated_key_encrypts_and_decrypts)
{
	EVP_SKEY *skey = generate("logon", "kcrypto:generated", 16, NULL);
	unsigned char out[32], back[32];
	EVP_CIPHER_CTX *c;
	int n;

	ERR_print_errors_fp(stderr);
	assert_non_null(skey);
	assert_string_equal(EVP_SKEY_get0_key_id(skey), "logon:kcrypto:generated");
	c = key_started("AES-128-CTR", skey);
	assert_true(EVP_CipherUpdate(c, out, &n, key_bytes, 32));
	assert_memory_not_equal(out, key_bytes, 32);
	assert_true(EVP_CipherInit_SKEY(c, NULL, skey, key_iv, 16, 0, NULL));
	assert_true(EVP_CipherUpdate(c, back, &n, out, 32));
	assert_memory_equal(back, key_bytes, 32);
	EVP_CIPHER_CTX_free(c);
	EVP_SKEY_free(skey);
	/* Nothing overwrites an existing key. */
	ERR_clear_error();
	assert_null(generate("logon", "kcrypto:generated", 16, NULL));
	assert_true(said("exists"));
}

TEST(an_encrypted_key_is_one_like_others)
{
	LOCAL(EVP_SKEY) *skey = NULL, *found = NULL;
	LOCAL(EVP_CIPHER_CTX) *c = NULL, *other = NULL;
	unsigned char out[2][32];
	int n;

	assert_true(key_add("user", "kcrypto-master", key_bytes, 32) > 0);
	skey = generate("encrypted", "kcrypto-encrypted", 32, "user:kcrypto-master");
	ERR_print_errors_fp(stderr);
	assert_non_null(skey);
	found = key_by_name(NULL, "encrypted:kcrypto-encrypted", 0);
	assert_non_null(found);
	c = key_started("AES-256-CTR", skey);
	other = key_started("AES-256-CTR", found);
	assert_true(EVP_CipherUpdate(c, out[0], &n, key_bytes, 32));
	assert_true(EVP_CipherUpdate(other, out[1], &n, key_bytes, 32));
	assert_memory_equal(out[0], out[1], 32);
	assert_memory_not_equal(out[0], key_bytes, 32);
}

static void set_up(void)
{
	key_setup();
	encrypt_plainly();
}

const struct suite suite = { .set_up = set_up };
