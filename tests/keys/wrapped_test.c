/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrapped keys, of an accelerator that alone can unwrap them. Runs over the module with the test
 * accelerator, and over the stand-in.
 */
#include "keys/steps.h"

#include <string.h>
#include <unistd.h>

#include <openssl/err.h>

#include "keys/blob.h"

#define LEN 100003

static unsigned char key[64], blob[BLOB_HEAD + sizeof(key)];
static unsigned char text[LEN], want[LEN + 16], got[LEN + 16];

static EVP_SKEY *import(const void *bytes, size_t n, size_t len)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string("blob", (void *)(uintptr_t)bytes, n),
		OSSL_PARAM_construct_size_t("key-length", &len), OSSL_PARAM_construct_end()
	};

	return key_import(params);
}

static EVP_SKEY *import_named(const char *name, size_t len)
{
	int wrapped = 1;
	OSSL_PARAM params[] = { text_param("name", name),
				OSSL_PARAM_construct_int("wrapped", &wrapped),
				OSSL_PARAM_construct_size_t("key-length", &len),
				OSSL_PARAM_construct_end() };

	return key_import(params);
}

static int run(EVP_CIPHER_CTX *c, unsigned char *to, const unsigned char *from, size_t len)
{
	int n = 0, m = 0;

	return EVP_CipherUpdate(c, to, &n, from, (int)len) && EVP_CipherFinal_ex(c, to + n, &m) ?
		       n + m :
		       -1;
}

/* Does the same with the default provider and the key itself. */
static int run_plainly(const char *name, size_t len)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(NULL, name, "provider=default");
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new();

	assert_true(EVP_EncryptInit_ex2(c, cipher, key, key_iv, NULL));
	return run(c, want, text, len);
}

TEST(a_wrapped_key_encrypts_as_the_one_inside)
{
	static const struct {
		const char *name;
		size_t key_len, len;
	} ciphers[] = {
		{ "AES-128-CBC", 16, LEN },   { "AES-192-CBC", 24, 100 },
		{ "AES-256-CBC", 32, LEN },   { "AES-128-CTR", 16, 7 },
		{ "AES-256-CTR", 32, LEN },   { "AES-256-ECB", 32, LEN },
		{ "AES-128-XTS", 32, 65536 }, { "AES-256-XTS", 64, 4096 },
	};

	for (size_t i = 0; i < COUNT(ciphers); i++) {
		size_t key_len = ciphers[i].key_len;
		int n = run_plainly(ciphers[i].name, ciphers[i].len);
		LOCAL(EVP_SKEY) *skey = NULL;
		LOCAL(EVP_CIPHER_CTX) *c = NULL;

		blob_make(blob, key, key_len);
		skey = import(blob, BLOB_HEAD + key_len, key_len);
		assert_non_null(skey);
		c = key_started(ciphers[i].name, skey);
		assert_int_equal(run(c, got, text, ciphers[i].len), n);
		assert_memory_equal(got, want, (size_t)n);
		assert_true(EVP_CipherInit_SKEY(c, NULL, skey,
						strstr(ciphers[i].name, "ECB") ? NULL : key_iv,
						strstr(ciphers[i].name, "ECB") ? 0 : 16, 0, NULL));
		assert_int_equal(run(c, got, want, (size_t)n), ciphers[i].len);
		assert_memory_equal(got, text, ciphers[i].len);
		assert_int_equal(ERR_peek_error(), 0);
	}
}

/*
 * A context no longer needs the object once it has the key. A copy and a child open sessions of
 * their own.
 */
TEST(a_blob_lives_as_long_as_its_contexts)
{
	int n = run_plainly("AES-256-CBC", 1000);
	EVP_CIPHER_CTX *c, *copy = EVP_CIPHER_CTX_new();
	EVP_SKEY *skey;
	pid_t child;

	blob_make(blob, key, 32);
	skey = import(blob, BLOB_HEAD + 32, 32);
	memset(blob, 0, sizeof(blob));
	c = key_started("AES-256-CBC", skey);
	EVP_SKEY_free(skey);
	assert_true(EVP_CIPHER_CTX_copy(copy, c));
	child = fork();
	if (child == 0)
		_exit(run(c, got, text, 1000) == n && memcmp(got, want, (size_t)n) == 0 ? 0 : 1);
	assert_ends_well(child);
	EVP_CIPHER_CTX_free(c);
	assert_int_equal(run(copy, got, text, 1000), n);
	assert_memory_equal(got, want, (size_t)n);
	EVP_CIPHER_CTX_free(copy);
}

static int take_blob(const OSSL_PARAM params[], void *arg)
{
	const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, "blob");
	const void **bytes = arg;
	size_t n = 0;

	return p && OSSL_PARAM_get_octet_string_ptr(p, bytes, &n) && n == BLOB_HEAD + 32 &&
	       memcmp(*bytes, blob, n) == 0;
}

