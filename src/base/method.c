/* SPDX-License-Identifier: Apache-2.0 */
/* Finds libcrypto's built-in functions for the rows, and adapts them for the core. */
#include "base/method.h"
#include "base/midstate.h"

#include <pthread.h>
#include <stdlib.h>

#include <openssl/sha.h>

static int cipher_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
			 const unsigned char *in, size_t inl)
{
	struct kc_method_ctx *m = ctx;

	(void)outsize;
	*outl = inl;
	return m->method->c.do_cipher(m->ctx, out, in, inl) > 0;
}

static int cipher_place(const struct kc_base *base, void *ctx, struct kc_place *p)
{
	const struct kc_alg *alg = base->alg;
	struct kc_method_ctx *m = ctx;

	*p = (struct kc_place){ .iv = EVP_CIPHER_CTX_iv_noconst(m->ctx) };
	if (alg->stream)
		p->num = (unsigned)EVP_CIPHER_CTX_num(m->ctx);
	return p->num < alg->block_len;
}

static void cipher_freectx(void *ctx)
{
	struct kc_method_ctx *m = ctx;

	EVP_CIPHER_CTX_free(m->ctx);
	EVP_CIPHER_meth_free(m->hidden);
	free(m);
}

static void *cipher_newctx(const struct kc_base *base)
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
	cipher_freectx(m);
	return NULL;
}

/* Each element is 1, or 0 if a setter failed. */
static int all_done(const int done[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!done[i])
			return 0;
	return 1;
}

static int cipher_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
			const struct kc_req *req)
{
	struct kc_method_ctx *m = ctx;
	const EVP_CIPHER *anew = NULL;
	int n = 0;

	(void)base;
	if (key->bytes)
		anew = m->hidden;
	if (!EVP_CipherInit_ex(m->ctx, anew, NULL, key->bytes, req->iv, req->dir == KC_ENCRYPT))
		return 0;
	EVP_CIPHER_CTX_set_padding(m->ctx, 0);
	if (!EVP_CipherUpdate(m->ctx, req->out, &n, req->in, (int)req->len))
		return 0;
	return (size_t)n == req->len;
}

/* Sets all members. 1; 0: a setter failed. */
static int fill_cipher(EVP_CIPHER *c, const EVP_CIPHER *theirs, unsigned long flags, int size,
		       const struct kc_cipher_functions *f)
{
	const int done[] = {
		EVP_CIPHER_meth_set_iv_length(c, EVP_CIPHER_iv_length(theirs)),
		EVP_CIPHER_meth_set_flags(c, EVP_CIPHER_flags(theirs) | flags),
		EVP_CIPHER_meth_set_impl_ctx_size(c, size),
		EVP_CIPHER_meth_set_init(c, f->init),
		EVP_CIPHER_meth_set_do_cipher(c, f->do_cipher),
		EVP_CIPHER_meth_set_cleanup(c, f->cleanup),
		EVP_CIPHER_meth_set_ctrl(c, f->ctrl),
		EVP_CIPHER_meth_set_set_asn1_params(c, EVP_CIPHER_meth_get_set_asn1_params(theirs)),
		EVP_CIPHER_meth_set_get_asn1_params(c, EVP_CIPHER_meth_get_get_asn1_params(theirs)),
	};

	return all_done(done, sizeof(done) / sizeof(done[0]));
}

EVP_CIPHER *kc_method_copy_cipher(const EVP_CIPHER *theirs, int nid, unsigned long flags, int size,
				  const struct kc_cipher_functions *f)
{
	EVP_CIPHER *c = EVP_CIPHER_meth_new(nid, EVP_CIPHER_block_size(theirs),
					    EVP_CIPHER_key_length(theirs));

	if (c && fill_cipher(c, theirs, flags, size, f))
		return c;
	EVP_CIPHER_meth_free(c);
	return NULL;
}

static void take_cipher(struct kc_method *m, const struct kc_alg *alg, const char *name)
{
	/* With one of these flags, there may be more state than the context's IV and number. */
	const unsigned long special = EVP_CIPH_CUSTOM_IV | EVP_CIPH_FLAG_CUSTOM_CIPHER |
				      EVP_CIPH_CTRL_INIT | EVP_CIPH_CUSTOM_COPY |
				      EVP_CIPH_ALWAYS_CALL_INIT;
	const EVP_CIPHER *c = EVP_get_cipherbyname(name);

	if (!c || !kc_alg_state_is_iv(alg))
		return;
	if (EVP_CIPHER_flags(c) & special || (unsigned)EVP_CIPHER_iv_length(c) != alg->iv_len)
		return;
	m->c = (struct kc_cipher_functions){
		.init = EVP_CIPHER_meth_get_init(c),
		.do_cipher = EVP_CIPHER_meth_get_do_cipher(c),
		.cleanup = EVP_CIPHER_meth_get_cleanup(c),
		.ctrl = EVP_CIPHER_meth_get_ctrl(c),
	};
	m->base = (struct kc_base){
		.alg = alg,
		.update = cipher_update,
		.newctx = cipher_newctx,
		.freectx = cipher_freectx,
		.whole = cipher_whole,
		.place = cipher_place,
	};
	m->their_cipher = c;
	m->size = (size_t)EVP_CIPHER_impl_ctx_size(c);
	if (m->c.init && m->c.do_cipher)
		m->nid = EVP_CIPHER_nid(c);
}

static int update_digest(void *ctx, const unsigned char *in, size_t len)
{
	struct kc_method_digest_ctx *m = ctx;

	return m->method->d.update(m->ctx, in, len) > 0;
}

