/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider's MACs, as the core sees them. A MAC is one implementation, which is told
 * its digest or cipher by a parameter: rows of one MAC have the same functions.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "base/base.h"
#include "base/kinds.h"

static struct kc_base_mac macs[KC_ALG_COUNT]; /* only a MAC's places are used */

const struct kc_base_mac *kc_base_mac(const struct kc_alg *alg)
{
	return &macs[alg - kc_algs];
}

static void *base_newctx(const struct kc_base *base)
{
	const struct kc_base_mac *m = kc_base_mac(base->alg);

	return m->newctx(m->provctx);
}

/* Only what has a cipher inside has a key of one length. */
static int base_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		      const struct kc_req *req)
{
	const struct kc_base_mac *m = kc_base_mac(base->alg);
	char *inner = (char *)(uintptr_t)base->alg->inner;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_utf8_string(base->alg->key_len ? OSSL_MAC_PARAM_CIPHER :
							    OSSL_MAC_PARAM_DIGEST,
				       inner, strlen(inner)),
		OSSL_PARAM_END,
	};
	size_t n = 0;

	return m->init(ctx, key->bytes, key->len, params) &&
	       m->core.update(ctx, req->in, req->len) &&
	       m->core.final(ctx, req->tag, &n, base->alg->out_len) && n == base->alg->out_len;
}

void *kc_base_mac_provctx(const struct kc_alg *alg, const OSSL_PROVIDER *provider)
{
	const OSSL_ALGORITHM *a;
	int no_cache = 0;

	a = OSSL_PROVIDER_query_operation(provider, OSSL_OP_MAC, &no_cache);
	for (; a && a->algorithm_names; a++)
		if (a->implementation == kc_base_mac(alg)->implementation)
			return OSSL_PROVIDER_get0_provider_ctx(provider);
	return NULL;
}

#define PLACE(id, member)                                                                          \
	{                                                                                          \
		(id), false, offsetof(struct kc_base_mac, member)                                  \
	}

static const struct kc_base_place places[] = {
	PLACE(OSSL_FUNC_MAC_NEWCTX, newctx),
	PLACE(OSSL_FUNC_MAC_FREECTX, core.common.freectx),
	PLACE(OSSL_FUNC_MAC_DUPCTX, core.common.dupctx),
	PLACE(OSSL_FUNC_MAC_INIT, init),
	PLACE(OSSL_FUNC_MAC_UPDATE, core.update),
	PLACE(OSSL_FUNC_MAC_FINAL, core.final),
	PLACE(OSSL_FUNC_MAC_GET_CTX_PARAMS, get_ctx_params),
	PLACE(OSSL_FUNC_MAC_SET_CTX_PARAMS, set_ctx_params),
};

bool kc_base_take_mac(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs, void *provctx)
{
	struct kc_base_mac *m = &macs[alg - kc_algs];

	memset(m, 0, sizeof(*m));
	if (!kc_base_take(m, places, sizeof(places) / sizeof(places[0]), theirs->implementation))
		return false;
	m->implementation = theirs->implementation;
	m->provctx = provctx;
	m->core.common.alg = alg;
	m->core.common.newctx = base_newctx;
	m->core.common.whole = base_whole;
	return true;
}
