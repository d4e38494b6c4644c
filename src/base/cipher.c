/* SPDX-License-Identifier: Apache-2.0 */
/* The default provider's plain ciphers, as the core sees them. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "base/base.h"
#include "base/kinds.h"

static struct kc_base_cipher ciphers[KC_ALG_COUNT]; /* only a cipher's places are used */

const struct kc_base_cipher *kc_base_cipher(const struct kc_alg *alg)
{
	return &ciphers[alg - kc_algs];
}

/* The first member's address is that of the whole. */
static const struct kc_base_cipher *outer(const struct kc_cipher_base *base)
{
	return (const struct kc_base_cipher *)base;
}

static void *base_newctx(const struct kc_base *base)
{
	const struct kc_base_cipher *c = kc_base_cipher(base->alg);

	return c->newctx(c->provctx);
}

static int base_init(const struct kc_cipher_base *base, void *ctx, enum kc_dir dir,
		     const uint8_t *key, const uint8_t *iv)
{
	OSSL_FUNC_cipher_encrypt_init_fn *init =
		dir == KC_ENCRYPT ? outer(base)->encrypt_init : outer(base)->decrypt_init;

	return init(ctx, key, key ? base->common.alg->key_len : 0, iv,
		    iv ? base->common.alg->iv_len : 0, NULL);
}

/* Asks for no more than the row can have: each question is a walk through all known names. */
static int base_place(const struct kc_cipher_base *base, void *ctx, struct kc_place *place)
{
	unsigned number = 0;
	void *iv = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_uint(base->common.alg->stream ? OSSL_CIPHER_PARAM_NUM :
							   OSSL_CIPHER_PARAM_PADDING,
				&number),
		OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_UPDATED_IV, &iv, 0),
		OSSL_PARAM_END,
	};

	if (!base->common.alg->iv_len)
		params[1].key = NULL;
	if (!outer(base)->get_ctx_params(ctx, params) || (base->common.alg->iv_len && !iv))
		return 0;
	place->iv = iv;
	place->num = base->common.alg->stream ? number : 0;
	place->padding = !base->common.alg->stream && number;
	return place->num < base->common.alg->block_len;
}

static int base_set_padding(const struct kc_cipher_base *base, void *ctx, bool on)
{
	unsigned padding = on;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
		OSSL_PARAM_END,
	};

	return outer(base)->set_ctx_params(ctx, params);
}

static int base_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		      const struct kc_req *req)
{
	const struct kc_cipher_base *c = (const struct kc_cipher_base *)base;
	size_t n = 0;

	return base_init(c, ctx, req->dir, key->bytes, base->alg->iv_len ? req->iv : NULL) &&
	       base_set_padding(c, ctx, false) &&
	       c->update(ctx, req->out, &n, req->len, req->in, req->len) && n == req->len;
}

#define PLACE(id, member)                                                                          \
	{                                                                                          \
		(id), false, offsetof(struct kc_base_cipher, member)                               \
	}

static const struct kc_base_place places[] = {
	PLACE(OSSL_FUNC_CIPHER_NEWCTX, newctx),
	PLACE(OSSL_FUNC_CIPHER_FREECTX, core.common.freectx),
	PLACE(OSSL_FUNC_CIPHER_DUPCTX, core.common.dupctx),
	PLACE(OSSL_FUNC_CIPHER_ENCRYPT_INIT, encrypt_init),
	PLACE(OSSL_FUNC_CIPHER_DECRYPT_INIT, decrypt_init),
	PLACE(OSSL_FUNC_CIPHER_UPDATE, core.update),
	PLACE(OSSL_FUNC_CIPHER_FINAL, core.final),
	PLACE(OSSL_FUNC_CIPHER_CIPHER, core.oneshot),
	PLACE(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_ctx_params),
	PLACE(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_ctx_params),
};

bool kc_base_take_cipher(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs, void *provctx)
{
	struct kc_base_cipher *c = &ciphers[alg - kc_algs];

	memset(c, 0, sizeof(*c));
	if (!kc_base_take(c, places, sizeof(places) / sizeof(places[0]), theirs->implementation))
		return false;
	c->provctx = provctx;
	c->core.common.alg = alg;
	c->core.common.newctx = base_newctx;
	c->core.common.whole = base_whole;
	c->core.init = base_init;
	c->core.place = base_place;
	c->core.set_padding = base_set_padding;
	return true;
}
