/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libcrypto's own EVP_CIPHERs, as the core sees them. */
#include <stdlib.h>

#include "base/method.h"

static int update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		  const unsigned char *in, size_t inl)
{
	struct kc_method_ctx *m = ctx;

	(void)outsize;
	*outl = inl;
	return m->method->c.do_cipher(m->ctx, out, in, inl) > 0;
}

static int place(const struct kc_base *base, void *ctx, struct kc_place *p)
{
	const struct kc_alg *alg = base->alg;
	struct kc_method_ctx *m = ctx;

	*p = (struct kc_place){ .iv = EVP_CIPHER_CTX_iv_noconst(m->ctx) };
	if (alg->stream)
		p->num = (unsigned)EVP_CIPHER_CTX_num(m->ctx);
	return p->num < alg->block_len;
}

static void freectx(void *ctx)
{
	struct kc_method_ctx *m = ctx;

	EVP_CIPHER_CTX_free(m->ctx);
	EVP_CIPHER_meth_free(m->hidden);
	free(m);
}

static void *newctx(const struct kc_base *base)
{
	const struct kc_method *method = (const struct kc_method *)base;
	struct kc_method_ctx *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->method = method;
	m->ctx = EVP_CIPHER_CTX_new();
	m->hidden = kc_method_copy_cipher(method->their_cipher, NID_undef, 0, (int)method->size,
					  &method->c);
	if (m->ctx && m->hidden)
		return m;
	freectx(m);
	return NULL;
}

static int whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		 const struct kc_req *req)
{
	struct kc_method_ctx *m = ctx;
	int n = 0;

	(void)base;
	return EVP_CipherInit_ex(m->ctx, m->hidden, NULL, key->bytes, req->iv,
				 req->dir == KC_ENCRYPT) &&
	       EVP_CIPHER_CTX_set_padding(m->ctx, 0) &&
	       EVP_CipherUpdate(m->ctx, req->out, &n, req->in, (int)req->len) &&
	       (size_t)n == req->len;
}

EVP_CIPHER *kc_method_copy_cipher(const EVP_CIPHER *theirs, int nid, unsigned long flags, int size,
				  const struct kc_cipher_functions *f)
{
	EVP_CIPHER *c = EVP_CIPHER_meth_new(nid, EVP_CIPHER_block_size(theirs),
					    EVP_CIPHER_key_length(theirs));

	if (c && EVP_CIPHER_meth_set_iv_length(c, EVP_CIPHER_iv_length(theirs)) &&
	    EVP_CIPHER_meth_set_flags(c, EVP_CIPHER_flags(theirs) | flags) &&
	    EVP_CIPHER_meth_set_impl_ctx_size(c, size) && EVP_CIPHER_meth_set_init(c, f->init) &&
	    EVP_CIPHER_meth_set_do_cipher(c, f->do_cipher) &&
	    EVP_CIPHER_meth_set_cleanup(c, f->cleanup) && EVP_CIPHER_meth_set_ctrl(c, f->ctrl) &&
	    EVP_CIPHER_meth_set_set_asn1_params(c, EVP_CIPHER_meth_get_set_asn1_params(theirs)) &&
	    EVP_CIPHER_meth_set_get_asn1_params(c, EVP_CIPHER_meth_get_get_asn1_params(theirs)))
		return c;
	EVP_CIPHER_meth_free(c);
	return NULL;
}

void kc_method_take_cipher(struct kc_method *m, const struct kc_alg *alg, const char *name)
{
	/* With one of these, there may be more state than the context's IV and number. */
	const unsigned long special = EVP_CIPH_CUSTOM_IV | EVP_CIPH_FLAG_CUSTOM_CIPHER |
				      EVP_CIPH_CTRL_INIT | EVP_CIPH_CUSTOM_COPY |
				      EVP_CIPH_ALWAYS_CALL_INIT;
	const EVP_CIPHER *c = EVP_get_cipherbyname(name);

	if (!c || !kc_alg_state_is_iv(alg) || EVP_CIPHER_flags(c) & special ||
	    (unsigned)EVP_CIPHER_iv_length(c) != alg->iv_len)
		return;
	m->c = (struct kc_cipher_functions){
		.init = EVP_CIPHER_meth_get_init(c),
		.do_cipher = EVP_CIPHER_meth_get_do_cipher(c),
		.cleanup = EVP_CIPHER_meth_get_cleanup(c),
		.ctrl = EVP_CIPHER_meth_get_ctrl(c),
	};
	m->base = (struct kc_base){
		.alg = alg,
		.update = update,
		.newctx = newctx,
		.freectx = freectx,
		.whole = whole,
		.place = place,
	};
	m->their_cipher = c;
	m->size = (size_t)EVP_CIPHER_impl_ctx_size(c);
	if (m->c.init && m->c.do_cipher)
		m->nid = EVP_CIPHER_nid(c);
}
