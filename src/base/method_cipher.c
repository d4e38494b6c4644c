/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libcrypto's own EVP_CIPHERs, as the core sees them. */
#include <stdlib.h>
#include <string.h>

#include "base/method.h"
#include "request/whole_blocks.h"

static struct kc_method_cipher ciphers[KC_ALG_COUNT]; /* theirs is NULL if there is none */

static const struct kc_method_cipher *method_of(const struct kc_base *base)
{
	return (const struct kc_method_cipher *)base;
}

static int update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		  const unsigned char *in, size_t inl)
{
	struct kc_method_ctx *m = ctx;

	(void)outsize;
	*outl = inl;
	return m->method->do_cipher(m->ctx, out, in, inl) > 0;
}

/* Holds nothing back: input and output are whole blocks. */
static int final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	(void)ctx;
	(void)out;
	(void)outsize;
	*outl = 0;
	return 1;
}

/* Sets only the IV: the owner of the context gives the key to the implementation. */
static int init(const struct kc_cipher_base *base, void *ctx, enum kc_dir dir, const uint8_t *key,
		const uint8_t *iv)
{
	struct kc_method_ctx *m = ctx;

	(void)dir;
	if (key)
		return 0;
	if (iv)
		memcpy(EVP_CIPHER_CTX_iv_noconst(m->ctx), iv, base->common.alg->iv_len);
	return 1;
}

static int place(const struct kc_cipher_base *base, void *ctx, struct kc_place *p)
{
	const struct kc_alg *alg = base->common.alg;
	struct kc_method_ctx *m = ctx;

	*p = (struct kc_place){ .iv = EVP_CIPHER_CTX_iv_noconst(m->ctx) };
	if (alg->stream)
		p->num = (unsigned)EVP_CIPHER_CTX_num(m->ctx);
	return p->num < alg->block_len;
}

static int set_padding(const struct kc_cipher_base *base, void *ctx, bool on)
{
	(void)base;
	(void)ctx;
	return !on;
}

static void *newctx(const struct kc_base *base)
{
	struct kc_method_ctx *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->method = method_of(base);
	m->ctx = EVP_CIPHER_CTX_new();
	if (m->ctx)
		return m;
	free(m);
	return NULL;
}

static void freectx(void *ctx)
{
	struct kc_method_ctx *m = ctx;

	EVP_CIPHER_CTX_free(m->ctx);
	free(m);
}

static int whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		 const struct kc_req *req)
{
	struct kc_method_ctx *m = ctx;
	int n = 0;

	return EVP_CipherInit_ex(m->ctx, method_of(base)->hidden, NULL, key->bytes, req->iv,
				 req->dir == KC_ENCRYPT) &&
	       EVP_CIPHER_CTX_set_padding(m->ctx, 0) &&
	       EVP_CipherUpdate(m->ctx, req->out, &n, req->in, (int)req->len) &&
	       (size_t)n == req->len;
}

/* The modes whose stream is fully described by the context's IV and number. */
static bool is_simple(const EVP_CIPHER *cipher)
{
	unsigned long special = EVP_CIPH_CUSTOM_IV | EVP_CIPH_FLAG_CUSTOM_CIPHER |
				EVP_CIPH_CTRL_INIT | EVP_CIPH_CUSTOM_COPY |
				EVP_CIPH_ALWAYS_CALL_INIT;

	if (EVP_CIPHER_flags(cipher) & special)
		return false;
	switch (EVP_CIPHER_mode(cipher)) {
	case EVP_CIPH_ECB_MODE:
	case EVP_CIPH_CBC_MODE:
	case EVP_CIPH_CFB_MODE:
	case EVP_CIPH_OFB_MODE:
	case EVP_CIPH_CTR_MODE:
		return true;
	default:
		return false;
	}
}

static EVP_CIPHER *hide(const struct kc_method_cipher *m)
{
	const EVP_CIPHER *c = m->theirs;
	EVP_CIPHER *hidden =
		EVP_CIPHER_meth_new(NID_undef, EVP_CIPHER_block_size(c), EVP_CIPHER_key_length(c));

	if (hidden && EVP_CIPHER_meth_set_iv_length(hidden, EVP_CIPHER_iv_length(c)) &&
	    EVP_CIPHER_meth_set_flags(hidden, EVP_CIPHER_flags(c)) &&
	    EVP_CIPHER_meth_set_impl_ctx_size(hidden, EVP_CIPHER_impl_ctx_size(c)) &&
	    EVP_CIPHER_meth_set_init(hidden, m->init) &&
	    EVP_CIPHER_meth_set_do_cipher(hidden, m->do_cipher) &&
	    EVP_CIPHER_meth_set_cleanup(hidden, m->cleanup) &&
	    EVP_CIPHER_meth_set_ctrl(hidden, m->ctrl))
		return hidden;
	EVP_CIPHER_meth_free(hidden);
	return NULL;
}

int kc_method_take_cipher(const struct kc_alg *alg, const char *name)
{
	struct kc_method_cipher *m = &ciphers[alg - kc_algs];
	const EVP_CIPHER *c = EVP_get_cipherbyname(name);

	if (!c || !kc_blocks_fits(alg) || !is_simple(c) ||
	    (unsigned)EVP_CIPHER_iv_length(c) != alg->iv_len)
		return 0;
	m->theirs = c;
	m->init = EVP_CIPHER_meth_get_init(c);
	m->do_cipher = EVP_CIPHER_meth_get_do_cipher(c);
	m->cleanup = EVP_CIPHER_meth_get_cleanup(c);
	m->ctrl = EVP_CIPHER_meth_get_ctrl(c);
	m->hidden = hide(m);
	m->core = (struct kc_cipher_base){
		.common = { .alg = alg, .newctx = newctx, .freectx = freectx, .whole = whole },
		.update = update,
		.oneshot = update,
		.final = final,
		.init = init,
		.place = place,
		.set_padding = set_padding,
	};
	if (m->init && m->do_cipher && m->hidden)
		return EVP_CIPHER_nid(c);
	kc_method_drop_cipher(alg);
	return 0;
}

void kc_method_drop_cipher(const struct kc_alg *alg)
{
	struct kc_method_cipher *m = &ciphers[alg - kc_algs];

	EVP_CIPHER_meth_free(m->hidden);
	*m = (struct kc_method_cipher){ .theirs = NULL };
}

const struct kc_method_cipher *kc_method_cipher(const struct kc_alg *alg)
{
	const struct kc_method_cipher *m = &ciphers[alg - kc_algs];

	return m->theirs ? m : NULL;
}
