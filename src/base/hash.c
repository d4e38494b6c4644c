/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider's digests and MACs, as the core sees them. A MAC is one implementation,
 * which gets its digest or cipher as a parameter: the rows of a MAC share its functions.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "base/base.h"

/* Only MACs with a cipher inside have a key of fixed length. */
static int init(const struct kc_base_row *row, void *ctx, const struct kc_key *key)
{
	const struct kc_alg *alg = row->base.alg;
	char *inner = (char *)(uintptr_t)kc_alg_name(&kc_algs[alg->inner]);
	const OSSL_PARAM params[] = {
		OSSL_PARAM_utf8_string(alg->key_len ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST,
				       inner, strlen(inner)),
		OSSL_PARAM_END,
	};

	return alg->kind == KC_MAC ? row->mac_init(ctx, key->bytes, key->len, params) :
				     row->digest_init(ctx, NULL);
}

static int base_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		      const struct kc_req *req)
{
	const struct kc_base_row *row = kc_base_outer(base);
	size_t n = 0;

	return init(row, ctx, key) && row->base.hash_update(ctx, req->in, req->len) &&
	       row->base.final(ctx, req->tag, &n, base->alg->out_len) && n == base->alg->out_len;
}

void *kc_base_mac_provctx(const struct kc_base *base, const OSSL_PROVIDER *provider)
{
	const OSSL_ALGORITHM *theirs = kc_base_outer(base)->theirs, *a;
	int no_cache = 0;

	a = OSSL_PROVIDER_query_operation(provider, OSSL_OP_MAC, &no_cache);
	for (; a && a->algorithm_names; a++)
		if (a->implementation == theirs->implementation)
			return OSSL_PROVIDER_get0_provider_ctx(provider);
	return NULL;
}

void kc_base_fill_hash(struct kc_base_row *row)
{
	row->base.whole = base_whole;
}
