// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hashes of the test accelerator. This file knows no parameter and no fault. Each step that
 * adds data or finishes a hash is a separate request to the device.
 */
#include <linux/module.h>
#include <crypto/internal/hash.h>
#include <crypto/sha2.h>

#include "accel.h"

static const struct row {
	const char *word, *name;
	const char *software; /* by driver name, so that it is never this module */
	bool is_keyed;
} rows[] = {
	{ "sha256", "sha256", "sha256-generic", false },
	{ "hmac", "hmac(sha256)", "hmac(sha256-generic)", true },
};

struct driver {
	struct ahash_alg alg;
	const struct row *row;
	bool is_registered;
};

static struct driver drivers[ARRAY_SIZE(rows)];

struct session {
	struct accel_session accel;
	struct crypto_shash *software;
	const struct row *row;
	struct sha256_state hidden; /* what it last exported, for ACCEL_HIDES */
};

enum step { UPDATE, FINAL, FINUP, DIGEST };

struct request {
	struct accel_job job;
	struct ahash_request *req;
	enum step step;
	struct shash_desc desc; /* last, since the state follows */
};

static int set_key(struct crypto_ahash *tfm, const u8 *key, unsigned int len)
{
	struct session *s = crypto_ahash_ctx(tfm);
	int err = crypto_shash_setkey(s->software, key, len);

	return err ? err : accel_take_key(&s->accel, len, false);
}

static struct shash_desc *desc_of(struct ahash_request *req)
{
	struct session *s = crypto_ahash_ctx(crypto_ahash_reqtfm(req));
	struct request *r = ahash_request_ctx(req);

	r->desc.tfm = s->software;
	return &r->desc;
}

static int run(struct accel_job *job)
{
	struct request *r = container_of(job, struct request, job);

	switch (r->step) {
	case UPDATE:
		return shash_ahash_update(r->req, &r->desc);
	case FINAL:
		return crypto_shash_final(&r->desc, r->req->result);
	case FINUP:
		return shash_ahash_finup(r->req, &r->desc);
	default:
		return shash_ahash_digest(r->req, &r->desc);
	}
}

static void answer(struct accel_job *job, int err)
{
	ahash_request_complete(container_of(job, struct request, job)->req, err);
}

static int submit(struct ahash_request *req, enum step step)
{
	struct session *s = crypto_ahash_ctx(crypto_ahash_reqtfm(req));
	struct request *r = ahash_request_ctx(req);
	bool has_data = step != FINAL && req->nbytes;
	u8 *state = shash_desc_ctx(desc_of(req));

	r->req = req;
	r->step = step;
	r->job = (struct accel_job){ .run = run,
				     .session = &s->accel,
				     .complete = answer,
				     .src = has_data ? req->src : NULL,
				     .digest = step != UPDATE ? req->result :
					       s->row->is_keyed ? NULL : /* it holds pointers */
								  state,
				     .len = has_data ? req->nbytes : 0 };
	return accel_submit(&r->job);
}

static int init(struct ahash_request *req)
{
	return crypto_shash_init(desc_of(req));
}

static int update(struct ahash_request *req)
{
	return submit(req, UPDATE);
}

static int final(struct ahash_request *req)
{
	return submit(req, FINAL);
}

static int finup(struct ahash_request *req)
{
	return submit(req, FINUP);
}

static int digest(struct ahash_request *req)
{
	return submit(req, DIGEST);
}

/* What the kernel's software exports, and a byte more since Linux 6.16. */
struct exported {
	struct sha256_state state;
	u8 partial;
} __packed;

/* Swaps the bytes of SHA-256's words, as a device may store them. */
static void flip(struct sha256_state *state)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(state->state); i++)
		state->state[i] = swab32(state->state[i]);
}

