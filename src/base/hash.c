/* SPDX-License-Identifier: Apache-2.0 */
/* The default provider's digests, as the core sees them. */
#include "base/base.h"

/* From a midstate to another. */
static int blocks(const struct kc_base *base, void *ctx, const struct kc_req *req)
{
	unsigned part = 0;

	return kc_base_outer(base)->digest_init(ctx, NULL) &&
	       kc_base_advance(base, ctx, req->iv, base->alg->block_len) &&
	       base->hash_update(ctx, req->in, req->len) &&
	       kc_base_midstate(base, ctx, req->tag, &part) && part == 0;
}

static int base_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		      const struct kc_req *req)
{
	size_t n = 0;

	if (key->is_blocks)
		return blocks(base, ctx, req);
	return kc_base_outer(base)->digest_init(ctx, NULL) &&
	       base->hash_update(ctx, req->in, req->len) &&
	       base->final(ctx, req->tag, &n, base->alg->out_len) && n == base->alg->out_len;
}

void kc_base_fill_hash(struct kc_base_row *row)
{
	row->base.whole = base_whole;
	if (!row->base.alg->state_len)
		return;
	row->base.midstate = kc_base_midstate;
	row->base.advance = kc_base_advance;
}
