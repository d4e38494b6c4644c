/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks OpenSSL for its grammar and its choice, instead of repeating them. A provider in this file,
 * in a library context without others, has two digests with the properties that the real providers
 * give theirs. The size of the fetched digest tells which one it is.
 */
#include "cli/cnf/query.h"

#ifdef KC_HAS_PROVIDER
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

enum { OURS = 1, THEIRS = 2 }; /* sizes of digests */

static int answer(OSSL_PARAM params[], size_t size)
{
	OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_DIGEST_PARAM_SIZE);

	if (p && !OSSL_PARAM_set_size_t(p, size))
		return 0;
	p = OSSL_PARAM_locate(params, OSSL_DIGEST_PARAM_BLOCK_SIZE);
	if (!p)
		return 1;
	return OSSL_PARAM_set_size_t(p, 1);
}

static int answer_ours(OSSL_PARAM params[])
{
	return answer(params, OURS);
}

static int answer_theirs(OSSL_PARAM params[])
{
	return answer(params, THEIRS);
}

/* OpenSSL demands a function that makes a digest; it is never called. */
static int digest_nothing(void *provider, const unsigned char *in, size_t len, unsigned char *out,
			  size_t *out_len, size_t size)
{
	(void)provider, (void)in, (void)len, (void)out, (void)out_len, (void)size;
	return 0;
}

#define FUNCTION(id, f)                                                                            \
	{                                                                                          \
		id, (void (*)(void))(f)                                                            \
	}

static const OSSL_DISPATCH ours[] = {
	FUNCTION(OSSL_FUNC_DIGEST_DIGEST, digest_nothing),
	FUNCTION(OSSL_FUNC_DIGEST_GET_PARAMS, answer_ours),
	{ 0, NULL },
};

static const OSSL_DISPATCH theirs[] = {
	FUNCTION(OSSL_FUNC_DIGEST_DIGEST, digest_nothing),
	FUNCTION(OSSL_FUNC_DIGEST_GET_PARAMS, answer_theirs),
	{ 0, NULL },
};

#define SHARED "KC-SHARED"
#define REST   "KC-REST"

/*
 * FIPS's come first, so that they can be left out. kcrypto's come last, because OpenSSL takes the
 * first of several that the query does not tell apart.
 */
static const OSSL_ALGORITHM with_fips[] = {
	{ SHARED, "provider=fips,fips=yes", theirs, NULL },
	{ REST, "provider=fips,fips=yes", theirs, NULL },
	{ SHARED, "provider=default", theirs, NULL },
	{ REST, "provider=default", theirs, NULL },
	{ SHARED, "provider=kcrypto", ours, NULL },
	{ NULL, NULL, NULL, NULL },
};

static bool has_fips_now; /* the provider's functions have no other access to it */

static const OSSL_ALGORITHM *list_digests(void *provider, int operation, int *no_cache)
{
	(void)provider;
	*no_cache = 0;
	if (operation != OSSL_OP_DIGEST)
		return NULL;
	if (has_fips_now)
		return with_fips;
	return with_fips + 2;
}

static const OSSL_DISPATCH provider[] = {
	FUNCTION(OSSL_FUNC_PROVIDER_QUERY_OPERATION, list_digests),
	{ 0, NULL },
};

static int start(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
		 void **context)
{
	(void)in;
	*out = provider;
	*context = (void *)handle;
	return 1;
}

/* Returns the size of the digest that a program gets; 0: none. */
static int fetch(OSSL_LIB_CTX *ctx, const char *name)
{
	EVP_MD *md = EVP_MD_fetch(ctx, name, NULL);
	int size = 0;

	if (md)
		size = EVP_MD_get_size(md);
	EVP_MD_free(md);
	return size;
}

static struct kc_query probe(OSSL_LIB_CTX *ctx)
{
	return (struct kc_query){ .is_valid = true,
				  .leads = fetch(ctx, SHARED) == OURS,
				  .has_rest = fetch(ctx, REST) != 0 };
}

static OSSL_PROVIDER *load_probe(OSSL_LIB_CTX *ctx, bool has_fips)
{
	has_fips_now = has_fips;
	if (!OSSL_PROVIDER_add_builtin(ctx, "probe", start))
		return NULL;
	return OSSL_PROVIDER_load(ctx, "probe");
}

struct kc_query kc_query_ask(const char *query, bool has_fips)
{
	struct kc_query q = { .is_valid = false };
	OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();
	OSSL_PROVIDER *loaded = NULL;

	if (ctx)
		loaded = load_probe(ctx, has_fips);
	if (loaded && EVP_set_default_properties(ctx, query))
		q = probe(ctx);
	if (loaded)
		OSSL_PROVIDER_unload(loaded);
	OSSL_LIB_CTX_free(ctx);
	ERR_clear_error();
	return q;
}

struct kc_query kc_query_loaded(bool has_fips)
{
	struct kc_query q = { .is_valid = false };

	if (load_probe(NULL, has_fips))
		q = probe(NULL);
	return q;
}
#else
struct kc_query kc_query_ask(const char *query, bool has_fips)
{
	(void)query, (void)has_fips;
	return (struct kc_query){ .is_valid = false };
}

struct kc_query kc_query_loaded(bool has_fips)
{
	(void)has_fips;
	return (struct kc_query){ .is_valid = false };
}
#endif
