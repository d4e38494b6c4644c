/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the default provider privately and takes its functions, one row at a time. */
#include "base/base.h"

#include <pthread.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/provider.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static unsigned users;
static OSSL_LIB_CTX *private_ctx;
static OSSL_PROVIDER *provider;
static struct kc_base_cipher ciphers[KC_ALG_COUNT]; /* read without the lock while in use */

static const struct kc_base_cipher *outer(const struct kc_base *base)
{
	return (const struct kc_base_cipher *)base;
}

static void *base_newctx(const struct kc_base *base)
{
	return outer(base)->newctx(outer(base)->provctx);
}

static int base_init(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *key,
		     const uint8_t *iv)
{
	OSSL_FUNC_cipher_encrypt_init_fn *init =
		dir == KC_ENCRYPT ? outer(base)->encrypt_init : outer(base)->decrypt_init;

	return init(ctx, key, key ? base->alg->key_len : 0, iv, iv ? base->alg->iv_len : 0, NULL);
}

/*
 * Asks for no more than the row can have: each question is a walk through all known names. The IV
 * by pointer: 3.5 leaves an error in the queue where it is asked to copy one.
 */
static int base_place(const struct kc_base *base, void *ctx, struct kc_place *place)
{
	unsigned number = 0;
	void *iv = NULL;
	OSSL_PARAM params[] = {
		base->alg->stream ? OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &number) :
				    OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &number),
		OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_UPDATED_IV, &iv, 0),
		OSSL_PARAM_construct_end(),
	};

	if (!base->alg->iv_len)
		params[1] = OSSL_PARAM_construct_end();
	if (!outer(base)->get_ctx_params(ctx, params) || (base->alg->iv_len && !iv))
		return 0;
	if (iv)
		memcpy(place->iv, iv, base->alg->iv_len);
	place->num = base->alg->stream ? number : 0;
	place->padding = !base->alg->stream && number;
	return place->num < base->alg->block_len;
}

static int base_set_padding(const struct kc_base *base, void *ctx, bool on)
{
	unsigned padding = on;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
		OSSL_PARAM_construct_end(),
	};

	return outer(base)->set_ctx_params(ctx, params);
}

typedef void function(void);

/* Where each function of theirs goes. A row is offered only if the base has all of them. */
static const struct {
	int id;
	size_t offset;
} places[] = {
	{ OSSL_FUNC_CIPHER_NEWCTX, offsetof(struct kc_base_cipher, newctx) },
	{ OSSL_FUNC_CIPHER_FREECTX, offsetof(struct kc_base_cipher, core.freectx) },
	{ OSSL_FUNC_CIPHER_DUPCTX, offsetof(struct kc_base_cipher, core.dupctx) },
	{ OSSL_FUNC_CIPHER_ENCRYPT_INIT, offsetof(struct kc_base_cipher, encrypt_init) },
	{ OSSL_FUNC_CIPHER_DECRYPT_INIT, offsetof(struct kc_base_cipher, decrypt_init) },
	{ OSSL_FUNC_CIPHER_UPDATE, offsetof(struct kc_base_cipher, core.update) },
	{ OSSL_FUNC_CIPHER_FINAL, offsetof(struct kc_base_cipher, core.final) },
	{ OSSL_FUNC_CIPHER_CIPHER, offsetof(struct kc_base_cipher, core.oneshot) },
	{ OSSL_FUNC_CIPHER_GET_PARAMS, offsetof(struct kc_base_cipher, get_params) },
	{ OSSL_FUNC_CIPHER_GET_CTX_PARAMS, offsetof(struct kc_base_cipher, get_ctx_params) },
	{ OSSL_FUNC_CIPHER_SET_CTX_PARAMS, offsetof(struct kc_base_cipher, set_ctx_params) },
	{ OSSL_FUNC_CIPHER_GETTABLE_PARAMS, offsetof(struct kc_base_cipher, gettable_params) },
	{ OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS,
	  offsetof(struct kc_base_cipher, gettable_ctx_params) },
	{ OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS,
	  offsetof(struct kc_base_cipher, settable_ctx_params) },
};

static bool take_functions(struct kc_base_cipher *c, const OSSL_DISPATCH *theirs)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const OSSL_DISPATCH *d = theirs;

		while (d->function_id && d->function_id != places[i].id)
			d++;
		if (!d->function_id)
			return false;
		*(function **)((char *)c + places[i].offset) = d->function;
	}
	return true;
}

static void take_row(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs)
{
	struct kc_base_cipher *c = &ciphers[alg - kc_algs];

	memset(c, 0, sizeof(*c));
	for (; theirs->algorithm_names; theirs++)
		if (kc_names_share(alg->names, theirs->algorithm_names))
			break;
	if (!theirs->algorithm_names)
		return;
	if (!take_functions(c, theirs->implementation))
		return;
	c->names = theirs->algorithm_names;
	c->provctx = OSSL_PROVIDER_get0_provider_ctx(provider);
	c->core.newctx = base_newctx;
	c->core.init = base_init;
	c->core.place = base_place;
	c->core.set_padding = base_set_padding;
	c->core.alg = alg;
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
	const OSSL_ALGORITHM *theirs = NULL;
	int no_cache = 0;

	private_ctx = OSSL_LIB_CTX_new();
	if (private_ctx)
		provider = OSSL_PROVIDER_load(private_ctx, "default");
	if (provider)
		theirs = OSSL_PROVIDER_query_operation(provider, OSSL_OP_CIPHER, &no_cache);
	if (!theirs) {
		shut();
		return 0;
	}
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		take_row(&kc_algs[i], theirs);
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

const struct kc_base_cipher *kc_base_cipher(const struct kc_alg *alg)
{
	const struct kc_base_cipher *c = &ciphers[alg - kc_algs];

	return c->names ? c : NULL;
}

const struct kc_base *kc_base_get(const struct kc_alg *alg)
{
	const struct kc_base_cipher *c = kc_base_cipher(alg);

	return c ? &c->core : NULL;
}
