/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys as objects, from OpenSSL 3.5 on: they belong to the default provider, and work with every
 * cipher and MAC as without kcrypto. Only a program that fetched one of kcrypto's ciphers before
 * its first key object can get an object from kcrypto, and its ciphers accept no such key. usage:
 * skey_test CONFIG...
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "integration/lives/loaded.h"
#include "local.h"

#define LEN	  64
#define MAX_NAMES 256

static OSSL_LIB_CTX *alone, *beside; /* the default provider; and kcrypto beside it, preferred */
static unsigned char bytes[128];     /* keys, IVs, text */

static const char *ciphers[MAX_NAMES], *macs[MAX_NAMES];
static const char *const types[] = { "AES", "GENERIC-SECRET" };

/* The results of a sequence of calls, up to the first failure, and the output. */
struct outcome {
	int key, init, update, len;
	unsigned char out[2 * LEN];
};

typedef EVP_SKEY *make(OSSL_LIB_CTX *ctx, const char *type, size_t len);

static EVP_SKEY *import(OSSL_LIB_CTX *ctx, const char *type, size_t len)
{
	return EVP_SKEY_import_raw_key(ctx, type, bytes, len, NULL);
}

static EVP_SKEY *generate(OSSL_LIB_CTX *ctx, const char *type, size_t len)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_size_t(OSSL_SKEY_PARAM_KEY_LENGTH, &len),
		OSSL_PARAM_construct_end(),
	};

	return EVP_SKEY_generate(ctx, type, NULL, params);
}

#if OPENSSL_VERSION_NUMBER >= 0x40000000L
static EVP_SKEY *derive(OSSL_LIB_CTX *ctx, const char *type, size_t len)
{
	char digest[] = "SHA256";
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, bytes, 32),
		OSSL_PARAM_construct_end(),
	};
	EVP_KDF *kdf = EVP_KDF_fetch(ctx, "HKDF", NULL);
	EVP_KDF_CTX *c = EVP_KDF_CTX_new(kdf);
	EVP_SKEY *skey = EVP_KDF_derive_SKEY(c, NULL, type, NULL, len, params);

	EVP_KDF_CTX_free(c);
	EVP_KDF_free(kdf);
	return skey;
}
#else
#define derive NULL /* this OpenSSL has none */
#endif

static make *const ways[] = { import, generate, derive };

/* The caller frees the cipher. */
static EVP_CIPHER *fetched(OSSL_LIB_CTX *ctx, const char *name, const char *properties)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(ctx, name, properties);

	assert_non_null(cipher);
	return cipher;
}

static bool is_ours(const EVP_CIPHER *cipher)
{
	const char *name = OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher));

	return strcmp(name, "kcrypto") == 0;
}

static void encipher(OSSL_LIB_CTX *ctx, const EVP_CIPHER *cipher, make *way, const char *type,
		     struct outcome *o)
{
	LOCAL(EVP_SKEY) *skey = way(ctx, type, (size_t)EVP_CIPHER_get_key_length(cipher));
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new();

