/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The digests' dispatch tables, as rows.c makes those of the ciphers. What the base does not have
 * is left out: OpenSSL asks for it where it is there.
 */
#include "base/base.h"
#include "core/hash.h"
#include "provider/digest.h"
#include "provider/provider.h"

static const struct kc_base_digest *base_of(enum kc_alg_id id)
{
	return kc_base_digest(&kc_algs[id]);
}

static void *newctx(struct kc_provider *provider, enum kc_alg_id id)
{
	const struct kc_base_digest *base = base_of(id);

	return kc_hash_new(&base->core, provider->policy.row[id], base->newctx(base->provctx));
}

static void *base_ctx(void *ctx)
{
	return ctx ? ((struct kc_hash *)ctx)->base_ctx : NULL;
}

#define KC_ROW(id, ...)                                                                            \
	static void *newctx_##id(void *provctx)                                                    \
	{                                                                                          \
		return newctx(provctx, KC_ALG_##id);                                               \
	}                                                                                          \
	static int get_params_##id(OSSL_PARAM params[])                                            \
	{                                                                                          \
		return base_of(KC_ALG_##id)->get_params(params);                                   \
	}                                                                                          \
	static const OSSL_PARAM *gettable_##id(void *provctx)                                      \
	{                                                                                          \
		(void)provctx;                                                                     \
		return base_of(KC_ALG_##id)->gettable_params(base_of(KC_ALG_##id)->provctx);       \
	}                                                                                          \
	static const OSSL_PARAM *gettable_ctx_##id(void *ctx, void *provctx)                       \
	{                                                                                          \
		(void)provctx;                                                                     \
		return base_of(KC_ALG_##id)                                                        \
			->gettable_ctx_params(base_ctx(ctx), base_of(KC_ALG_##id)->provctx);       \
	}                                                                                          \
	static const OSSL_PARAM *settable_ctx_##id(void *ctx, void *provctx)                       \
	{                                                                                          \
		(void)provctx;                                                                     \
		return base_of(KC_ALG_##id)                                                        \
			->settable_ctx_params(base_ctx(ctx), base_of(KC_ALG_##id)->provctx);       \
	}
#include "core/digests.def"
#undef KC_ROW

/* Checks the type that the generic pointer of a dispatch table hides. */
#define FUNCTION(id, type, f)                                                                      \
	{                                                                                          \
		(id), (void (*)(void))(1 ? (f) : (OSSL_FUNC_digest_##type##_fn *)0)                \
	}

#define FUNCTIONS 16 /* with the end */

#define KC_ROW(id, ...)                                                                            \
	static OSSL_DISPATCH dispatch_##id[FUNCTIONS] = {                                          \
		FUNCTION(OSSL_FUNC_DIGEST_NEWCTX, newctx, newctx_##id),                            \
		FUNCTION(OSSL_FUNC_DIGEST_FREECTX, freectx, kc_ossl_digest_freectx),               \
		FUNCTION(OSSL_FUNC_DIGEST_DUPCTX, dupctx, kc_ossl_digest_dupctx),                  \
		FUNCTION(OSSL_FUNC_DIGEST_INIT, init, kc_ossl_digest_init),                        \
		FUNCTION(OSSL_FUNC_DIGEST_UPDATE, update, kc_hash_update),                         \
		FUNCTION(OSSL_FUNC_DIGEST_FINAL, final, kc_hash_final),                            \
		FUNCTION(OSSL_FUNC_DIGEST_GET_PARAMS, get_params, get_params_##id),                \
		FUNCTION(OSSL_FUNC_DIGEST_GETTABLE_PARAMS, gettable_params, gettable_##id),        \
		FUNCTION(OSSL_FUNC_DIGEST_GET_CTX_PARAMS, get_ctx_params,                          \
			 kc_ossl_digest_get_ctx_params),                                           \
		FUNCTION(OSSL_FUNC_DIGEST_SET_CTX_PARAMS, set_ctx_params,                          \
			 kc_ossl_digest_set_ctx_params),                                           \
		FUNCTION(OSSL_FUNC_DIGEST_GETTABLE_CTX_PARAMS, gettable_ctx_params,                \
			 gettable_ctx_##id),                                                       \
		FUNCTION(OSSL_FUNC_DIGEST_SETTABLE_CTX_PARAMS, settable_ctx_params,                \
			 settable_ctx_##id),                                                       \
		FUNCTION(OSSL_FUNC_DIGEST_COPYCTX, copyctx, kc_ossl_digest_copyctx),               \
		FUNCTION(OSSL_FUNC_DIGEST_SERIALIZE, serialize, kc_ossl_digest_serialize),         \
		FUNCTION(OSSL_FUNC_DIGEST_DESERIALIZE, deserialize, kc_ossl_digest_deserialize),   \
	};
#include "core/digests.def"
#undef KC_ROW

const OSSL_DISPATCH *const kc_ossl_digests[KC_ALG_COUNT] = {
#define KC_ROW(id, ...) [KC_ALG_##id] = dispatch_##id,
#include "core/digests.def"
#undef KC_ROW
};

/* Once for each row, when the base has it: legacy's come when a provider wants them. */
static void leave_out(OSSL_DISPATCH *ours, const struct kc_alg *alg)
{
	static bool is_done[KC_ALG_COUNT];
	OSSL_DISPATCH *to = ours;

	if (is_done[alg - kc_algs] || !kc_base_names(alg))
		return;
	for (; ours->function_id; ours++)
		if (kc_base_has(alg, ours->function_id))
			*to++ = *ours;
	to->function_id = 0;
	is_done[alg - kc_algs] = true;
}

void kc_ossl_prepare_digests(void)
{
#define KC_ROW(id, ...) leave_out(dispatch_##id, &kc_algs[KC_ALG_##id]);
#include "core/digests.def"
#undef KC_ROW
}
