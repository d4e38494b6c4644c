// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole blocks from the middle of a digest: user space gives the words between two blocks, and gets
 * those that follow. Drivers export and import more than these words, each in a form of its own,
 * which may contain flags and pointers. So only drivers are used whose form begins as that of the
 * kernel's software does, except for the byte order of the words. A user's words replace only
 * these; all else is what the driver itself exported when the session was opened.
 */
#include <crypto/md5.h>

#include "kcrypto.h"
#include <kcrypto_drivers.h>

/**
 * struct kcrypto_form - what a digest exports between two blocks
 * @name: in the crypto API
 * @size: bytes; newer kernels have one more, see kcrypto_midstate_fits()
 * @count_at: where the count of bytes is; it is less than 2^32 here
 * @first: the words that a digest begins with, which stand first
 */
struct kcrypto_form {
	const char *name;
	unsigned int size;
	unsigned int count_at;
	const void *first;
};

#define KCRYPTO_FORM(digest, type, count, words) \
	{ .name = digest, .size = sizeof(struct type), .count_at = offsetof(struct type, count) + \
	  BUILD_BUG_ON_ZERO(sizeof(struct type) >= KCRYPTO_MAX_STATE), .first = words }

static const u32 kcrypto_md5[] = { MD5_H0, MD5_H1, MD5_H2, MD5_H3 };
static const u32 kcrypto_sha1[] = { SHA1_H0, SHA1_H1, SHA1_H2, SHA1_H3, SHA1_H4 };
static const u32 kcrypto_sha224[] = { SHA224_H0, SHA224_H1, SHA224_H2, SHA224_H3,
				      SHA224_H4, SHA224_H5, SHA224_H6, SHA224_H7 };
static const u32 kcrypto_sha256[] = { SHA256_H0, SHA256_H1, SHA256_H2, SHA256_H3,
				      SHA256_H4, SHA256_H5, SHA256_H6, SHA256_H7 };
static const u64 kcrypto_sha384[] = { SHA384_H0, SHA384_H1, SHA384_H2, SHA384_H3,
				      SHA384_H4, SHA384_H5, SHA384_H6, SHA384_H7 };
static const u64 kcrypto_sha512[] = { SHA512_H0, SHA512_H1, SHA512_H2, SHA512_H3,
				      SHA512_H4, SHA512_H5, SHA512_H6, SHA512_H7 };

static const struct kcrypto_form kcrypto_forms[] = {
	KCRYPTO_FORM("md5", md5_state, byte_count, kcrypto_md5),
	KCRYPTO_FORM("sha1", sha1_state, count, kcrypto_sha1),
	KCRYPTO_FORM("sha224", sha256_state, count, kcrypto_sha224),
	KCRYPTO_FORM("sha256", sha256_state, count, kcrypto_sha256),
	KCRYPTO_FORM("sha384", sha512_state, count, kcrypto_sha384),
	KCRYPTO_FORM("sha512", sha512_state, count, kcrypto_sha512),
};

static const struct kcrypto_form *kcrypto_form_of(const struct kcrypto_alg *alg)
{
	const struct kcrypto_form *form = kcrypto_forms;

	while (strcmp(form->name, alg->name) != 0)
		form++;
	return form;
}

/**
 * kcrypto_midstate_fits() - may a driver be able to go on from a midstate?
 * @alg: a row of kind KCRYPTO_BLOCKS
 * @driver: of this digest; under crypto_alg_sem, or in use
 *
 * Since 6.16 a form may end in one more byte: how many there are in the partial block. A longer one
 * is known by the driver's name.
 *
 * Return: false if it exports another form, or leaves the middle of a digest to software.
 */
bool kcrypto_midstate_fits(const struct kcrypto_alg *alg, const struct crypto_alg *driver)
{
	const struct kcrypto_traits *traits = kcrypto_traits_of(driver->cra_driver_name);
	unsigned int size = container_of(driver, struct hash_alg_common, base)->statesize;
	unsigned int known = kcrypto_form_of(alg)->size;

	if (traits && (traits->whole_only || traits->mixes))
		return false;
	if (traits && traits->long_state)
		return size > known && size <= KCRYPTO_MAX_STATE;
	return size == known || size == known + 1;
}

/* From the driver's order of the bytes in a word to this machine's, or back, which is the same. */
static void kcrypto_midstate_copy(const struct kcrypto_session *session, u8 *to, const u8 *from)
{
	unsigned int i, len = session->alg->out_len;
	unsigned int last = len == SHA512_DIGEST_SIZE ? sizeof(u64) - 1 : sizeof(u32) - 1;

	for (i = 0; i < len; i++)
		to[i] = from[session->is_swapped ? i ^ last : i];
}

/* From here on, what a driver exported, and what is put into that. */
static bool kcrypto_midstate_is_at(const struct kcrypto_alg *alg, const u8 *state, u64 bytes)
{
	u64 count;

	memcpy(&count, state + kcrypto_form_of(alg)->count_at, sizeof(count));
	return count == bytes;
}