/* As raw bytes the blob would be taken for a key. */
TEST(a_blob_is_given_back_as_a_blob_and_never_as_the_bytes_of_a_key)
{
	const unsigned char *raw;
	const void *bytes = NULL;
	LOCAL(EVP_SKEY) *skey = NULL;
	size_t len;

	blob_make(blob, key, 32);
	skey = import(blob, BLOB_HEAD + 32, 32);
	assert_string_equal(EVP_SKEY_get0_key_id(skey), "blob");
	ERR_clear_error();
	assert_false(EVP_SKEY_get0_raw_key(skey, &raw, &len));
	assert_true(said("opened by its device only"));
	assert_true(EVP_SKEY_export(skey, OSSL_SKEYMGMT_SELECT_PARAMETERS, take_blob, &bytes));
}

/* The word of the error, for a blob that was changed at @at. */
static void assert_refused(const char *name, size_t at, const char *why)
{
	LOCAL(EVP_SKEY) *skey = NULL;

	blob_make(blob, key, 32);
	blob[at] ^= 1;
	skey = import(blob, BLOB_HEAD + 32, 32);
	assert_non_null(skey);
	ERR_clear_error();
	assert_null(key_start(name, skey));
	if (!said(why))
		fail_msg("%s, changed at %zu: not '%s'", name, at, why);
}

TEST(a_blob_that_the_device_does_not_take_is_refused_with_the_reason)
{
	EVP_SKEY *skey;

	assert_refused("AES-256-CBC", 0, "the driver refuses this blob");
	assert_refused("AES-256-CTR", 4, "the driver refuses this blob");
	assert_refused("AES-256-CBC", 20, "can't open this blob");
	blob_make(blob, key, 32);
	skey = import(blob, 17, 32);
	assert_null(key_start("AES-256-CBC", skey));
	assert_true(said("the driver refuses this blob"));
	EVP_SKEY_free(skey);
	assert_null(import(blob, 0, 32));
	assert_null(import(blob, BLOB_HEAD + 32, 0));
	assert_true(said("key-length"));
	assert_null(import(blob, 5000, 32));
	assert_null(import(blob, BLOB_HEAD + 32, 65));
}

/* The kernel knows no driver for them, and the blob must not be taken for a key's bytes. */
TEST(a_wrapped_key_is_refused_where_no_driver_takes_one)
{
	static const unsigned char text_key[BLOB_HEAD + 32] = { 0 };
	LOCAL(EVP_SKEY) *skey = import(text_key, sizeof(text_key), 32);
	LOCAL(EVP_MAC) *hmac = EVP_MAC_fetch(NULL, "HMAC", KEYS);
	LOCAL(EVP_MAC_CTX) *m = EVP_MAC_CTX_new(hmac);
	const OSSL_PARAM sha256[] = { text_param("digest", "SHA256"), OSSL_PARAM_construct_end() };

	assert_null(key_start("AES-256-GCM", skey));
	assert_true(said("no gcm(aes) for wrapped keys"));
	assert_false(EVP_MAC_init_SKEY(m, skey, sha256));
	assert_true(said("no hmac(sha256) for wrapped keys"));
}

TEST(the_ciphers_name_must_be_that_of_the_key_inside)
{
	LOCAL(EVP_SKEY) *skey = NULL;

	blob_make(blob, key, 32);
	skey = import(blob, BLOB_HEAD + 32, 32);
	ERR_clear_error();
	assert_null(key_start("AES-128-CBC", skey));
	assert_true(said("has 32 bytes, not 16"));
}

/* Like CAAM's trusted keys, whose bytes in the kernel are the blob. Since Linux 6.2. */
TEST(a_key_of_the_keyring_may_be_a_wrapped_one)
{
	int n = run_plainly("AES-256-CBC", 1000);
	EVP_SKEY *skey, *other;
	EVP_CIPHER_CTX *c;

	blob_make(blob, key, 32);
	if (key_add("user", "kcrypto-wrapped", blob, BLOB_HEAD + 32) < 0)
		skip();
	skey = import_named("user:kcrypto-wrapped", 32);
	assert_non_null(skey);
	assert_null(import_named("user:kcrypto-wrapped", 0));
	ERR_clear_error();
	c = key_start("AES-256-CBC", skey);
	if (!c && said("Linux 6.2"))
		skip();
	assert_non_null(c);
	assert_int_equal(run(c, got, text, 1000), n);
	assert_memory_equal(got, want, (size_t)n);
	EVP_CIPHER_CTX_free(c);
	EVP_SKEY_free(skey);
	/* As a plain key the same bytes are a key of 40 bytes, which no cipher takes. */
	other = key_by_name(NULL, "user:kcrypto-wrapped", 0);
	assert_non_null(other);
	assert_null(key_start("AES-256-CBC", other));
	EVP_SKEY_free(other);
}

static void set_up(void)
{
	key_setup();
	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (unsigned char)(17 * i + 3);
	for (size_t i = 0; i < LEN; i++)
		text[i] = (unsigned char)(i % 251);
}

const struct suite suite = { .set_up = set_up };
