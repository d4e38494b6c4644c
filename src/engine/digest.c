/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ENGINE's digests. A context's data are the built-in implementation's own, followed by a
 * pointer to a struct kc_hash. EVP wipes the data after each message, so the struct is made for
 * each message; its session waits for the next one (session/session.c).
 */
#include "base/method.h"
#include "request/counted.h"
#include "request/hash.h"
#include "stats/stats.h"
#include "engine/engine.h"

/* Follows the implementation's data. All zeros before an init. */
struct digest_data {
	const struct kc_method *method;
	struct kc_hash *hash; /* of one message; NULL: only software */
};

static struct digest_data *digest_data_of(const EVP_MD_CTX *ctx)
{
	char *data = EVP_MD_CTX_md_data(ctx);

	if (!data)
		return NULL;
	return (struct digest_data *)(void *)(data + kc_method_room[KC_DIGEST]);
}

static struct kc_hash *new_hash(const struct kc_method *method, EVP_MD_CTX *ctx)
{
	struct kc_candidate *first = kc_engine_candidates(method->base.alg);
	const struct kc_base *base = &method->base;
	struct kc_hash *h;

	if (!first)
		return NULL;
	h = kc_hash_new(base, first, base->newctx(base));
	if (h)
		((struct kc_method_digest_ctx *)h->base_ctx)->ctx = ctx;
	return h;
}

/* Looks the digest up by its id, because the context's EVP_MD may not be this engine's. */
static int digest_init(EVP_MD_CTX *ctx)
{
	struct digest_data *o = digest_data_of(ctx);

	if (o && !o->method)
		o->method = kc_method_find(KC_DIGEST, EVP_MD_type(EVP_MD_CTX_md(ctx)));
	if (!o || !o->method || o->method->d.init(ctx) <= 0)
		return 0;
	if (!o->hash)
		o->hash = new_hash(o->method, ctx);
	if (o->hash)
		kc_hash_started(o->hash, true);
	return 1;
}

static int digest_update(EVP_MD_CTX *ctx, const void *in, size_t len)
{
	struct digest_data *o = digest_data_of(ctx);

	if (!o || !o->method)
		return 0;
	if (!o->hash)
		return o->method->d.update(ctx, in, len);
	if (kc_stats_is_on())
		return kc_counted_hash_update(o->hash, in, len);
	return kc_hash_update(o->hash, in, len);
}

static int digest_final(EVP_MD_CTX *ctx, unsigned char *out)
{
	struct digest_data *o = digest_data_of(ctx);
	size_t n = 0;

	if (!o || !o->method)
		return 0;
	if (!o->hash)
		return o->method->d.final(ctx, out);
	if (kc_stats_is_on())
		return kc_counted_hash_final(o->hash, out, &n, o->method->base.alg->out_len);
	return kc_hash_final(o->hash, out, &n, o->method->base.alg->out_len);
}

static int digest_copy(EVP_MD_CTX *to, const EVP_MD_CTX *from)
{
	struct digest_data *o = digest_data_of(to);
	struct kc_hash *original;

	if (!o || !o->method)
		return 1;
	original = o->hash;
	o->hash = NULL;
	if (o->method->d.copy && !o->method->d.copy(to, from))
		return 0;
	if (!original)
		return 1;
	o->hash = new_hash(o->method, to);
	if (!o->hash)
		return 0;
	kc_hash_copy(o->hash, original);
	return 1;
}

static int digest_ctrl(EVP_MD_CTX *ctx, int type, int arg, void *ptr)
{
	struct digest_data *o = digest_data_of(ctx);

	if (!o || !o->method || !o->method->d.ctrl)
		return 0;
	if (o->hash && !kc_hash_catch_up(o->hash))
		return 0;
	return o->method->d.ctrl(ctx, type, arg, ptr);
}

/* Called after each message, and at the context's end. */
static int digest_cleanup(EVP_MD_CTX *ctx)
{
	struct digest_data *o = digest_data_of(ctx);

	if (!o || !o->method)
		return 1;
	kc_hash_free(o->hash);
	o->hash = NULL;
	if (!o->method->d.cleanup)
		return 1;
	return o->method->d.cleanup(ctx);
}

EVP_MD *kc_engine_make_digest(const struct kc_method *m)
{
	static const struct kc_digest_functions f = { digest_init, digest_update,  digest_final,
						      digest_copy, digest_cleanup, digest_ctrl };

	return kc_method_copy_digest(m->their_digest, m->nid, EVP_MD_pkey_type(m->their_digest),
				     (int)(kc_method_room[KC_DIGEST] + sizeof(struct digest_data)),
				     &f);
}
