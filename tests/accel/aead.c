// SPDX-License-Identifier: GPL-2.0-only
/* AES-GCM and AES-CCM of the test accelerator. This file knows no parameter and no fault. */
#include <linux/module.h>
#include <crypto/aes.h>
#include <crypto/gcm.h>
#include <crypto/internal/aead.h>

#include "accel.h"

static const struct row {
	const char *word; /* its word in the parameter algs */
	const char *name, *mode;
	const char *software; /* by driver name, so that it is never this module */
	u32 flags;	      /* flags that it has in addition */
	unsigned int iv;
} rows[] = {
	{ "gcm", "gcm(aes)", "gcm", "gcm_base(ctr(aes-generic),ghash-generic)", 0,
	  GCM_AES_IV_SIZE },
	/*
	 * Software with AES instructions, so it beats an application that is told not to use them.
	 */
	{ "fastgcm", "gcm(aes)", "gcm", "__generic-gcm-aesni", CRYPTO_ALG_INTERNAL,
	  GCM_AES_IV_SIZE },
	{ "ccm", "ccm(aes)", "ccm", "ccm_base(ctr(aes-generic),cbcmac(aes-generic))", 0,
	  AES_BLOCK_SIZE },
};

struct driver {
	struct aead_alg alg;
	const struct row *row;
	bool is_registered;
};

static struct driver drivers[ARRAY_SIZE(rows)];

struct session {
	struct accel_session accel;
	struct crypto_aead *software;
};

struct request {
	struct accel_job job;
	struct aead_request *req;
	bool is_encryption;
	struct aead_request software; /* last, since its context follows */
};

static int set_key(struct crypto_aead *tfm, const u8 *key, unsigned int len)
{
	struct session *s = crypto_aead_ctx(tfm);
	int err = crypto_aead_setkey(s->software, key, len);

	return err ? err : accel_take_key(&s->accel, len, true);
}

static int set_authsize(struct crypto_aead *tfm, unsigned int size)
{
	struct session *s = crypto_aead_ctx(tfm);

	return crypto_aead_setauthsize(s->software, size);
}

static int run(struct accel_job *job)
{
	struct request *r = container_of(job, struct request, job);
	struct aead_request *req = r->req;
	struct session *s = crypto_aead_ctx(crypto_aead_reqtfm(req));

	aead_request_set_tfm(&r->software, s->software);
	aead_request_set_callback(&r->software, req->base.flags, NULL, NULL);
	aead_request_set_crypt(&r->software, req->src, req->dst, req->cryptlen, req->iv);
	aead_request_set_ad(&r->software, req->assoclen);
	return r->is_encryption ? crypto_aead_encrypt(&r->software) :
				  crypto_aead_decrypt(&r->software);
}

static void answer(struct accel_job *job, int err)
{
	aead_request_complete(container_of(job, struct request, job)->req, err);
}

static int crypt(struct aead_request *req, bool is_encryption)
{
	struct session *s = crypto_aead_ctx(crypto_aead_reqtfm(req));
	struct request *r = aead_request_ctx(req);
	unsigned int tag = crypto_aead_authsize(crypto_aead_reqtfm(req));

	r->req = req;
	r->is_encryption = is_encryption;
	r->job = (struct accel_job){ .run = run,
				     .complete = answer,
				     .src = req->src,
				     .dst = req->dst,
				     .skip = req->assoclen,
				     .opens = !is_encryption,
				     .encrypts = is_encryption,
				     .session = &s->accel,
				     .iv = req->iv,
				     .iv_len = crypto_aead_ivsize(crypto_aead_reqtfm(req)),
				     .tag_len = tag,
				     .len = req->cryptlen - (is_encryption ? 0 : tag) };
	/* Without text only the tag can be wrong, and only if it is encrypted. */
	if (!r->job.len && !is_encryption)
		r->job.dst = NULL;
	if (!s->accel.is_foreign)
		return accel_submit(&r->job);
	accel_count_passed();
	return run(&r->job);
}

static int encrypt(struct aead_request *req)
{
	return crypt(req, true);
}

static int decrypt(struct aead_request *req)
{
	return crypt(req, false);
}

static int init_tfm(struct crypto_aead *tfm)
{
	struct session *s = crypto_aead_ctx(tfm);
	const struct row *row = container_of(crypto_aead_alg(tfm), struct driver, alg)->row;

	s->software = crypto_alloc_aead(row->software, row->flags, row->flags | CRYPTO_ALG_ASYNC);
	if (IS_ERR(s->software))
		return PTR_ERR(s->software);
	crypto_aead_set_reqsize(tfm, sizeof(struct request) + crypto_aead_reqsize(s->software));
	return 0;
}

static void exit_tfm(struct crypto_aead *tfm)
{
	struct session *s = crypto_aead_ctx(tfm);

	accel_drop_key(&s->accel);
	crypto_free_aead(s->software);
}

static int register_row(struct driver *d, const struct row *row)
{
	int err;

	d->row = row;
	d->alg = (struct aead_alg){
		.setkey = set_key,
		.setauthsize = set_authsize,
		.encrypt = encrypt,
		.decrypt = decrypt,
		.init = init_tfm,
		.exit = exit_tfm,
		.ivsize = row->iv,
		.maxauthsize = AES_BLOCK_SIZE,
		.chunksize = AES_BLOCK_SIZE,
		.base.cra_blocksize = 1,
		.base.cra_ctxsize = sizeof(struct session),
	};
	err = accel_fill_base(&d->alg.base, row->name, row->mode, "aes");
	if (!err)
		err = crypto_register_aead(&d->alg);
	d->is_registered = !err;
	return err;
}

void accel_aead_unregister(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (drivers[i].is_registered)
			crypto_unregister_aead(&drivers[i].alg);
}

int accel_aead_register(void)
{
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(rows) && !err; i++)
		if (accel_wants(rows[i].word))
			err = register_row(&drivers[i], &rows[i]);
	if (err)
		accel_aead_unregister();
	return err;
}
