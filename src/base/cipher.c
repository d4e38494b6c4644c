/* SPDX-License-Identifier: Apache-2.0 */
/* The default provider's plain ciphers for the core. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "base/base.h"

static int base_init(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *key,
		     const uint8_t *iv)
{
	const struct kc_alg *alg = base->alg;
	size_t key_len = key ? alg->key_len : 0, iv_len = iv ? alg->iv_len : 0;

	return kc_base_outer(base)->init[dir](ctx, key, key_len, iv, iv_len, NULL);
}

/* Asks only for parameters that the row can have: each question walks through all known names. */
static int base_place(const struct kc_base *base, void *ctx, struct kc_place *place)
{
	unsigned num = 0, padding = 0;
	void *iv = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
		OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_UPDATED_IV, &iv, 0),
		OSSL_PARAM_END,
	};

	if (base->alg->stream)
		params[0] = (OSSL_PARAM)OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, &num);
	if (!base->alg->iv_len)
		params[1].key = NULL;
	if (!kc_base_outer(base)->get_ctx_params(ctx, params))
		return 0;
	if (base->alg->iv_len && !iv)
		return 0;
	place->iv = iv;
	place->num = num;
	place->padding = padding;
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
	const uint8_t *iv = base->alg->iv_len ? req->iv : NULL;
	size_t n = 0;

	if (!base_init(base, ctx, req->dir, key->bytes, iv))
		return 0;
	if (key->bytes && !base_set_padding(base, ctx, false))
		return 0;
	if (!base->update(ctx, req->out, &n, req->len, req->in, req->len))
		return 0;
	return n == req->len;
}

void kc_base_fill_cipher(struct kc_base_row *row)
{
	row->base.whole = base_whole;
	row->base.init = base_init;
	row->base.place = base_place;
	row->base.set_padding = base_set_padding;
}
