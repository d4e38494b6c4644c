/* SPDX-License-Identifier: Apache-2.0 */
/* A provider of random numbers other than OpenSSL's own. They are all sixes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

static void *newctx(void *provctx, void *parent, const OSSL_DISPATCH *calls)
{
	(void)provctx, (void)parent, (void)calls;
	return malloc(1);
}

static int instantiate(void *ctx, unsigned strength, int resistance, const unsigned char *bytes,
		       size_t len, const OSSL_PARAM params[])
{
	(void)ctx, (void)strength, (void)resistance, (void)bytes, (void)len, (void)params;
	return 1;
}

static int uninstantiate(void *ctx)
{
	(void)ctx;
	return 1;
}

static int generate(void *ctx, unsigned char *out, size_t len, unsigned strength, int resistance,
		    const unsigned char *more, size_t more_len)
{
	(void)ctx, (void)strength, (void)resistance, (void)more, (void)more_len;
	memset(out, 6, len);
	return 1;
}

static int get_ctx_params(void *ctx, OSSL_PARAM params[])
{
	OSSL_PARAM *strength = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STRENGTH),
		   *state = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STATE),
		   *longest = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_MAX_REQUEST);

	(void)ctx;
	return (!strength || OSSL_PARAM_set_uint(strength, 256)) &&
	       (!state || OSSL_PARAM_set_int(state, EVP_RAND_STATE_READY)) &&
	       (!longest || OSSL_PARAM_set_size_t(longest, 65536));
}

static int lock(void *ctx)
{
	(void)ctx;
	return 1;
}

static void unlock(void *ctx)
{
	(void)ctx;
}

static const OSSL_ALGORITHM *query(void *provctx, int operation, int *no_cache)
{
#define F(id, f)                                                                                   \
	{                                                                                          \
		OSSL_FUNC_RAND_##id, (void (*)(void))(f)                                           \
	}
	static const OSSL_DISPATCH dice[] = {
		F(NEWCTX, newctx),	     F(FREECTX, free),
		F(INSTANTIATE, instantiate), F(UNINSTANTIATE, uninstantiate),
		F(GENERATE, generate),	     F(GET_CTX_PARAMS, get_ctx_params),
		F(ENABLE_LOCKING, lock),     F(LOCK, lock),
		F(UNLOCK, unlock),	     { 0, NULL },
	};
#undef F
	static const OSSL_ALGORITHM list[] = {
		{ "DICE", "provider=dice", dice, NULL },
		{ NULL, NULL, NULL, NULL },
	};

	(void)provctx;
	*no_cache = 0;
	return operation == OSSL_OP_RAND ? list : NULL;
}

__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
		       const OSSL_DISPATCH **out, void **provctx)
{
	static const OSSL_DISPATCH functions[] = {
		{ OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query },
		{ 0, NULL },
	};

	(void)in;
	*out = functions;
	*provctx = (void *)(uintptr_t)handle;
	return 1;
}