/* Goes on from @from, or from the beginning, by @blocks blocks of zeros; exports that to @to. */
static int kcrypto_midstate_step(struct ahash_request *req, const u8 *from, u8 *to,
				 unsigned int blocks, const u8 *zeros)
{
	unsigned int len = blocks * crypto_ahash_blocksize(crypto_ahash_reqtfm(req));
	DECLARE_CRYPTO_WAIT(wait);
	struct scatterlist sg;
	int err;

	sg_init_one(&sg, zeros, max(len, 1U));
	ahash_request_set_callback(req, KCRYPTO_MAY, crypto_req_done, &wait);
	ahash_request_set_crypt(req, &sg, NULL, len);
	err = from ? crypto_ahash_import(req, from) :
		     crypto_wait_req(crypto_ahash_init(req), &wait);
	if (!err && len)
		err = crypto_wait_req(crypto_ahash_update(req), &wait);
	if (err)
		return err;
	return crypto_ahash_export(req, to);
}

/* Finds out in which order the driver has a word's bytes; false: a digest begins otherwise. */
static bool kcrypto_midstate_find_order(struct kcrypto_session *session, const u8 *state)
{
	const void *first = kcrypto_form_of(session->alg)->first;
	u8 words[KCRYPTO_MAX_OUT];

	session->is_swapped = memcmp(state, first, session->alg->out_len) != 0;
	kcrypto_midstate_copy(session, words, state);
	if (memcmp(words, first, session->alg->out_len))
		return false;
	return kcrypto_midstate_is_at(session->alg, state, 0);
}

/*
 * Known answers: where the words and the count are, at the beginning, after a block, and after
 * another one from there, which is the same as two at once.
 */
static int kcrypto_midstate_ask(struct kcrypto_session *session, struct ahash_request *req,
				u8 *room)
{
	unsigned int block = session->alg->unit, len = session->alg->out_len;
	u8 *zeros = room, *begin = room + 2 * block, *one = session->midstate;
	u8 *two = begin + KCRYPTO_MAX_STATE, *both = two + KCRYPTO_MAX_STATE;
	int err = kcrypto_midstate_step(req, NULL, begin, 0, zeros);

	if (!err && !kcrypto_midstate_find_order(session, begin))
		return -EPROTONOSUPPORT;
	err = err ?: kcrypto_midstate_step(req, NULL, one, 1, zeros);
	if (!err && (!memcmp(begin, one, len) || !kcrypto_midstate_is_at(session->alg, one, block)))
		return -EPROTONOSUPPORT;
	err = err ?: kcrypto_midstate_step(req, one, two, 1, zeros);
	err = err ?: kcrypto_midstate_step(req, NULL, both, 2, zeros);
	if (!err && (memcmp(two, both, len) ||
		     !kcrypto_midstate_is_at(session->alg, two, 2 * block)))
		err = -EPROTONOSUPPORT;
	return err;
}

/**
 * kcrypto_midstate_learn() - finds out whether a session's driver goes on from a midstate
 * @session: has a transform
 *
 * Return: 0; -EPROTONOSUPPORT: it has another form; or the driver's error.
 */
int kcrypto_midstate_learn(struct kcrypto_session *session)
{
	struct crypto_ahash *ahash = session->tfm.ahash;
	struct ahash_request *req;
	int err = -ENOMEM;
	u8 *room;

	if (session->alg->kind != KCRYPTO_BLOCKS)
		return 0;
	if (!kcrypto_midstate_fits(session->alg, session->tfm.base->__crt_alg))
		return -EPROTONOSUPPORT;
	/* With zeros, as not every driver writes all of what it calls its state. */
	kfree(session->midstate);
	session->midstate = kzalloc(KCRYPTO_MAX_STATE, GFP_KERNEL_ACCOUNT);
	room = kzalloc(2 * session->alg->unit + 3 * KCRYPTO_MAX_STATE, GFP_KERNEL_ACCOUNT);
	req = ahash_request_alloc(ahash, GFP_KERNEL_ACCOUNT);
	if (session->midstate && room && req)
		err = kcrypto_midstate_ask(session, req, room);
	ahash_request_free(req);
	kfree(room);
	return err;
}

/* The words of a job's midstate go to the driver. */
int kcrypto_midstate_import(struct kcrypto_job *job)
{
	struct kcrypto_session *session = job->session;
	u8 state[KCRYPTO_MAX_STATE] __aligned(8);
	int err;

	memcpy(state, session->midstate, sizeof(state));
	kcrypto_midstate_copy(session, state, job->result);
	err = crypto_ahash_import((void *)job->inner, state);
	memzero_explicit(state, sizeof(state));
	return err;
}

/* And back, when it has answered; -EIO: it has not done all blocks. */
int kcrypto_midstate_export(struct kcrypto_job *job)
{
	const struct kcrypto_alg *alg = job->session->alg;
	u8 state[KCRYPTO_MAX_STATE] __aligned(8);
	int err = crypto_ahash_export((void *)job->inner, state);

	if (!err && !kcrypto_midstate_is_at(alg, state, alg->unit + job->req.len))
		err = -EIO;
	if (!err)
		kcrypto_midstate_copy(job->session, job->result, state);
	memzero_explicit(state, sizeof(state));
	return err;
}