	memset(o, 0, sizeof(*o));
	EVP_CIPHER_CTX_set_flags(c, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
	o->key = skey != NULL;
	if (skey)
		o->init = EVP_CipherInit_SKEY(c, cipher, skey, bytes,
					      (size_t)EVP_CIPHER_get_iv_length(cipher), 1, NULL);
	if (o->init == 1)
		o->update = EVP_CipherUpdate(c, o->out, &o->len, bytes, LEN);
	ERR_clear_error();
}

/* Compares both providers. Returns whether the cipher works at all. */
static bool cipher_is_same(const char *name, const char *properties, make *way, const char *type)
{
	LOCAL(EVP_CIPHER) *theirs = fetched(alone, name, NULL),
			  *cipher = fetched(beside, name, properties);
	struct outcome want, again, got;

	encipher(alone, theirs, way, type, &want);
	encipher(alone, theirs, way, type, &again);
	encipher(beside, cipher, way, type, &got);
	/* Modes that generate their own IV give nothing to compare. */
	if (memcmp(want.out, again.out, sizeof(want.out)) != 0)
		memcpy(got.out, want.out, sizeof(want.out));
	if (memcmp(&want, &got, sizeof(got)) != 0)
		fail_msg("%s with a key of %s: key %d, %d, init %d, %d, update %d, %d", name, type,
			 got.key, want.key, got.init, want.init, got.update, want.update);
	return want.update == 1;
}

/*
 * kcrypto's ciphers take no object, so they are fetched with @properties_of_ours. Returns how many
 * work.
 */
static unsigned all_ciphers(const char *properties_of_ours)
{
	unsigned n = 0;

	for (size_t i = 0; ciphers[i]; i++) {
		LOCAL(EVP_CIPHER) *cipher = fetched(beside, ciphers[i], NULL);
		const char *properties = is_ours(cipher) ? properties_of_ours : NULL;

		for (size_t k = 0; k < COUNT(ways) * COUNT(types); k++)
			if (ways[k / COUNT(types)])
				n += cipher_is_same(ciphers[i], properties, ways[k / COUNT(types)],
						    types[k % COUNT(types)]);
	}
	return n;
}

static int mac_init(OSSL_LIB_CTX *ctx, const char *name, make *way, const char *type)
{
	LOCAL(EVP_MAC) *mac = EVP_MAC_fetch(ctx, name, NULL);
	LOCAL(EVP_MAC_CTX) *c = EVP_MAC_CTX_new(mac);
	LOCAL(EVP_SKEY) *skey = way(ctx, type, 16);
	int ok = skey ? EVP_MAC_init_SKEY(c, skey, NULL) : -1;

	ERR_clear_error();
	return ok;
}

static void all_macs(void)
{
	for (size_t i = 0; macs[i]; i++)
		for (size_t k = 0; k < COUNT(ways) * COUNT(types); k++) {
			make *way = ways[k / COUNT(types)];
			const char *type = types[k % COUNT(types)];

			if (way)
				assert_int_equal(mac_init(beside, macs[i], way, type),
						 mac_init(alone, macs[i], way, type));
		}
}

static void begin(const char *config)
{
	beside = library_with(config);
	assert_non_null(beside);
	assert_int_equal(EVP_set_default_properties(beside, "?provider=kcrypto"), 1);
}

/* The way in which a program that uses these keys may begin. */
static void make_a_key(void)
{
	LOCAL(EVP_SKEY) *skey = import(beside, "AES", 16);

	assert_non_null(skey);
	assert_string_equal(EVP_SKEY_get0_provider_name(skey), "default");
}

static void begin_with_a_cipher(const char *config)
{
	LOCAL(EVP_CIPHER) *cipher = NULL;

	begin(config);
	cipher = fetched(beside, "AES-128-CBC", NULL);
	assert_true(is_ours(cipher));
}

TEST(who_has_a_key_first_sees_no_difference)
{
	for (char **config = arguments; *config; config++) {
		begin(*config);
		make_a_key();
		assert_true(all_ciphers(NULL) >= 60);
		all_macs();
		OSSL_LIB_CTX_free(beside);
	}
}

TEST(who_has_a_cipher_first_sees_none_with_what_is_the_default_providers)
{
	for (char **config = arguments; *config; config++) {
		begin_with_a_cipher(*config);
		assert_true(all_ciphers("provider=default") >= 60);
		all_macs();
		OSSL_LIB_CTX_free(beside);
	}
}

/* OpenSSL ensures this. If it did not, the man page would be wrong. */
TEST(a_cipher_of_ours_takes_no_object_but_its_bytes)
{
	struct outcome o;
	const unsigned char *raw;
	size_t len;
	EVP_CIPHER *cipher;
	EVP_SKEY *skey;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	begin_with_a_cipher(arguments[0]);
	cipher = fetched(beside, "AES-128-CBC", NULL);
	encipher(beside, cipher, import, "AES", &o);
	assert_int_equal(o.key, 1);
	assert_int_equal(o.init, 0);
	skey = import(beside, "AES", 16);
	assert_int_equal(EVP_SKEY_get0_raw_key(skey, &raw, &len), 1);
	assert_int_equal(EVP_EncryptInit_ex(c, cipher, NULL, raw, bytes), 1);
	EVP_SKEY_free(skey);
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_free(cipher);
	OSSL_LIB_CTX_free(beside);
}

/* The default provider of 3.5 crashes on NULL in this call. */
TEST(an_init_without_an_object_keeps_the_key)
{
	EVP_CIPHER *ours, *theirs;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new(), *d = EVP_CIPHER_CTX_new();
	unsigned char got[LEN], want[LEN];
	int n;

	begin_with_a_cipher(arguments[0]);
	ours = fetched(beside, "AES-128-CBC", NULL);
	theirs = fetched(alone, "AES-128-CBC", NULL);
	assert_int_equal(EVP_EncryptInit_ex(c, ours, NULL, bytes, bytes), 1);
	assert_int_equal(EVP_EncryptUpdate(c, got, &n, bytes, 32), 1);
	assert_int_equal(EVP_CipherInit_SKEY(c, NULL, NULL, bytes + 1, 16, -1, NULL), 1);
	assert_int_equal(EVP_EncryptInit_ex(d, theirs, NULL, bytes, bytes + 1), 1);
	assert_int_equal(EVP_EncryptUpdate(c, got, &n, bytes, LEN), 1);
	assert_int_equal(EVP_EncryptUpdate(d, want, &n, bytes, LEN), 1);
	assert_memory_equal(got, want, LEN);
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_CTX_free(d);
	EVP_CIPHER_free(ours);
	EVP_CIPHER_free(theirs);
	OSSL_LIB_CTX_free(beside);
}

static void add(const char **names, const char *name)
{
	size_t n = 0;

	while (names[n])
		n++;
	if (n < MAX_NAMES - 1)
		names[n] = strdup(name);
}

static void add_cipher(EVP_CIPHER *cipher, void *arg)
{
	(void)arg;
	add(ciphers, EVP_CIPHER_get0_name(cipher));
}

static void add_mac(EVP_MAC *mac, void *arg)
{
	(void)arg;
	add(macs, EVP_MAC_get0_name(mac));
}

static void prepare(void)
{
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 29 + 7);
	alone = OSSL_LIB_CTX_new();
	EVP_CIPHER_do_all_provided(alone, add_cipher, NULL);
	EVP_MAC_do_all_provided(alone, add_mac, NULL);
	assert_true(ciphers[100] && macs[5]);
}

static void finish(void)
{
	for (size_t i = 0; i < MAX_NAMES; i++) {
		free((char *)(uintptr_t)ciphers[i]);
		free((char *)(uintptr_t)macs[i]);
	}
	OSSL_LIB_CTX_free(alone);
}

const struct suite suite = { .arguments = 1, .set_up = prepare, .tear_down = finish };
