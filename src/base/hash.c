/* SPDX-License-Identifier: Apache-2.0 */
/* The default provider's digests, as the core sees them. */
#include "base/base.h"

static int base_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		      const struct kc_req *req)
{
	size_t n = 0;

	(void)key;
	return kc_base_outer(base)->digest_init(ctx, NULL) &&
	       base->hash_update(ctx, req->in, req->len) &&
	       base->final(ctx, req->tag, &n, base->alg->out_len) && n == base->alg->out_len;
}

void kc_base_fill_hash(struct kc_base_row *row)
{
	row->base.whole = base_whole;
}
