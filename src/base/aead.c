/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider's AEADs, as the core sees them. What is asked of a base here beside what an
 * application asks, leads to the state in which its own work would have left it: each step was
 * read in 3.0, 3.5 and 4.0, and the differential program compares.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "base/aead.h"
#include "base/take.h"

static struct kc_base_aead aeads[KC_ALG_COUNT]; /* only an AEAD's places are used */

const struct kc_base_aead *kc_base_aead(const struct kc_alg *alg)
{
	return &aeads[alg - kc_algs];
}

/* The first member's address is that of the whole. */
static const struct kc_base_aead *outer(const struct kc_aead_base *base)
{
	return (const struct kc_base_aead *)base;
}

static void *base_newctx(const struct kc_base *base)
{
	const struct kc_base_aead *a = kc_base_aead(base->alg);

	return a->newctx(a->provctx);
}

int kc_aead_turn(const struct kc_aead_base *base, void *ctx, enum kc_dir dir)
{
	return (dir == KC_ENCRYPT ? outer(base)->encrypt_init :
				    outer(base)->decrypt_init)(ctx, NULL, 0, NULL, 0, NULL);
}

int kc_aead_set_bytes(const struct kc_aead_base *base, void *ctx, const char *key,
		      const uint8_t *bytes, size_t len)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(key, (void *)(uintptr_t)bytes, len),
		OSSL_PARAM_construct_end(),
	};

	return outer(base)->set_ctx_params(ctx, params);
}

int kc_aead_get_bytes(const struct kc_aead_base *base, void *ctx, const char *key, uint8_t *bytes,
		      size_t *len)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(key, bytes, *len),
		OSSL_PARAM_construct_end(),
	};
	int ok = outer(base)->get_ctx_params(ctx, params);

	*len = params[0].return_size;
	return ok;
}

static int base_lengths(const struct kc_aead_base *base, void *ctx, struct kc_lengths *lengths)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &lengths->nonce),
		OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, &lengths->tag),
		OSSL_PARAM_construct_end(),
	};

	return outer(base)->get_ctx_params(ctx, params);
}

static int base_said_tag(const struct kc_aead_base *base, void *ctx, uint8_t *tag)
{
	size_t len = KC_MAX_TAG;

	return kc_aead_get_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TAG, tag, &len);
}

/* Lengths first: CCM's count in the moment in which the key is set. */
static int whole_start(const struct kc_aead_base *base, void *ctx, const struct kc_key *key,
		       const struct kc_req *req)
{
	const struct kc_alg *alg = base->common.alg;
	const uint8_t *nonce = req->iv;
	size_t nonce_len = alg->nonce_len;
	uint8_t *tag = req->dir == KC_DECRYPT ? req->tag : NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, &nonce_len),
		OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, key->tag_len),
		OSSL_PARAM_construct_end(),
	};

	if (!nonce_len) {
		nonce_len = alg->iv_len - 2u - req->iv[0];
		nonce++;
	}
	/* Encrypting, only CCM takes the length of a tag. */
	if (!tag && alg->stream)
		params[1] = OSSL_PARAM_construct_end();
	return kc_aead_turn(base, ctx, req->dir) && outer(base)->set_ctx_params(ctx, params) &&
	       (req->dir == KC_ENCRYPT ? outer(base)->encrypt_init : outer(base)->decrypt_init)(
		       ctx, key->bytes, alg->key_len, nonce, nonce_len, NULL);
}

static int whole(const struct kc_aead_base *base, void *ctx, const struct kc_key *key,
		 const struct kc_req *req)
{
	bool declares = !base->common.alg->stream;
	size_t n = 0, tag_len = key->tag_len;

	if (!whole_start(base, ctx, key, req))
		return 0;
	if (declares && !base->update(ctx, NULL, &n, req->len, NULL, req->len))
		return 0;
	if (req->aad_len && !base->update(ctx, NULL, &n, req->aad_len, req->aad, req->aad_len))
		return 0;
	if (!base->update(ctx, req->out, &n, req->len, req->in, req->len) || n != req->len ||
	    !base->final(ctx, req->out, &n, 0))
		return 0;
	return req->dir == KC_DECRYPT ||
	       kc_aead_get_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TAG, req->tag, &tag_len);
}

static int base_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		      const struct kc_req *req)
{
	int ok;

	ERR_set_mark();
	ok = whole((const struct kc_aead_base *)base, ctx, key, req);
	ERR_pop_to_mark();
	return ok;
}

#define PLACE(id, member)                                                                          \
	{                                                                                          \
		(id), (id) == OSSL_FUNC_CIPHER_DUPCTX, offsetof(struct kc_base_aead, member)       \
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

bool kc_base_take_aead(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs, void *provctx)
{
	struct kc_base_aead *a = &aeads[alg - kc_algs];
	const struct kc_aead_family *family = &kc_aead_families[alg->family];

	memset(a, 0, sizeof(*a));
	if (!kc_base_take(a, places, sizeof(places) / sizeof(places[0]), theirs->implementation))
		return false;
	a->provctx = provctx;
	a->core.common.alg = alg;
	a->core.common.newctx = base_newctx;
	a->core.common.whole = base_whole;
	a->core.lengths = base_lengths;
	a->core.said_tag = base_said_tag;
	a->core.takes_tags = family->takes_tags;
	a->core.close = family->close;
	a->core.record_nonce = family->record_nonce;
	a->core.record_done = family->record_done;
	return true;
}
