/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process with two copies of libcrypto: one loads the module, which is linked to the other.
 * Played by a core that says another version.
 */
#include "unit/check.h"

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "local.h"

#define MAX_FUNCTIONS 128

extern OSSL_provider_init_fn OSSL_provider_init;

static const char *version; /* NULL: the true one */
static OSSL_FUNC_core_get_params_fn *true_params;

static int get_params(const OSSL_CORE_HANDLE *handle, OSSL_PARAM params[])
{
	int ok = true_params(handle, params);
	OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_CORE_VERSION);

	return ok && (!p || !version || OSSL_PARAM_set_utf8_ptr(p, version));
}

static int init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
		void **provctx)
{
	static OSSL_DISPATCH ours[MAX_FUNCTIONS];
	size_t n = 0;

	for (; in[n].function_id && n < MAX_FUNCTIONS - 1; n++) {
		ours[n] = in[n];
		if (in[n].function_id != OSSL_FUNC_CORE_GET_PARAMS)
			continue;
		true_params = OSSL_FUNC_core_get_params(&in[n]);
		ours[n].function = (void (*)(void))get_params;
	}
	ours[n] = (OSSL_DISPATCH){ 0, NULL };
	return OSSL_provider_init(handle, ours, out, provctx);
}

static bool is_offered(const char *core_version)
{
	LOCAL(OSSL_LIB_CTX) *ctx = OSSL_LIB_CTX_new();
	LOCAL(OSSL_PROVIDER) *base = NULL, *ours = NULL;
	LOCAL(EVP_CIPHER) *c = NULL;

	version = core_version;
	assert_int_equal(OSSL_PROVIDER_add_builtin(ctx, "kcrypto", init), 1);
	base = OSSL_PROVIDER_load(ctx, "default");
	ours = OSSL_PROVIDER_load(ctx, "kcrypto");
	assert_true(base && ours);
	c = EVP_CIPHER_fetch(ctx, "AES-128-CBC", "provider=kcrypto");
	return c != NULL;
}

TEST(the_copy_that_it_is_linked_to_gets_our_ciphers)
{
	assert_true(is_offered(NULL));
}

TEST(another_copy_gets_none_of_ours)
{
	assert_false(is_offered("0.9.8"));
	assert_false(is_offered(""));
	assert_false(is_offered(OPENSSL_VERSION_STR "1"));
}

const struct suite suite = { .arguments = 0 };
