/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libcrypto's own EVP_MDs, as the core sees them. */
#include <stdlib.h>

#include <openssl/sha.h>

#include "base/method.h"

static int update(void *ctx, const unsigned char *in, size_t len)
{
	struct kc_method_digest_ctx *m = ctx;

	return m->method->d.update(m->ctx, in, len) > 0;
}

static int final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_method_digest_ctx *m = ctx;

	*outl = m->method->base.alg->out_len;
	return outsize >= *outl && m->method->d.final(m->ctx, out) > 0;
}

static void *newctx(const struct kc_base *base)
{
	struct kc_method_digest_ctx *m = calloc(1, sizeof(*m));

	if (m)
		m->method = (const struct kc_method *)base;
	return m;
}

static void freectx(void *ctx)
{
	struct kc_method_digest_ctx *m = ctx;

	EVP_MD_CTX_free(m->own);
	EVP_MD_meth_free(m->hidden);
	free(m);
}

static int whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		 const struct kc_req *req)
{
	struct kc_method_digest_ctx *m = ctx;
	unsigned n = 0;

	(void)key;
	if (!m->own)
		m->own = EVP_MD_CTX_new();
	if (!m->hidden)
		m->hidden = kc_method_copy_digest(m->method->their_digest, NID_undef, NID_undef,
						  (int)m->method->size, &m->method->d);
	return m->own && m->hidden && EVP_DigestInit_ex(m->own, m->hidden, NULL) &&
	       EVP_DigestUpdate(m->own, req->in, req->len) &&
	       EVP_DigestFinal_ex(m->own, req->tag, &n) && n == base->alg->out_len;
}

/*
 * 3.x does not tell how much data its functions need. The structs of these digests are public, and
 * SHA-512's is the largest; those of the others are not public. 0: can't be told.
 */
static size_t data_size(const EVP_MD *d)
{
	static const int known[] = { NID_md4,	 NID_md5,    NID_sha1,	 NID_ripemd160,
				     NID_sha224, NID_sha256, NID_sha384, NID_sha512 };
	int told = EVP_MD_meth_get_app_datasize(d);

	for (size_t i = 0; !told && i < sizeof(known) / sizeof(known[0]); i++)
		if (EVP_MD_type(d) == known[i])
			return sizeof(SHA512_CTX);
	return (size_t)told;
}

EVP_MD *kc_method_copy_digest(const EVP_MD *theirs, int nid, int pkey_nid, int size,
			      const struct kc_digest_functions *f)
{
	EVP_MD *d = EVP_MD_meth_new(nid, pkey_nid);

	if (d && EVP_MD_meth_set_input_blocksize(d, EVP_MD_block_size(theirs)) &&
	    EVP_MD_meth_set_result_size(d, EVP_MD_size(theirs)) &&
	    EVP_MD_meth_set_app_datasize(d, size) &&
	    EVP_MD_meth_set_flags(d, EVP_MD_flags(theirs)) && EVP_MD_meth_set_init(d, f->init) &&
	    EVP_MD_meth_set_update(d, f->update) && EVP_MD_meth_set_final(d, f->final) &&
	    EVP_MD_meth_set_copy(d, f->copy) && EVP_MD_meth_set_cleanup(d, f->cleanup) &&
	    EVP_MD_meth_set_ctrl(d, f->ctrl))
		return d;
	EVP_MD_meth_free(d);
	return NULL;
}

void kc_method_take_digest(struct kc_method *m, const struct kc_alg *alg, const char *name)
{
	const EVP_MD *d = EVP_get_digestbyname(name);

	if (!d || (EVP_MD_flags(d) & EVP_MD_FLAG_XOF) || EVP_MD_size(d) != (int)alg->out_len ||
	    !data_size(d))
		return;
	m->d = (struct kc_digest_functions){
		.init = EVP_MD_meth_get_init(d),
		.update = EVP_MD_meth_get_update(d),
		.final = EVP_MD_meth_get_final(d),
		.copy = EVP_MD_meth_get_copy(d),
		.cleanup = EVP_MD_meth_get_cleanup(d),
		.ctrl = EVP_MD_meth_get_ctrl(d),
	};
	m->base = (struct kc_base){
		.alg = alg,
		.hash_update = update,
		.final = final,
		.newctx = newctx,
		.freectx = freectx,
		.whole = whole,
	};
	m->their_digest = d;
	m->size = data_size(d);
	if (m->d.init && m->d.update && m->d.final)
		m->nid = EVP_MD_type(d);
}
