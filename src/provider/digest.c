/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's digest functions that are the same for every row: the base answers, once it has been
 * given a message that the core keeps. Update and final are the core's own.
 */
#include "provider/rows.h"

#include "request/hash.h"

static int init(void *ctx, const OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;

	if (!kc_base_outer(h->base)->digest_init(h->base_ctx, params)) {
		kc_hash_catch_up(h);
		return 0;
	}
	/* A parameter may change it into another digest. */
	kc_hash_started(h, !params || !params->key);
	return 1;
}

int kc_hash_get_ctx_params(void *ctx, OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;

	return kc_base_outer(h->base)->get_ctx_params(h->base_ctx, params);
}

static int set_ctx_params(void *ctx, const OSSL_PARAM params[])
{
	struct kc_hash *h = ctx;

	return kc_hash_catch_up(h) && kc_base_outer(h->base)->set_ctx_params(h->base_ctx, params);
}

static void copyctx(void *to, void *from)
{
	const struct kc_hash *source = from;
	struct kc_hash *copy = to;

	if (to == from)
		return;
	kc_base_outer(source->base)->copyctx(copy->base_ctx, source->base_ctx);
	kc_hash_copy(copy, source);
}

static int serialize(void *ctx, unsigned char *out, size_t *outl)
{
	struct kc_hash *h = ctx;

	return kc_hash_catch_up(h) && kc_base_outer(h->base)->serialize(h->base_ctx, out, outl);
}

static int deserialize(void *ctx, const unsigned char *in, size_t len)
{
	struct kc_hash *h = ctx;

	/* It goes on with another's message, or with its own where that one is refused. */
	return kc_hash_catch_up(h) && kc_base_outer(h->base)->deserialize(h->base_ctx, in, len);
}

void kc_digest_functions(struct kc_table *t)
{
	KC_TABLE_ADD(t, DIGEST_FREECTX, digest_freectx, kc_hash_free);
	KC_TABLE_ADD(t, DIGEST_DUPCTX, digest_dupctx, kc_hash_dup);
	KC_TABLE_ADD(t, DIGEST_INIT, digest_init, init);
	KC_TABLE_ADD_COUNTED(t, DIGEST_UPDATE, digest_update, kc_hash_update,
			     kc_counted_hash_update);
	KC_TABLE_ADD_COUNTED(t, DIGEST_FINAL, digest_final, kc_hash_final, kc_counted_hash_final);
	KC_TABLE_ADD(t, DIGEST_GET_CTX_PARAMS, digest_get_ctx_params, kc_hash_get_ctx_params);
	KC_TABLE_ADD(t, DIGEST_SET_CTX_PARAMS, digest_set_ctx_params, set_ctx_params);
	KC_TABLE_ADD(t, DIGEST_COPYCTX, digest_copyctx, copyctx);
	KC_TABLE_ADD(t, DIGEST_SERIALIZE, digest_serialize, serialize);
	KC_TABLE_ADD(t, DIGEST_DESERIALIZE, digest_deserialize, deserialize);
}
