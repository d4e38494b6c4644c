/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of a program's writable memory, at any time of its contexts' lives, holds no byte of a kernel
 * key.
 */
#include "unit/check.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "integration/lives/search.h"
#include "keys/keyring.h"

static unsigned char secret[64], in[200000], out[200016];
static const unsigned char iv[16];

static unsigned found(void)
{
	return search_memory().n[SECRET_KEY];
}

/* Gives a key to the kernel; this process has had it. */
static void make_key(const char *name, size_t len)
{
	search_forget_all();
	assert_int_equal(getrandom(secret, len, 0), len);
	search_note(SECRET_KEY, secret, len);
	assert_true(key_add("logon", name, secret, len) > 0);
	assert_true(found() >= len / 8); /* the search works */
	explicit_bzero(secret, sizeof(secret));
	assert_int_equal(found(), 0);
}

static void live(const char *cipher_name, const char *key_name, size_t len)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, cipher_name, KEYS);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
	EVP_SKEY *skey = key_by_name(NULL, key_name, 0);
	size_t iv_len = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_GCM_MODE ? 12 : 16;
	int n;
	pid_t child;

	assert_non_null(skey);
	assert_int_equal(found(), 0);
	assert_true(EVP_CipherInit_SKEY(c, cipher, skey, iv, iv_len, 1, NULL));
	assert_int_equal(found(), 0);
	assert_true(EVP_CipherUpdate(c, out, &n, in, (int)len));
	assert_int_equal(found(), 0);
	assert_true(EVP_CIPHER_CTX_copy(copy, c));
	child = fork();
	if (child == 0)
		_exit(EVP_CipherUpdate(c, out, &n, in, (int)len) && found() == 0 ? 0 : 1);
	assert_ends_well(child);
	assert_true(EVP_CipherUpdate(copy, out, &n, in, (int)len));
	assert_true(EVP_CipherInit_SKEY(c, NULL, skey, iv, iv_len, 0, NULL));
	assert_true(EVP_CipherUpdate(c, out, &n, in, (int)len));
	assert_int_equal(found(), 0);
	EVP_CIPHER_CTX_free(copy);
	EVP_CIPHER_CTX_free(c);
	EVP_SKEY_free(skey);
	EVP_CIPHER_free(cipher);
	assert_int_equal(found(), 0);
}

/* MACs of @len bytes in a context and in its copy, also in a child, and another message. */
static void live_mac(char *digest, const char *key_name, size_t len)
{
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", KEYS);
	EVP_MAC_CTX *m = EVP_MAC_CTX_new(mac), *copy;
	EVP_SKEY *skey = key_by_name(NULL, key_name, 0);
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("digest", digest, 0),
				OSSL_PARAM_construct_end() };
	pid_t child;
	size_t n;

	assert_non_null(skey);
	assert_true(EVP_MAC_init_SKEY(m, skey, params));
	assert_int_equal(found(), 0);
	assert_true(EVP_MAC_update(m, in, len));
	assert_int_equal(found(), 0);
	copy = EVP_MAC_CTX_dup(m);
	child = fork();
	if (child == 0) {
		EVP_MAC_init(m, NULL, 0, NULL);
		_exit(EVP_MAC_update(m, in, len) && EVP_MAC_final(m, out, &n, 64) && found() == 0 ?
			      0 :
			      1);
	}
	assert_ends_well(child);
	assert_true(EVP_MAC_final(copy, out, &n, 64));
	assert_true(EVP_MAC_final(m, out, &n, 64));
	assert_int_equal(found(), 0);
	EVP_MAC_CTX_free(copy);
	EVP_MAC_CTX_free(m);
	EVP_SKEY_free(skey);
	EVP_MAC_free(mac);
	assert_int_equal(found(), 0);
}

TEST(no_byte_of_an_hmac_key_is_in_memory)
{
	static char *const digests[] = { "SHA1", "SHA256", "SHA512" };

	for (size_t i = 0; i < COUNT(digests); i++) {
		make_key("kcrypto:memory-mac", 64);
		live_mac(digests[i], "logon:kcrypto:memory-mac", i % 2 ? 100 : sizeof(in));
	}
}

TEST(no_byte_of_a_key_is_in_memory)
{
	static const struct {
		const char *cipher;
		size_t key_len, len;
	} lives[] = {
		{ "AES-128-CBC", 16, 100 },   { "AES-256-CBC", 32, sizeof(in) },
		{ "AES-256-CTR", 32, 100 },   { "AES-192-CTR", 24, sizeof(in) },
		{ "AES-256-ECB", 32, 16384 }, { "AES-256-XTS", 64, 16384 },
		{ "AES-128-GCM", 16, 100 },   { "AES-256-GCM", 32, 20000 },
	};

	for (size_t i = 0; i < COUNT(lives); i++) {
		char name[] = "logon:kcrypto:memory-0";

		name[sizeof(name) - 2] = (char)('0' + i);
		make_key(name + strlen("logon:"), lives[i].key_len);
		live(lives[i].cipher, name, lives[i].len);
	}
}

const struct suite suite = { 0 };
