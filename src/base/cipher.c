/* SPDX-License-Identifier: Apache-2.0 */
/* The default provider's plain ciphers, as the core sees them. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "base/base.h"

static int base_init(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *key,
		     const uint8_t *iv)
{
	const struct kc_alg *alg = base->alg;

	return kc_base_outer(base)->init[dir](ctx, key, key ? alg->key_len : 0, iv,
					      iv ? alg->iv_len : 0, NULL);
}

/* Asks only for parameters that the row can have: each question walks through all known names. */
static int base_place(const struct kc_base *base, void *ctx, struct kc_place *place)
{
	unsigned number = 0;
	void *iv = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_uint(base->alg->stream ? OSSL_CIPHER_PARAM_NUM :
						    OSSL_CIPHER_PARAM_PADDING,
				&number),
		OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_UPDATED_IV, &iv, 0),
		OSSL_PARAM_END,
	};

	if (!base->alg->iv_len)
		params[1].key = NULL;
	if (!kc_base_outer(base)->get_ctx_params(ctx, params) || (base->alg->iv_len && !iv))
		return 0;
	place->iv = iv;
	place->num = base->alg->stream ? number : 0;
	place->padding = !base->alg->stream && number;
	return place->num < base->alg->block_len;
}

static int base_set_padding(const struct kc_base *base, void *ctx, bool on)
{
	unsigned padding = on;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
		OSSL_PARAM_END,
	};

	return kc_base_outer(base)->set_ctx_params(ctx, params);
}

static int base_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		      const struct kc_req *req)
{
	size_t n = 0;

	return base_init(base, ctx, req->dir, key->bytes, base->alg->iv_len ? req->iv : NULL) &&
	       base_set_padding(base, ctx, false) &&
	       base->update(ctx, req->out, &n, req->len, req->in, req->len) && n == req->len;
}

void kc_base_fill_cipher(struct kc_base_row *row)
{
	row->base.whole = base_whole;
	row->base.init = base_init;
	row->base.place = base_place;
	row->base.set_padding = base_set_padding;
}
