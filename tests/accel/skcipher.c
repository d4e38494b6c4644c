// SPDX-License-Identifier: GPL-2.0-only
/* The ciphers of the test accelerator. This file knows no parameter and no fault. */
#include <linux/module.h>
#if __has_include(<linux/unaligned.h>) /* Linux 6.12 */
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif
#include <crypto/aes.h>
#include <crypto/des.h>
#include <crypto/internal/skcipher.h>
#include <crypto/xts.h>

#include "accel.h"
#include "wrapped.h"

static const struct row {
	const char *word; /* its word in the parameter algs */
	const char *name, *mode, *cipher;
	const char *software; /* a driver that is never this module */
	u32 flags;	      /* flags that it has in addition */
	unsigned int block, min_key, max_key, iv, chunk;
	bool is_wrapped;  /* takes its keys as blobs only, see wrapped.h */
	const char *slow; /* the fallback for texts that the device leaves to it; NULL: the same */
} rows[] = {
	{ "cbc", "cbc(aes)", "cbc", "aes", "cbc(aes-generic)", 0, 16, 16, 32, 16, 0 },
	/*
	 * Software with AES instructions, so it beats an application that is told not to use them.
	 */
	{ "fast", "cbc(aes)", "cbc", "aes", "__cbc-aes-aesni", CRYPTO_ALG_INTERNAL, 16, 16, 32, 16,
	  0, false, "cbc(aes-generic)" },
	{ "ctr", "ctr(aes)", "ctr", "aes", "ctr(aes-generic)", 0, 1, 16, 32, 16, 16 },
	{ "fastctr", "ctr(aes)", "ctr", "aes", "__ctr-aes-aesni", CRYPTO_ALG_INTERNAL, 1, 16, 32,
	  16, 16 },
	{ "ecb", "ecb(aes)", "ecb", "aes", "ecb(aes-generic)", 0, 16, 16, 32, 0, 0 },
	{ "xts", "xts(aes)", "xts", "aes", "xts(ecb(aes-generic))", 0, 16, 32, 64, 16, 0 },
	{ "3des", "cbc(des3_ede)", "cbc", "des3_ede", "cbc(des3_ede-generic)", 0, 8, 24, 24, 8, 0 },
	/* Linux 7.3 has no aes-generic. These names are not this module's either. */
	{ "cbcpaes", "cbc(paes)", "cbc", "paes", "cbc(aes)", 0, 16, 16, 32, 16, 0, true },
	{ "ctrpaes", "ctr(paes)", "ctr", "paes", "ctr(aes)", 0, 1, 16, 32, 16, 16, true },
	{ "ecbpaes", "ecb(paes)", "ecb", "paes", "ecb(aes)", 0, 16, 16, 32, 0, 0, true },
	{ "xtspaes", "xts(paes)", "xts", "paes", "xts(aes)", 0, 16, 32, 64, 16, 0, true },
};

struct driver {
	struct skcipher_alg alg;
	const struct row *row;
	bool is_registered;
};

static struct driver drivers[ARRAY_SIZE(rows)];

struct session {
	struct accel_session accel;
	const struct row *row;
	struct crypto_skcipher *software, *slow;
	bool has_no_key; /* the blob belongs to another device: the first request reports it */
};

struct request {
	struct accel_job job;
	struct skcipher_request *req;
	struct crypto_skcipher *by;
	bool is_encryption;
	struct skcipher_request software; /* last, since its context follows */
};

static int set_inner_key(struct crypto_skcipher *tfm, struct crypto_skcipher *inner, const u8 *key,
			 unsigned int len)
{
	crypto_skcipher_clear_flags(inner, CRYPTO_TFM_REQ_MASK);
	crypto_skcipher_set_flags(inner, crypto_skcipher_get_flags(tfm) & CRYPTO_TFM_REQ_MASK);
	return crypto_skcipher_setkey(inner, key, len);
}

static int set_plain_key(struct crypto_skcipher *tfm, const u8 *key, unsigned int len)
{
	struct session *s = crypto_skcipher_ctx(tfm);
	bool is_aes = s->row->block != DES3_EDE_BLOCK_SIZE;
	bool is_xts = s->row->min_key == 2 * AES_MIN_KEY_SIZE;
	int err;

	err = set_inner_key(tfm, s->software, key, len);
	if (!err && s->slow != s->software)
		err = set_inner_key(tfm, s->slow, key, len);
	return err ? err : accel_take_key(&s->accel, is_xts ? len / 2 : len, is_aes);
}

static int set_key(struct crypto_skcipher *tfm, const u8 *key, unsigned int len)
{
	struct session *s = crypto_skcipher_ctx(tfm);
	u8 plain[ACCEL_MAX_KEY];
	int err;

	if (!s->row->is_wrapped)
		return set_plain_key(tfm, key, len);
	err = accel_unwrap(plain, key, len);
	s->has_no_key = err == -EIO;
	err = err < 0 && err != -EIO ? err : set_plain_key(tfm, plain, key[4]);
	memzero_explicit(plain, sizeof(plain));
	return err;
}

