/* SPDX-License-Identifier: Apache-2.0 */
/* The default provider's digests, as the core sees them. */
#include <string.h>

#include "base/base.h"
#include "base/kinds.h"

static struct kc_base_digest digests[KC_ALG_COUNT]; /* only a digest's places are used */

const struct kc_base_digest *kc_base_digest(const struct kc_alg *alg)
{
	return &digests[alg - kc_algs];
}

static void *base_newctx(const struct kc_base *base)
{
	const struct kc_base_digest *d = kc_base_digest(base->alg);

	return d->newctx(d->provctx);
}

static int base_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		      const struct kc_req *req)
{
	const struct kc_base_digest *d = kc_base_digest(base->alg);
	size_t n = 0;

	(void)key;
	return d->init(ctx, NULL) && d->core.update(ctx, req->in, req->len) &&
	       d->core.final(ctx, req->tag, &n, base->alg->out_len) && n == base->alg->out_len;
}

#define PLACE(id, optional, member)                                                                \
	{                                                                                          \
		(id), (optional), offsetof(struct kc_base_digest, member)                          \
	}

static const struct kc_base_place places[] = {
	PLACE(OSSL_FUNC_DIGEST_NEWCTX, false, newctx),
	PLACE(OSSL_FUNC_DIGEST_FREECTX, false, core.common.freectx),
	PLACE(OSSL_FUNC_DIGEST_DUPCTX, false, core.common.dupctx),
	PLACE(OSSL_FUNC_DIGEST_INIT, false, init),
	PLACE(OSSL_FUNC_DIGEST_UPDATE, false, core.update),
	PLACE(OSSL_FUNC_DIGEST_FINAL, false, core.final),
	PLACE(OSSL_FUNC_DIGEST_GET_CTX_PARAMS, true, get_ctx_params),
	PLACE(OSSL_FUNC_DIGEST_SET_CTX_PARAMS, true, set_ctx_params),
	PLACE(OSSL_FUNC_DIGEST_COPYCTX, true, copyctx),
	PLACE(OSSL_FUNC_DIGEST_SERIALIZE, true, serialize),
	PLACE(OSSL_FUNC_DIGEST_DESERIALIZE, true, deserialize),
};

bool kc_base_take_digest(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs, void *provctx)
{
	struct kc_base_digest *d = &digests[alg - kc_algs];

	memset(d, 0, sizeof(*d));
	if (!kc_base_take(d, places, sizeof(places) / sizeof(places[0]), theirs->implementation))
		return false;
	d->provctx = provctx;
	d->core.common.alg = alg;
	d->core.common.newctx = base_newctx;
	d->core.common.whole = base_whole;
	return true;
}
