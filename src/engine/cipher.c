/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ciphers as an ENGINE has them. A context's data are the built-in implementation's own, so that
 * its functions find what is theirs, and behind them ours.
 */
#include <string.h>

#include "base/method.h"
#include "core/bulk.h"
#include "engine/engine.h"

#define ALIGNMENT 16

/* The end of a context's data; of zeros before the first key. */
struct ours {
	struct kc_cipher cipher;
	struct kc_method_ctx base;
};

static struct ours *ours_of(const EVP_CIPHER_CTX *ctx)
{
	char *data = EVP_CIPHER_CTX_get_cipher_data(ctx);
	size_t size = (size_t)EVP_CIPHER_impl_ctx_size(EVP_CIPHER_CTX_cipher(ctx));

	return data ? (struct ours *)(void *)(data + size - sizeof(struct ours)) : NULL;
}

static int init(EVP_CIPHER_CTX *ctx, const unsigned char *key, const unsigned char *iv, int enc)
{
	const struct kc_alg *alg = NULL;
	struct kc_engine *engine = kc_engine_owner(EVP_CIPHER_CTX_cipher(ctx), &alg);
	struct ours *o = ours_of(ctx);
	const struct kc_method_cipher *method;
	struct kc_choice *first;
	int ok;

	if (!engine || !o)
		return 0;
	method = kc_method_cipher(alg);
	ok = method->init(ctx, key, iv, enc) > 0;
	o->base = (struct kc_method_ctx){ method, ctx };
	first = kc_engine_ways(engine, alg);
	if (first)
		kc_bulk_set_key(&o->cipher, &method->core, first, enc ? KC_ENCRYPT : KC_DECRYPT,
				key, (size_t)EVP_CIPHER_CTX_key_length(ctx), ok);
	return ok;
}

static int do_cipher(EVP_CIPHER_CTX *ctx, unsigned char *out, const unsigned char *in, size_t len)
{
	struct ours *o = ours_of(ctx);

	/* Without a key the built-in ones crash. */
	if (!o || !o->base.method)
		return 0;
	if (!o->cipher.base)
		return o->base.method->do_cipher(ctx, out, in, len);
	o->base.ctx = ctx;
	return kc_bulk_run(&o->cipher, &o->base,
			   EVP_CIPHER_CTX_encrypting(ctx) ? KC_ENCRYPT : KC_DECRYPT, out, in, len);
}

static int ctrl(EVP_CIPHER_CTX *ctx, int type, int arg, void *ptr)
{
	struct ours *o = ours_of(ctx);
	const struct kc_alg *alg = NULL;
	const struct kc_method_cipher *method;

	if (type == EVP_CTRL_COPY) {
		o = ours_of(ptr);
		if (o)
			kc_bulk_copied(&o->cipher);
		return 1;
	}
	if (!kc_engine_owner(EVP_CIPHER_CTX_cipher(ctx), &alg))
		return -1;
	method = kc_method_cipher(alg);
	return method->ctrl ? method->ctrl(ctx, type, arg, ptr) : -1;
}

static int cleanup(EVP_CIPHER_CTX *ctx)
{
	struct ours *o = ours_of(ctx);
	int (*theirs)(EVP_CIPHER_CTX * ctx) = o && o->base.method ? o->base.method->cleanup : NULL;

	if (o)
		kc_bulk_end(&o->cipher);
	return theirs ? theirs(ctx) : 1;
}

static EVP_CIPHER *make(const struct kc_method_cipher *m)
{
	const EVP_CIPHER *c = m->theirs;
	EVP_CIPHER *ours = EVP_CIPHER_meth_new(EVP_CIPHER_nid(c), EVP_CIPHER_block_size(c),
					       EVP_CIPHER_key_length(c));
	int theirs = (EVP_CIPHER_impl_ctx_size(c) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

	if (ours && EVP_CIPHER_meth_set_iv_length(ours, EVP_CIPHER_iv_length(c)) &&
	    EVP_CIPHER_meth_set_flags(ours, EVP_CIPHER_flags(c) | EVP_CIPH_CUSTOM_COPY) &&
	    EVP_CIPHER_meth_set_impl_ctx_size(ours, theirs + (int)sizeof(struct ours)) &&
	    EVP_CIPHER_meth_set_init(ours, init) &&
	    EVP_CIPHER_meth_set_do_cipher(ours, do_cipher) &&
	    EVP_CIPHER_meth_set_cleanup(ours, cleanup) && EVP_CIPHER_meth_set_ctrl(ours, ctrl) &&
	    EVP_CIPHER_meth_set_set_asn1_params(ours, EVP_CIPHER_meth_get_set_asn1_params(c)) &&
	    EVP_CIPHER_meth_set_get_asn1_params(ours, EVP_CIPHER_meth_get_get_asn1_params(c)))
		return ours;
	EVP_CIPHER_meth_free(ours);
	return NULL;
}

void kc_engine_make_ciphers(EVP_CIPHER *ciphers[KC_ALG_COUNT])
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_method_cipher *m = kc_method_cipher(&kc_algs[i]);

		ciphers[i] = m ? make(m) : NULL;
	}
}

/*
 * A list of what is offered, or one cipher. That one is given also where the kernel has nothing for
 * it: who asks for it by name goes on, in software.
 */
int kc_engine_ciphers(ENGINE *e, const EVP_CIPHER **cipher, const int **nids, int nid)
{
	struct kc_engine *engine = kc_engine_find(ENGINE_get_id(e));

	if (!engine)
		return 0;
	if (!cipher)
		return kc_engine_offered_ciphers(engine, nids);
	*cipher = NULL;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (engine->ciphers[i] && EVP_CIPHER_nid(engine->ciphers[i]) == nid)
			*cipher = engine->ciphers[i];
	return *cipher != NULL;
}