static int final_digest(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_method_digest_ctx *m = ctx;

	*outl = m->method->base.alg->out_len;
	if (outsize < *outl)
		return 0;
	return m->method->d.final(m->ctx, out) > 0;
}

static void *digest_newctx(const struct kc_base *base)
{
	struct kc_method_digest_ctx *m = calloc(1, sizeof(*m));

	if (m)
		m->method = (const struct kc_method *)base;
	return m;
}

static void digest_freectx(void *ctx)
{
	struct kc_method_digest_ctx *m = ctx;

	EVP_MD_CTX_free(m->own);
	EVP_MD_meth_free(m->hidden);
	free(m);
}

/* A context without an owner gets an OpenSSL context of its own. */
static int digest_start(const struct kc_base *base, void *ctx)
{
	struct kc_method_digest_ctx *m = ctx;

	(void)base;
	if (!m->own)
		m->own = EVP_MD_CTX_new();
	if (!m->hidden)
		m->hidden = kc_method_copy_digest(m->method->their_digest, NID_undef, NID_undef,
						  (int)m->method->size, &m->method->d);
	m->ctx = m->own;
	return m->own && m->hidden && EVP_DigestInit_ex(m->own, m->hidden, NULL);
}

/* The built-in functions of MD5, SHA-1 and SHA-2 only call libcrypto's public ones. */
static void *digest_state(const struct kc_base *base, void *ctx)
{
	struct kc_method_digest_ctx *m = ctx;

	(void)base;
	return EVP_MD_CTX_md_data(m->ctx);
}

/*
 * Returns the bytes of data that a digest needs; 0: unknown. 3.x does not tell. The structs of
 * these digests are public, and SHA-512's is the largest; those of the others are not public.
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

/* Sets all members. 1; 0: a setter failed. */
static int fill_digest(EVP_MD *d, const EVP_MD *theirs, int size,
		       const struct kc_digest_functions *f)
{
	const int done[] = {
		EVP_MD_meth_set_input_blocksize(d, EVP_MD_block_size(theirs)),
		EVP_MD_meth_set_result_size(d, EVP_MD_size(theirs)),
		EVP_MD_meth_set_app_datasize(d, size),
		EVP_MD_meth_set_flags(d, EVP_MD_flags(theirs)),
		EVP_MD_meth_set_init(d, f->init),
		EVP_MD_meth_set_update(d, f->update),
		EVP_MD_meth_set_final(d, f->final),
		EVP_MD_meth_set_copy(d, f->copy),
		EVP_MD_meth_set_cleanup(d, f->cleanup),
		EVP_MD_meth_set_ctrl(d, f->ctrl),
	};

	return all_done(done, sizeof(done) / sizeof(done[0]));
}

EVP_MD *kc_method_copy_digest(const EVP_MD *theirs, int nid, int pkey_nid, int size,
			      const struct kc_digest_functions *f)
{
	EVP_MD *d = EVP_MD_meth_new(nid, pkey_nid);

	if (d && fill_digest(d, theirs, size, f))
		return d;
	EVP_MD_meth_free(d);
	return NULL;
}

static void take_digest(struct kc_method *m, const struct kc_alg *alg, const char *name)
{
	const EVP_MD *d = EVP_get_digestbyname(name);

	if (!d || EVP_MD_flags(d) & EVP_MD_FLAG_XOF || !data_size(d))
		return;
	if (EVP_MD_size(d) != (int)alg->out_len)
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
		.hash_update = update_digest,
		.final = final_digest,
		.newctx = digest_newctx,
		.freectx = digest_freectx,
		.start = digest_start,
		.state = digest_state,
		.whole = kc_digest_whole,
		.midstate = alg->state_len ? kc_digest_midstate : NULL,
		.advance = alg->state_len ? kc_digest_advance : NULL,
	};
	m->their_digest = d;
	m->size = data_size(d);
	if (m->d.init && m->d.update && m->d.final)
		m->nid = EVP_MD_type(d);
}

#define ALIGNMENT 16

static struct kc_method methods[KC_ALG_COUNT];
size_t kc_method_room[KC_KIND_COUNT];

static void (*const take[KC_KIND_COUNT])(struct kc_method *m, const struct kc_alg *alg,
					 const char *name) = {
	[KC_CIPHER] = take_cipher,
	[KC_DIGEST] = take_digest,
};

/*
 * Uses the first name of each row that libcrypto knows: its table has fewer names than providers
 * have.
 */
static void take_rows(void)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_alg *alg = &kc_algs[i];
		const char *name = take[alg->kind] ? alg->names : "";
		size_t room;

		for (; *name && !methods[i].nid; name = kc_name_after(name))
			take[alg->kind](&methods[i], alg, name);
		room = (methods[i].size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
		if (room > kc_method_room[alg->kind])
			kc_method_room[alg->kind] = room;
	}
}

void kc_method_open(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, take_rows);
}

int kc_method_nid(const struct kc_alg *alg)
{
	return methods[alg - kc_algs].nid;
}

const struct kc_method *kc_method(const struct kc_alg *alg)
{
	if (kc_method_nid(alg))
		return &methods[alg - kc_algs];
	return NULL;
}

const struct kc_method *kc_method_find(enum kc_kind kind, int nid)
{
	for (size_t i = 0; nid && i < KC_ALG_COUNT; i++)
		if (methods[i].nid == nid && kc_algs[i].kind == kind)
			return &methods[i];
	return NULL;
}
