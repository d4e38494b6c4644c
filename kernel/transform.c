// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transforms, which only a task makes and frees. They are made by the exact name of a driver that
 * was registered and tested a moment ago: with this type and mask the crypto API asks for no module
 * if the driver has gone since.
 */
#include "kcrypto.h"

#define KCRYPTO_TYPE CRYPTO_ALG_TESTED
#define KCRYPTO_MASK (CRYPTO_ALG_TESTED | CRYPTO_NOLOAD)

static int kcrypto_make_cipher(struct kcrypto_transform *tfm, const struct kcrypto_session *session,
			       const struct kcrypto_setup *setup)
{
	struct crypto_skcipher *new =
		crypto_alloc_skcipher(setup->driver, KCRYPTO_TYPE, KCRYPTO_MASK);

	if (IS_ERR(new))
		return PTR_ERR(new);
	tfm->skcipher = new;
	tfm->base = crypto_skcipher_tfm(new);
	if (crypto_skcipher_ivsize(new) != session->alg->iv_len)
		return -EINVAL;
	return crypto_skcipher_setkey(new, setup->key, setup->key_len);
}

static int kcrypto_make_aead(struct kcrypto_transform *tfm, const struct kcrypto_session *session,
			     const struct kcrypto_setup *setup)
{
	struct crypto_aead *new = crypto_alloc_aead(setup->driver, KCRYPTO_TYPE, KCRYPTO_MASK);
	int err;

	if (IS_ERR(new))
		return PTR_ERR(new);
	tfm->aead = new;
	tfm->base = crypto_aead_tfm(new);
	if (crypto_aead_ivsize(new) != session->alg->iv_len)
		return -EINVAL;
	err = crypto_aead_setkey(new, setup->key, setup->key_len);
	if (err)
		return err;
	return crypto_aead_setauthsize(new, session->tag_len);
}

static int kcrypto_make_hash(struct kcrypto_transform *tfm, const struct kcrypto_session *session,
			     const struct kcrypto_setup *setup)
{
	struct crypto_ahash *new = crypto_alloc_ahash(setup->driver, KCRYPTO_TYPE, KCRYPTO_MASK);

	if (IS_ERR(new))
		return PTR_ERR(new);
	tfm->ahash = new;
	tfm->base = crypto_ahash_tfm(new);
	if (session->alg->kind == KCRYPTO_BLOCKS)
		return 0;
	if (crypto_ahash_digestsize(new) != session->alg->out_len)
		return -EINVAL;
	if (session->alg->kind == KCRYPTO_DIGEST)
		return 0;
	return crypto_ahash_setkey(new, setup->key, setup->key_len);
}

/**
 * kcrypto_transform_make() - has a driver make a transform with a key
 * @tfm: gets it
 * @session: has an algorithm and the tag's length
 * @setup: driver and key
 *
 * Return: 0 or an error, after which there is none.
 */
int kcrypto_transform_make(struct kcrypto_transform *tfm, const struct kcrypto_session *session,
			   const struct kcrypto_setup *setup)
{
	static int (*const makers[])(struct kcrypto_transform *, const struct kcrypto_session *,
				     const struct kcrypto_setup *) = {
		[KCRYPTO_CIPHER] = kcrypto_make_cipher, [KCRYPTO_AEAD] = kcrypto_make_aead,
		[KCRYPTO_DIGEST] = kcrypto_make_hash, [KCRYPTO_MAC] = kcrypto_make_hash,
		[KCRYPTO_BLOCKS] = kcrypto_make_hash,
	};
	int err = makers[session->alg->kind](tfm, session, setup);

	if (err)
		kcrypto_transform_free(tfm);
	return err;
}

void kcrypto_transform_free(struct kcrypto_transform *tfm)
{
	/* As crypto_free_skcipher(), _aead() and _ahash() do. */
	if (tfm->base)
		crypto_destroy_tfm(tfm->skcipher, tfm->base);
	tfm->base = NULL;
}

/* Returns the bytes of a request of the crypto API, with the driver's part and a digest's state. */
unsigned int kcrypto_transform_reqsize(const struct kcrypto_transform *tfm,
				       const struct kcrypto_alg *alg)
{
	switch (alg->kind) {
	case KCRYPTO_CIPHER:
		return sizeof(struct skcipher_request) + crypto_skcipher_reqsize(tfm->skcipher);
	case KCRYPTO_AEAD:
		return sizeof(struct aead_request) + crypto_aead_reqsize(tfm->aead);
	case KCRYPTO_BLOCKS:
		return ALIGN(sizeof(struct ahash_request) + crypto_ahash_reqsize(tfm->ahash),
			     sizeof(u64)) +
		       kcrypto_midstate_room(tfm->ahash);
	default:
		return sizeof(struct ahash_request) + crypto_ahash_reqsize(tfm->ahash);
	}
}
