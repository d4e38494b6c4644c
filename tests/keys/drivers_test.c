/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_keys: the kernel's software, or an accelerator only. Over the module and the stand-in. */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>

#include <openssl/err.h>

#include "keys/keyring.h"

static const unsigned char key[33] = "thirty-two bytes of a user's key",
			   iv[17] = "an IV of 16 byte";

static bool said(const char *words)
{
	const char *data = NULL;
	bool found = false;

	while (ERR_get_error_all(NULL, NULL, NULL, &data, NULL))
		found |= strstr(data, words) != NULL;
	return found;
}

/* Can a key of the kernel be used with these lines in the section? */
static bool uses(const char *cipher_name, const char *kernel_keys)
{
	OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();
	OSSL_PARAM lines[] = { OSSL_PARAM_construct_utf8_string("kernel_keys",
								(char *)(uintptr_t)kernel_keys, 0),
			       OSSL_PARAM_construct_end() };
	OSSL_PROVIDER *theirs = OSSL_PROVIDER_load(ctx, "default"),
		      *ours = key_provider(ctx, lines);
	int32_t serial = key_add("user", "kcrypto-any", key, 32);
	EVP_SKEY *skey = key_by_serial(ctx, serial);
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(ctx, cipher_name, KEYS);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	bool ok;

	assert_non_null(skey);
	assert_non_null(cipher);
	ERR_clear_error();
	ok = EVP_CipherInit_SKEY(c, cipher, skey, iv, 16, 1, NULL);
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_free(cipher);
	EVP_SKEY_free(skey);
	OSSL_PROVIDER_unload(ours);
	OSSL_PROVIDER_unload(theirs);
	OSSL_LIB_CTX_free(ctx);
	return ok;
}

TEST(software_is_used_unless_kernel_keys_is_hardware)
{
	if (!uses("AES-256-CTR", "any") && said("Linux 6.2"))
		skip();
	assert_true(uses("AES-256-CTR", "any"));
	assert_true(uses("AES-256-CBC", "any"));
	assert_false(uses("AES-256-CTR", "hardware"));
	assert_true(said("there is no driver that may be used"));
	assert_false(uses("AES-256-CTR", "hardwear"));
	printf("an accelerator for CBC: %s\n", key_hardware() ? "yes" : "no");
	assert_int_equal(uses("AES-256-CBC", "hardware"), key_hardware());
}

static int set_up(void **state)
{
	(void)state;
	key_setup();
	return 0;
}

const struct suite suite = { .set_up = set_up };
