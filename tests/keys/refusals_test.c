/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that the key manager refuses, with its reason. Runs over the module on a kernel, and
 * over the stand-in; comments name what only one of them can bring about.
 */
#include "keys/steps.h"

#include <errno.h>
#include <string.h>

#include <openssl/err.h>

#include "keys/named.h"

static char long_text[5000];

TEST(an_import_needs_a_name_or_a_serial_number)
{
	static const char why[] = "imported by its name or its serial";
	int32_t zero = 0, negative = -3;
	OSSL_PARAM end = OSSL_PARAM_construct_end();
	const OSSL_PARAM cases[][2] = {
		{ end, end },
		{ text_param("name", ""), end },
		{ text_param("name", long_text), end },
		{ OSSL_PARAM_construct_int32("name", &negative), end },
		{ OSSL_PARAM_construct_int32("serial", &zero), end },
		{ OSSL_PARAM_construct_int32("serial", &negative), end },
		{ text_param("serial", "1"), end },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_null(key_import(cases[i]));
		assert_true(said(why));
	}
}

/* keys_test tests specifications that are malformed or name no key. */
TEST(a_key_must_tell_its_length_or_have_it_told)
{
	int32_t serial = key_add("user", "kcrypto-refused", key_bytes, 32);
	size_t wrong = 31;
	const OSSL_PARAM params[] = { OSSL_PARAM_construct_int32("serial", &serial),
				      OSSL_PARAM_construct_size_t("key-length", &wrong),
				      OSSL_PARAM_construct_end() };
	EVP_SKEY *skey;

	assert_true(serial > 0);
	assert_null(key_import(params));
	assert_true(said("has 32 bytes"));
	serial = key_silent();
	skey = key_by_serial(NULL, serial);
	assert_null(skey);
	assert_true(said("the key does not tell its length"));
}

TEST(a_new_key_needs_a_type_a_name_a_length_and_a_keyring)
{
	static const char why[] = "a new key needs a name, a type";
	size_t none = 0, many = 65;
	OSSL_PARAM name = text_param("name", "kcrypto:refused"), end = OSSL_PARAM_construct_end();
	const OSSL_PARAM cases[][3] = {
		{ end, end, end },
		{ OSSL_PARAM_construct_size_t("name", &none), end, end },
		{ name, text_param("type", "keyring"), end },
		{ name, text_param("type", "trusted"), end },
		{ name, OSSL_PARAM_construct_size_t("type", &none), end },
		{ name, OSSL_PARAM_construct_size_t("key-length", &none), end },
		{ name, OSSL_PARAM_construct_size_t("key-length", &many), end },
		{ name, text_param("key-length", "32"), end },
		{ name, text_param("keyring", "thread"), end },
		{ name, OSSL_PARAM_construct_size_t("keyring", &none), end },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_null(key_generate(cases[i]));
		assert_true(said(why));
	}
}

TEST(a_new_encrypted_key_needs_a_master)
{
	OSSL_PARAM name = text_param("name", "kcrypto-refused"), end = OSSL_PARAM_construct_end();
	OSSL_PARAM type = text_param("type", "encrypted");
	const OSSL_PARAM cases[][4] = {
		{ name, type, end, end },
		{ name, type, text_param("master", long_text), end },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_null(key_generate(cases[i]));
		assert_true(said("Invalid argument"));
	}
}

static const int errors[] = { ENOKEY, EKEYEXPIRED, EKEYREVOKED, EKEYREJECTED, ESTALE,  EACCES,
			      EPERM,  ENOSYS,	   ENODEV,	ENOPROTOOPT,  ENODATA, EAFNOSUPPORT,
			      ENOENT, ECONNRESET,  EMFILE,	EDQUOT };

/* Over the stand-in. denied_test makes a kernel return some of these. */
TEST(each_error_of_the_keyring_reaches_the_program)
{
	const OSSL_PARAM old[] = { text_param("name", "user:kcrypto-any"),
				   OSSL_PARAM_construct_end() };
	const OSSL_PARAM new[] = { text_param("name", "kcrypto-any-new"),
				   text_param("type", "user"), OSSL_PARAM_construct_end() };

	for (size_t i = 0; i < COUNT(errors); i++) {
		if (!key_refuse(errors[i]))
			skip();
		assert_null(key_import(old));
		assert_true(said(kc_keys_explain(-errors[i])));
		assert_null(key_generate(new));
		/* A new key is made only where there is none. */
		assert_true(errors[i] == ENOKEY || said(kc_keys_explain(-errors[i])));
	}
	key_refuse(0);
}

/* Each error that the kernel returns for a key has words of its own. */
TEST(every_error_with_keys_is_explained)
{
	for (size_t i = 0; i < COUNT(errors); i++)
		assert_string_not_equal(kc_keys_explain(-errors[i]), strerror(errors[i]));
	assert_string_equal(kc_keys_explain(-EIO), strerror(EIO));
}

static void set_up(void)
{
	memset(long_text, 'x', sizeof(long_text) - 1);
	key_setup();
}

const struct suite suite = { .set_up = set_up };
