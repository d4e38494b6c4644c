/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's digest functions that are the same for every row: what the base answers, after it has
 * been told of a message that the core keeps. Update and final are the core's own.
 */
#include "provider/digest.h"

#include "base/base.h"
#include "core/hash.h"

static const struct kc_base_digest *base_of(const struct kc_hash *h)
{
	return (const struct kc_base_digest *)h->base;
}

int kc_ossl_digest_init(void *ctx, const OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;

	if (!base_of(h)->init(h->base_ctx, params)) {
		kc_hash_catch_up(h);
		return 0;
	}
	/* A parameter may make it another digest. */
	kc_hash_started(h, !params || !params->key);
	return 1;
}

void kc_ossl_digest_freectx(void *ctx)
{
	kc_hash_free(ctx);
}

void *kc_ossl_digest_dupctx(void *ctx)
{
	return kc_hash_dup(ctx);
}

int kc_ossl_digest_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;

	return kc_hash_catch_up(h) && base_of(h)->get_ctx_params(h->base_ctx, params);
}

int kc_ossl_digest_set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;

	return kc_hash_catch_up(h) && base_of(h)->set_ctx_params(h->base_ctx, params);
}

void kc_ossl_digest_copyctx(void *to, void *from)
{
	kc_hash_copy(to, from, base_of(from)->copyctx);
}

int kc_ossl_digest_serialize(void *ctx, unsigned char *out, size_t *outl)
{
	struct kc_hash *h = ctx;

	return kc_hash_catch_up(h) && base_of(h)->serialize(h->base_ctx, out, outl);
}

int kc_ossl_digest_deserialize(void *ctx, const unsigned char *in, size_t len)
{
	struct kc_hash *h = ctx;

	/* It goes on with another's message, or with its own where that one is refused. */
	return kc_hash_catch_up(h) && base_of(h)->deserialize(h->base_ctx, in, len);
}
