/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys as objects, from OpenSSL 3.5 on, over the stand-in: what an init by one does is what the
 * default provider does, and large requests go to the kernel as after any init. usage: skey_test
 * CONFIG
 */
#include "unit/check.h"

#include <errno.h>
#include <string.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "base/skeymgmt.h"
#include "diff/stats_file.h"

#define LEN 70000

extern void diff_setup(OSSL_LIB_CTX *ctx);

static const char *config;
static OSSL_LIB_CTX *lib;
static EVP_CIPHER *cipher, *other; /* ours and the default provider's */
static EVP_CIPHER_CTX *c, *d;	   /* a context of each */
static size_t row;
static unsigned char key[2][KC_MAX_KEY], iv[KC_MAX_IV], in[LEN], out[LEN + 64], want[LEN + 64];

static unsigned long long requests(void)
{
	return kc_count_read(&stats_file_read()->row[row].requests);
}

/* Of the provider of @of. */
static EVP_SKEY *made(const EVP_CIPHER *of, const char *type, unsigned char *bytes, size_t len)
{
	const char *properties = of == cipher ? "provider=kcrypto" : "provider=default";
	EVP_SKEY *skey = EVP_SKEY_import_raw_key(lib, type, bytes, len, properties);

	assert_non_null(skey);
	return skey;
}

/* A cipher that is given again would make it a new context. */
static int init(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *of, EVP_SKEY *skey, int enc)
{
	return EVP_CipherInit_SKEY(ctx, EVP_CIPHER_CTX_get0_cipher(ctx) ? NULL : of, skey, iv,
				   (size_t)EVP_CIPHER_get_iv_length(of), enc, NULL);
}

static int init_made(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *of, const char *type, int which,
		     int enc)
{
	EVP_SKEY *skey = made(of, type, key[which], (size_t)EVP_CIPHER_get_key_length(of));
	int ok = init(ctx, of, skey, enc);

	EVP_SKEY_free(skey);
	return ok;
}

/*
 * Both go on with the same bytes, in pieces that are small and large, or @ends them. Returns how many
 * are large. XTS and ciphertext stealing take a message in one piece.
 */
static unsigned go_on(bool ends)
{
	static const int pieces[] = { 5, 40000, 11, 16, 20000 };
	bool one = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_XTS_MODE ||
		   EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS;
	int n, m, at = 0;

	for (size_t i = one; i < (one ? 2 : COUNT(pieces)); at += pieces[i++]) {
		assert_int_equal(EVP_CipherUpdate(c, out, &n, in + at, pieces[i]), 1);
		assert_int_equal(EVP_CipherUpdate(d, want, &m, in + at, pieces[i]), 1);
		assert_int_equal(n, m);
		assert_memory_equal(out, want, (size_t)n);
	}
	if (ends) {
		assert_int_equal(EVP_CipherFinal_ex(c, out, &n), EVP_CipherFinal_ex(d, want, &m));
		assert_int_equal(n, m);
		assert_memory_equal(out, want, (size_t)n);
		ERR_clear_error();
	}
	return one ? 1 : 2;
}

static void use(const char *name)
{
	EVP_CIPHER_free(cipher);
	EVP_CIPHER_free(other);
	cipher = EVP_CIPHER_fetch(lib, name, "provider=kcrypto");
	other = EVP_CIPHER_fetch(lib, name, "provider=default");
	assert_true(cipher && other);
	EVP_CIPHER_CTX_reset(c);
	EVP_CIPHER_CTX_reset(d);
	row = (size_t)(kc_alg_find(name, strlen(name)) - kc_algs);
}

static void one_cipher(const char *name)
{
	bool aes;

	use(name);
	/* An object for AES is of one key, XTS-256 takes two of them. */
	aes = strncmp(name, "AES", 3) == 0 && EVP_CIPHER_get_key_length(cipher) <= 32;
	for (int enc = 0; enc <= 1; enc++)
		for (int generic = !aes; generic <= 1; generic++) {
			const char *type = generic ? "GENERIC-SECRET" : "AES";
			unsigned long long before = requests();
			unsigned large;

			assert_int_equal(init_made(c, cipher, type, 0, enc), 1);
			assert_int_equal(init_made(d, other, type, 0, enc), 1);
			large = go_on(true);
			assert_true(requests() >= before + large);
		}
}

