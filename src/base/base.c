/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the default provider privately and has each row take its functions, by kind. */
#include "base/base.h"

#include <pthread.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>

#include "base/take.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static unsigned users;
static OSSL_LIB_CTX *private_ctx;
static OSSL_PROVIDER *provider;
static const char *names[KC_ALG_COUNT]; /* read without the lock while in use; NULL: not there */

static const struct kc_base *get_cipher(const struct kc_alg *alg)
{
	return &kc_base_cipher(alg)->core.common;
}

static const struct kc_base *get_aead(const struct kc_alg *alg)
{
	return &kc_base_aead(alg)->core.common;
}

static const struct {
	int operation;
	bool (*take)(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs, void *provctx);
	const struct kc_base *(*get)(const struct kc_alg *alg);
} kinds[KC_KIND_COUNT] = {
	[KC_CIPHER] = { OSSL_OP_CIPHER, kc_base_take_cipher, get_cipher },
	[KC_AEAD] = { OSSL_OP_CIPHER, kc_base_take_aead, get_aead },
};

typedef void function(void);

bool kc_base_take(void *row, const struct kc_base_place *places, size_t n,
		  const OSSL_DISPATCH *theirs)
{
	for (size_t i = 0; i < n; i++) {
		const OSSL_DISPATCH *d = theirs;

		while (d->function_id && d->function_id != places[i].id)
			d++;
		if (!d->function_id && !places[i].is_optional)
			return false;
		if (d->function_id)
			*(function **)((char *)row + places[i].offset) = d->function;
	}
	return true;
}

static void take_row(const struct kc_alg *alg)
{
	void *provctx = OSSL_PROVIDER_get0_provider_ctx(provider);
	const OSSL_ALGORITHM *theirs;
	int no_cache = 0;

	names[alg - kc_algs] = NULL;
	theirs = OSSL_PROVIDER_query_operation(provider, kinds[alg->kind].operation, &no_cache);
	while (theirs && theirs->algorithm_names &&
	       !kc_names_share(alg->names, theirs->algorithm_names))
		theirs++;
	if (theirs && theirs->algorithm_names && kinds[alg->kind].take(alg, theirs, provctx))
		names[alg - kc_algs] = theirs->algorithm_names;
}

static void shut(void)
{
	OSSL_PROVIDER_unload(provider);
	OSSL_LIB_CTX_free(private_ctx);
	provider = NULL;
	private_ctx = NULL;
}

static int open_private(void)
{
	private_ctx = OSSL_LIB_CTX_new();
	if (private_ctx)
		provider = OSSL_PROVIDER_load(private_ctx, "default");
	if (!provider) {
		shut();
		return 0;
	}
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		take_row(&kc_algs[i]);
	return 1;
}

int kc_base_open(void)
{
	int ok;

	ERR_set_mark();
	pthread_mutex_lock(&lock);
	ok = users || open_private();
	users += (unsigned)ok;
	pthread_mutex_unlock(&lock);
	ERR_pop_to_mark();
	return ok;
}

void kc_base_close(void)
{
	pthread_mutex_lock(&lock);
	if (users && --users == 0)
		shut();
	pthread_mutex_unlock(&lock);
}

const char *kc_base_names(const struct kc_alg *alg)
{
	return names[alg - kc_algs];
}

const struct kc_base *kc_base_get(const struct kc_alg *alg)
{
	return kc_base_names(alg) ? kinds[alg->kind].get(alg) : NULL;
}
