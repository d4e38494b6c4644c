/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_keys: the kernel's software, or an accelerator only. Runs over the module and over the
 * stand-in.
 */
#include "keys/steps.h"

#include <stdio.h>

#include <openssl/err.h>

/* Whether a kernel key can be used with these lines in the section. */
static bool uses(const char *cipher_name, const char *kernel_keys)
{
	LOCAL(OSSL_LIB_CTX) *ctx = OSSL_LIB_CTX_new();
	OSSL_PARAM lines[] = { text_param("kernel_keys", kernel_keys), OSSL_PARAM_construct_end() };
	LOCAL(OSSL_PROVIDER) *theirs = OSSL_PROVIDER_load(ctx, "default"),
			     *ours = key_provider(ctx, lines);
	int32_t serial = key_add("user", "kcrypto-any", key_bytes, 32);
	LOCAL(EVP_SKEY) *skey = key_by_serial(ctx, serial);
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(ctx, cipher_name, KEYS);
	LOCAL(EVP_CIPHER_CTX) *c = EVP_CIPHER_CTX_new();

	assert_non_null(skey);
	assert_non_null(cipher);
	ERR_clear_error();
	return EVP_CipherInit_SKEY(c, cipher, skey, key_iv, 16, 1, NULL);
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

const struct suite suite = { .set_up = key_setup };