static void every_cipher_gives_the_default_providers_bytes_and_uses_the_kernel(void **state)
{
	size_t offered = 0;

	(void)state;
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		char name[KC_ALG_NAME_SIZE];

		/* The legacy provider knows no key objects. */
		if (kc_algs[i].kind != KC_CIPHER || kc_algs[i].legacy)
			continue;
		one_cipher(kc_alg_name(&kc_algs[i], name, sizeof(name)));
		offered++;
	}
	assert_true(offered >= 10);
}

/* In mid-stream, with a session open for the key before. */
static void a_new_key_object_replaces_the_key_before(void **state)
{
	(void)state;
	for (int by_bytes = 0; by_bytes <= 1; by_bytes++) {
		unsigned long long before;

		use("AES-128-CTR");
		assert_int_equal(EVP_CipherInit_ex(c, cipher, NULL, key[0], iv, 1), 1);
		assert_int_equal(EVP_CipherInit_ex(d, other, NULL, key[0], iv, 1), 1);
		go_on(false);
		assert_int_equal(init_made(c, cipher, "AES", 1, 1), 1);
		assert_int_equal(init_made(d, other, "AES", 1, 1), 1);
		before = requests();
		go_on(false);
		assert_true(requests() > before);
		if (by_bytes) {
			assert_int_equal(EVP_CipherInit_ex(c, NULL, NULL, key[0], NULL, -1), 1);
			assert_int_equal(EVP_CipherInit_ex(d, NULL, NULL, key[0], NULL, -1), 1);
		}
		go_on(true);
	}
}

/* The default provider of 3.5 stands no NULL in this call. */
static void an_init_without_a_key_object_keeps_the_key(void **state)
{
	(void)state;
	for (int with_iv = 0; with_iv <= 1; with_iv++) {
		unsigned char *again = with_iv ? iv : NULL;

		use("AES-256-CBC");
		assert_int_equal(init_made(c, cipher, "AES", 0, 1), 1);
		assert_int_equal(init_made(d, other, "AES", 0, 1), 1);
		go_on(false);
		assert_int_equal(
			EVP_CipherInit_SKEY(c, NULL, NULL, again, with_iv ? 16 : 0, -1, NULL), 1);
		assert_int_equal(EVP_CipherInit_ex(d, NULL, NULL, NULL, again, -1), 1);
		go_on(true);
	}
}

/* CBC starts again from the first IV, CTR goes on counting. */
static void a_key_object_without_an_iv_goes_on_as_the_mode_does(void **state)
{
	static const char *const names[] = { "AES-256-CBC", "AES-256-CTR" };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		EVP_SKEY *ours, *theirs;

		use(names[i]);
		ours = made(cipher, "AES", key[1], 32);
		theirs = made(other, "AES", key[1], 32);
		assert_int_equal(init_made(c, cipher, "AES", 0, 1), 1);
		assert_int_equal(init_made(d, other, "AES", 0, 1), 1);
		go_on(false);
		assert_int_equal(EVP_CipherInit_SKEY(c, NULL, ours, NULL, 0, 1, NULL), 1);
		assert_int_equal(EVP_CipherInit_SKEY(d, NULL, theirs, NULL, 0, 1, NULL), 1);
		go_on(true);
		EVP_SKEY_free(ours);
		EVP_SKEY_free(theirs);
	}
}

static void a_key_of_the_wrong_length_is_refused_and_the_context_lives_on(void **state)
{
	EVP_SKEY *skey;

	(void)state;
	use("AES-128-CBC");
	assert_int_equal(init_made(c, cipher, "AES", 0, 1), 1);
	skey = made(cipher, "GENERIC-SECRET", key[0], 20);
	assert_int_equal(init(c, cipher, skey, 1), 0);
	EVP_SKEY_free(skey);
	assert_null(EVP_SKEY_import_raw_key(lib, "AES", key[0], 20, "provider=kcrypto"));
	ERR_clear_error();
	assert_int_equal(init_made(c, cipher, "AES", 1, 1), 1);
	assert_int_equal(init_made(d, other, "AES", 1, 1), 1);
	go_on(true);
}

static void a_key_of_another_provider_can_be_brought_over(void **state)
{
	EVP_SKEY *theirs, *ours;
	const unsigned char *raw;
	size_t len;

	(void)state;
	use("AES-128-CBC");
	theirs = made(other, "AES", key[0], 16);
	assert_int_equal(init(c, cipher, theirs, 1), 0);
	ERR_clear_error();
	ours = EVP_SKEY_to_provider(theirs, lib, (OSSL_PROVIDER *)EVP_CIPHER_get0_provider(cipher),
				    NULL);
	assert_non_null(ours);
	assert_string_equal(EVP_SKEY_get0_provider_name(ours), "kcrypto");
	assert_string_equal(EVP_SKEY_get0_skeymgmt_name(ours), EVP_SKEY_get0_skeymgmt_name(theirs));
	assert_true(EVP_SKEY_is_a(ours, "2.16.840.1.101.3.4.1"));
	assert_int_equal(EVP_SKEY_get0_raw_key(ours, &raw, &len), 1);
	assert_int_equal(len, 16);
	assert_memory_equal(raw, key[0], 16);
	assert_int_equal(init(c, cipher, ours, 1), 1);
	assert_int_equal(init(d, other, theirs, 1), 1);
	go_on(true);
	EVP_SKEY_free(ours);
	EVP_SKEY_free(theirs);
}