/* Moves the words from the state's beginning to its end, or back. */
static void move(struct sha256_state *state, bool back)
{
	struct sha256_state old = *state;
	size_t words = sizeof(old.state), rest = sizeof(old) - words;

	memcpy((u8 *)state + (back ? 0 : rest), (u8 *)&old + (back ? rest : 0), words);
	memcpy((u8 *)state + (back ? words : 0), (u8 *)&old + (back ? 0 : words), rest);
}

static int export(struct ahash_request *req, void *out)
{
	struct session *s = crypto_ahash_ctx(crypto_ahash_reqtfm(req));
	int err = crypto_shash_export(desc_of(req), out);
	struct sha256_state *state = out;

	if (err)
		return err;
	s->hidden = *state;
	if (accel_state() == ACCEL_SWAPS)
		swap(state->state[0], state->state[1]);
	if (accel_state() == ACCEL_FLIPS || accel_state() == ACCEL_ELSEWHERE)
		flip(state);
	if (accel_state() == ACCEL_ELSEWHERE)
		move(state, false);
	return 0;
}

static int import(struct ahash_request *req, const void *in)
{
	struct session *s = crypto_ahash_ctx(crypto_ahash_reqtfm(req));
	struct exported from __aligned(8);

	memcpy(&from, in, sizeof(from));
	if (accel_state() == ACCEL_ELSEWHERE)
		move(&from.state, true);
	if (accel_state() == ACCEL_FLIPS || accel_state() == ACCEL_ELSEWHERE)
		flip(&from.state);
	if (accel_state() == ACCEL_HIDES)
		from.state = s->hidden;
	return crypto_shash_import(desc_of(req), &from);
}

static int init_tfm(struct crypto_ahash *tfm)
{
	struct session *s = crypto_ahash_ctx(tfm);
	struct hash_alg_common *common = crypto_hash_alg_common(tfm);
	struct driver *d = container_of(common, struct driver, alg.halg);

	s->row = d->row;
	s->software = crypto_alloc_shash(d->row->software, 0, 0);
	/*
	 * Linux 7.2 has no driver of that name. This module registers no shash, so the algorithm's
	 * name finds another driver.
	 */
	if (PTR_ERR_OR_ZERO(s->software) == -ENOENT)
		s->software = crypto_alloc_shash(d->row->name, 0, 0);
	if (IS_ERR(s->software))
		return PTR_ERR(s->software);
	if (WARN_ON(crypto_shash_statesize(s->software) > sizeof(struct exported))) {
		crypto_free_shash(s->software);
		return -EINVAL;
	}
	crypto_ahash_set_reqsize(tfm, sizeof(struct request) + crypto_shash_descsize(s->software));
	return 0;
}

static void exit_tfm(struct crypto_ahash *tfm)
{
	struct session *s = crypto_ahash_ctx(tfm);

	accel_drop_key(&s->accel);
	crypto_free_shash(s->software);
}

static int register_row(struct driver *d, const struct row *row)
{
	int err;

	d->row = row;
	d->alg = (struct ahash_alg){
		.init = init,
		.update = update,
		.final = final,
		.finup = finup,
		.digest = digest,
		.export = export,
		.import = import,
		.setkey = row->is_keyed ? set_key : NULL,
		.init_tfm = init_tfm,
		.exit_tfm = exit_tfm,
		.halg.digestsize = SHA256_DIGEST_SIZE,
		.halg.statesize = sizeof(struct exported),
		.halg.base.cra_blocksize = SHA256_BLOCK_SIZE,
		.halg.base.cra_ctxsize = sizeof(struct session),
	};
	err = accel_fill_base(&d->alg.halg.base, row->name, NULL, NULL);
	if (!err)
		err = crypto_register_ahash(&d->alg);
	d->is_registered = !err;
	return err;
}

void accel_hash_unregister(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (drivers[i].is_registered)
			crypto_unregister_ahash(&drivers[i].alg);
}

int accel_hash_register(void)
{
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(rows) && !err; i++)
		if (accel_wants(rows[i].word))
			err = register_row(&drivers[i], &rows[i]);
	if (err)
		accel_hash_unregister();
	return err;
}