static int run(struct accel_job *job)
{
	struct request *r = container_of(job, struct request, job);
	struct skcipher_request *req = r->req;
	struct session *s = crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));

	if (s->has_no_key)
		return -EIO;
	skcipher_request_set_tfm(&r->software, r->by);
	skcipher_request_set_callback(&r->software, req->base.flags, NULL, NULL);
	skcipher_request_set_crypt(&r->software, req->src, req->dst, req->cryptlen, req->iv);
	return r->is_encryption ? crypto_skcipher_encrypt(&r->software) :
				  crypto_skcipher_decrypt(&r->software);
}

static void answer(struct accel_job *job, int err)
{
	skcipher_request_complete(container_of(job, struct request, job)->req, err);
}

static bool wraps(const struct skcipher_request *req, const struct row *row)
{
	return row->chunk &&
	       (u64)get_unaligned_be32(req->iv + 12) + DIV_ROUND_UP(req->cryptlen, AES_BLOCK_SIZE) >
		       1ULL << 32;
}

static int copy(struct skcipher_request *req)
{
	struct skcipher_walk walk;
	int err = skcipher_walk_virt(&walk, req, false);

	while (walk.nbytes) {
		if (walk.src.virt.addr != walk.dst.virt.addr)
			memcpy(walk.dst.virt.addr, walk.src.virt.addr, walk.nbytes);
		err = skcipher_walk_done(&walk, 0);
	}
	return err;
}

static int crypt(struct skcipher_request *req, bool is_encryption)
{
	struct session *s = crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));
	struct request *r = skcipher_request_ctx(req);

	if (accel_is_null())
		return copy(req);
	r->req = req;
	r->is_encryption = is_encryption;
	r->by = s->software;
	r->job = (struct accel_job){ .run = run,
				     .complete = answer,
				     .src = req->src,
				     .dst = req->dst,
				     .len = req->cryptlen,
				     .encrypts = is_encryption,
				     .session = &s->accel,
				     .iv = req->iv,
				     .iv_len = s->row->iv,
				     .wraps = wraps(req, s->row) };
	if (!s->accel.is_foreign && !accel_is_foreign(&r->job))
		return accel_submit(&r->job);
	r->by = s->slow;
	accel_count_passed();
	return run(&r->job);
}

static int encrypt(struct skcipher_request *req)
{
	return crypt(req, true);
}

static int decrypt(struct skcipher_request *req)
{
	return crypt(req, false);
}

static int init_tfm(struct crypto_skcipher *tfm)
{
	struct session *s = crypto_skcipher_ctx(tfm);
	struct driver *d = container_of(crypto_skcipher_alg(tfm), struct driver, alg);

	s->row = d->row;
	s->software = crypto_alloc_skcipher(s->row->software, s->row->flags,
					    s->row->flags | CRYPTO_ALG_ASYNC |
						    CRYPTO_ALG_KERN_DRIVER_ONLY);
	if (IS_ERR(s->software))
		return PTR_ERR(s->software);
	s->slow = s->software;
	if (s->row->slow)
		s->slow = crypto_alloc_skcipher(s->row->slow, 0,
						CRYPTO_ALG_ASYNC | CRYPTO_ALG_KERN_DRIVER_ONLY);
	if (IS_ERR(s->slow)) {
		crypto_free_skcipher(s->software);
		return PTR_ERR(s->slow);
	}
	crypto_skcipher_set_reqsize(tfm, sizeof(struct request) +
						 max(crypto_skcipher_reqsize(s->software),
						     crypto_skcipher_reqsize(s->slow)));
	return 0;
}

static void exit_tfm(struct crypto_skcipher *tfm)
{
	struct session *s = crypto_skcipher_ctx(tfm);

	accel_drop_key(&s->accel);
	if (s->slow != s->software)
		crypto_free_skcipher(s->slow);
	crypto_free_skcipher(s->software);
}

static int register_row(struct driver *d, const struct row *row)
{
	int err;

	d->row = row;
	d->alg = (struct skcipher_alg){
		.setkey = set_key,
		.encrypt = encrypt,
		.decrypt = decrypt,
		.init = init_tfm,
		.exit = exit_tfm,
		.min_keysize = row->min_key + (row->is_wrapped ? ACCEL_BLOB_HEAD : 0),
		.max_keysize = row->max_key + (row->is_wrapped ? ACCEL_BLOB_HEAD : 0),
		.ivsize = row->iv,
		.chunksize = row->chunk,
		.base.cra_blocksize = row->block,
		.base.cra_ctxsize = sizeof(struct session),
	};
	err = accel_fill_base(&d->alg.base, row->name, row->mode, row->cipher);
	if (!err)
		err = crypto_register_skcipher(&d->alg);
	d->is_registered = !err;
	return err;
}

void accel_skcipher_unregister(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (drivers[i].is_registered)
			crypto_unregister_skcipher(&drivers[i].alg);
}

int accel_skcipher_register(void)
{
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(rows) && !err; i++)
		if (accel_wants(rows[i].word))
			err = register_row(&drivers[i], &rows[i]);
	if (err)
		accel_skcipher_unregister();
	return err;
}