static int refuse(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
	(void)keydata;
	(void)selection;
	(void)callback;
	(void)arg;
	ERR_raise(ERR_LIB_USER, ERR_R_UNSUPPORTED);
	errno = EPERM;
	return 0;
}

/* Whatever key was there before must not be taken for it. */
static void a_key_that_is_not_given_away_stays_with_the_base(void **state)
{
	struct kc_base_skeymgmt *manager;
	OSSL_FUNC_skeymgmt_export_fn *export;
	unsigned long long before;

	(void)state;
	manager = (struct kc_base_skeymgmt *)kc_base_skeymgmt(KC_SKEYMGMT_AES);
	use("AES-128-CBC");
	assert_int_equal(init_made(c, cipher, "AES", 0, 1), 1);
	assert_int_equal(init_made(d, other, "AES", 0, 1), 1);
	go_on(false);
	before = requests();
	export = manager->export;
	manager->export = refuse;
	errno = 77;
	assert_int_equal(init_made(c, cipher, "AES", 1, 1), 1);
	assert_int_equal(errno, 77);
	assert_int_equal(ERR_peek_error(), 0);
	manager->export = export;
	assert_int_equal(init_made(d, other, "AES", 1, 1), 1);
	go_on(false);
	assert_int_equal(EVP_CipherInit_ex(c, NULL, NULL, NULL, iv, -1), 1);
	assert_int_equal(EVP_CipherInit_ex(d, NULL, NULL, NULL, iv, -1), 1);
	go_on(true);
	assert_int_equal(requests(), before);
}

static void a_copy_has_the_key_too(void **state)
{
	(void)state;
	use("AES-192-CBC");
	assert_int_equal(init_made(c, cipher, "AES", 0, 0), 1);
	assert_int_equal(init_made(d, other, "AES", 0, 0), 1);
	go_on(false);
	for (int i = 0; i < 2; i++) {
		EVP_CIPHER_CTX **ctx = i ? &d : &c, *copy = EVP_CIPHER_CTX_new();

		assert_int_equal(EVP_CIPHER_CTX_copy(copy, *ctx), 1);
		EVP_CIPHER_CTX_free(*ctx);
		*ctx = copy;
	}
	go_on(true);
}

static int prepare(void **state)
{
	(void)state;
	stats_file_make();
	lib = OSSL_LIB_CTX_new();
	diff_setup(lib);
	c = EVP_CIPHER_CTX_new();
	d = EVP_CIPHER_CTX_new();
	for (size_t i = 0; i < sizeof(key); i++)
		((unsigned char *)key)[i] = (unsigned char)(i * 29 + 7);
	for (size_t i = 0; i < LEN; i++)
		in[i] = (unsigned char)(i * 7 + i / 256);
	memset(iv, 0xfe, sizeof(iv));
	return OSSL_LIB_CTX_load_config(lib, config) ? 0 : -1;
}

static int finish(void **state)
{
	(void)state;
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_CTX_free(d);
	EVP_CIPHER_free(cipher);
	EVP_CIPHER_free(other);
	OSSL_LIB_CTX_free(lib);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_cipher_gives_the_default_providers_bytes_and_uses_the_kernel),
		cmocka_unit_test(a_new_key_object_replaces_the_key_before),
		cmocka_unit_test(an_init_without_a_key_object_keeps_the_key),
		cmocka_unit_test(a_key_object_without_an_iv_goes_on_as_the_mode_does),
		cmocka_unit_test(a_key_of_the_wrong_length_is_refused_and_the_context_lives_on),
		cmocka_unit_test(a_key_of_another_provider_can_be_brought_over),
		cmocka_unit_test(a_key_that_is_not_given_away_stays_with_the_base),
		cmocka_unit_test(a_copy_has_the_key_too),
	};

	if (argc != 2)
		return 2;
	config = argv[1];
	return cmocka_run_group_tests_name("skey", tests, prepare, finish);
}
