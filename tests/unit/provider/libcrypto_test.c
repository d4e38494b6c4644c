/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process with two copies of libcrypto of the same version: one loads the module, which is linked
 * to the other. Simulated by a core that has a function of its own.
 */
#include "unit/check.h"

#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "local.h"

#define MAX_FUNCTIONS 128

extern OSSL_provider_init_fn OSSL_provider_init;

static bool is_other;

static int secure_allocated(const void *at)
{
	(void)at;
	return 0;
}

static int init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
		void **provctx)
{
	static OSSL_DISPATCH ours[MAX_FUNCTIONS];
	size_t n = 0;

	for (; in[n].function_id && n < MAX_FUNCTIONS - 1; n++) {
		ours[n] = in[n];
		if (is_other && in[n].function_id == OSSL_FUNC_CRYPTO_SECURE_ALLOCATED)
			ours[n].function = (void (*)(void))secure_allocated;
	}
	ours[n] = (OSSL_DISPATCH){ 0, NULL };
	return OSSL_provider_init(handle, ours, out, provctx);
}

static bool is_offered(bool by_other)
{
	LOCAL(OSSL_LIB_CTX) *ctx = OSSL_LIB_CTX_new();
	LOCAL(OSSL_PROVIDER) *base = NULL, *ours = NULL;
	LOCAL(EVP_CIPHER) *c = NULL;

	is_other = by_other;
	assert_int_equal(OSSL_PROVIDER_add_builtin(ctx, "kcrypto", init), 1);
	base = OSSL_PROVIDER_load(ctx, "default");
	ours = OSSL_PROVIDER_load(ctx, "kcrypto");
	assert_true(base && ours);
	c = EVP_CIPHER_fetch(ctx, "AES-128-CBC", "provider=kcrypto");
	return c != NULL;
}

TEST(the_copy_that_it_is_linked_to_gets_our_ciphers)
{
	assert_true(is_offered(false));
}

TEST(another_copy_gets_none_of_ours)
{
	assert_false(is_offered(true));
}

const struct suite suite = { .arguments = 0 };
