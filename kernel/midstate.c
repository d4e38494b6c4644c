// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole blocks from the middle of a digest: user space gives the words between two blocks, and gets
 * those that follow. Drivers export and import more than these words, each in a form of its own,
 * which may contain flags, counts and pointers. Known answers tell where the words are in it. A
 * user's words replace only these; all else is what the driver itself exported when the session was
 * opened.
 */
#include <crypto/md5.h>

#include "kcrypto.h"
#include <kcrypto_drivers.h>

/**
 * struct kcrypto_form - a digest between two blocks
 * @name: in the crypto API
 * @size: bytes that the kernel's software exports; newer kernels have one more
 * @first: the words that a digest begins with
 * @then: those after two blocks of zeros
 */
struct kcrypto_form {
	const char *name;
	unsigned int size;
	const void *first;
	const void *then;
};

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

static const u32 kcrypto_md5_then[] = { 0xcd0d5b14, 0x04015d84, 0x312e4049, 0x10662932 };
static const u32 kcrypto_sha1_then[] = { 0x2a7d8fd4, 0x8c4c1505, 0xdbc78126, 0xf6f22dd4,
					 0x47c4467a };
static const u32 kcrypto_sha224_then[] = { 0xbf7f0573, 0x902cb0b0, 0xfda86a7f, 0xbb27fb65,
					   0x1e487b85, 0x40d4d795, 0x64a93bd6, 0x3114fd4c };
static const u32 kcrypto_sha256_then[] = { 0x68819422, 0x197e5f1d, 0xdcc24903, 0xa8459467,
					   0x7c687e70, 0x1c623cd2, 0x82cd59d8, 0xe5e4df2b };
static const u64 kcrypto_sha384_then[] = { 0x0c0f262b8ddc00a2, 0xcb355db848e189d2,
					   0xd3442559b9987f52, 0xafed9b25ab75f74f,
					   0x702cc902aa36eeb3, 0xdca6c9c91bcc4839,
					   0xa3b2b7babfd11984, 0x641a73863b7ef5fb };
static const u64 kcrypto_sha512_then[] = { 0x1f6a2de220b43ebc, 0xf052c997d2b28419,
					   0x8aceec8f1a7f8421, 0xd16bd3c52fac3460,
					   0x08f8c96e9029bc30, 0x284d3e4c0eddc462,
					   0x0261b89dd3808f39, 0x43044e2b40d0899d };

static const struct kcrypto_form kcrypto_forms[] = {
	{ "md5", sizeof(struct md5_state), kcrypto_md5, kcrypto_md5_then },
	{ "sha1", sizeof(struct sha1_state), kcrypto_sha1, kcrypto_sha1_then },
	{ "sha224", sizeof(struct sha256_state), kcrypto_sha224, kcrypto_sha224_then },
	{ "sha256", sizeof(struct sha256_state), kcrypto_sha256, kcrypto_sha256_then },
	{ "sha384", sizeof(struct sha512_state), kcrypto_sha384, kcrypto_sha384_then },
	{ "sha512", sizeof(struct sha512_state), kcrypto_sha512, kcrypto_sha512_then },
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
 * A state that is as long as that of the kernel's software is plain: exporting and importing only
 * copy it. A driver whose own struct is plain has a trait.
 *
 * Return: false if the state may not be plain, or if the driver leaves the middle of a digest to
 * software.
 */
bool kcrypto_midstate_fits(const struct kcrypto_alg *alg, const struct crypto_alg *driver)
{
	const struct kcrypto_traits *traits = kcrypto_driver_traits(driver);
	unsigned int size = container_of(driver, struct hash_alg_common, base)->statesize;
	unsigned int known = kcrypto_form_of(alg)->size;

	if (traits && (traits->whole_only || traits->mixes))
		return false;
	if (traits && traits->plain_state)
		return size >= known && size <= KCRYPTO_MAX_STATE;
	return size == known || size == known + 1;
}

/* Bytes of a driver's exported state, rounded up, so that something aligned may precede it. */
unsigned int kcrypto_midstate_room(struct crypto_ahash *ahash)
{
	return ALIGN(crypto_ahash_statesize(ahash), sizeof(u64));
}

/* From the driver's order of the bytes in a word to this machine's, or back, which is the same. */
static void kcrypto_midstate_copy(const struct kcrypto_session *session, u8 *to, const u8 *from)
{
	unsigned int i, len = session->alg->out_len;
	unsigned int last = len == SHA512_DIGEST_SIZE ? sizeof(u64) - 1 : sizeof(u32) - 1;

	for (i = 0; i < len; i++)
		to[i] = from[session->is_swapped ? i ^ last : i];
}

/* Has the driver go on from these words. @state: room for an exported state. */
static int kcrypto_midstate_load(const struct kcrypto_session *session, struct ahash_request *req,
				 u8 *state, const u8 *words)
{
	memcpy(state, session->midstate, crypto_ahash_statesize(session->tfm.ahash));
	kcrypto_midstate_copy(session, state + session->words_at, words);
	return crypto_ahash_import(req, state);
}

/* Takes the words at which the driver has arrived. */
static int kcrypto_midstate_save(const struct kcrypto_session *session, struct ahash_request *req,
				 u8 *state, u8 *words)
{
	int err = crypto_ahash_export(req, state);

	if (!err)
		kcrypto_midstate_copy(session, words, state + session->words_at);
	return err;
}

/* Adds zeros to a digest, which begins with them if @begins. */
static int kcrypto_midstate_add(struct ahash_request *req, const u8 *zeros, unsigned int len,
				bool begins)
{
	DECLARE_CRYPTO_WAIT(wait);
	struct scatterlist sg;
	int err = 0;

	sg_init_one(&sg, zeros, len);
	ahash_request_set_callback(req, KCRYPTO_MAY, crypto_req_done, &wait);
	ahash_request_set_crypt(req, &sg, NULL, len);
	if (begins)
		err = crypto_wait_req(crypto_ahash_init(req), &wait);
	return err ?: crypto_wait_req(crypto_ahash_update(req), &wait);
}

/* Looks for words in the session's midstate: finds their place and the order of their bytes. */
static bool kcrypto_midstate_find(struct kcrypto_session *session, const u8 *words)
{
	unsigned int size = crypto_ahash_statesize(session->tfm.ahash);
	unsigned int i, len = session->alg->out_len;
	u8 found[KCRYPTO_MAX_OUT];

	for (i = 0; i / 2 * sizeof(u32) + len <= size; i++) {
		session->words_at = i / 2 * sizeof(u32);
		session->is_swapped = i % 2;
		kcrypto_midstate_copy(session, found, session->midstate + session->words_at);
		if (!memcmp(found, words, len))
			return true;
	}
	return false;
}

/*
 * Asks for known answers. After two blocks of zeros the exported state has their words, so the
 * driver has held none of them back. Then the first words are put in that place, and two requests
 * of a block each arrive at the same words again.
 */
static int kcrypto_midstate_ask(struct kcrypto_session *session, struct ahash_request *req,
				const u8 *zeros, u8 *state)
{
	const struct kcrypto_form *form = kcrypto_form_of(session->alg);
	unsigned int i, block = session->alg->unit, len = session->alg->out_len;
	int err = kcrypto_midstate_add(req, zeros, 2 * block, true);
	u8 words[KCRYPTO_MAX_OUT];

	err = err ?: crypto_ahash_export(req, session->midstate);
	if (!err && !kcrypto_midstate_find(session, form->then))
		err = -EPROTONOSUPPORT;
	memcpy(words, form->first, len);
	for (i = 0; i < 2; i++) {
		err = err ?: kcrypto_midstate_load(session, req, state, words);
		err = err ?: kcrypto_midstate_add(req, zeros, block, false);
		err = err ?: kcrypto_midstate_save(session, req, state, words);
	}
	if (!err && memcmp(words, form->then, len))
		err = -EPROTONOSUPPORT;
	return err;
}

/**
 * kcrypto_midstate_learn() - finds out whether a session's driver goes on from a midstate
 * @session: has a transform
 *
 * Return: 0; -EPROTONOSUPPORT: it does not, or its form is not understood; or the driver's error.
 */
int kcrypto_midstate_learn(struct kcrypto_session *session)
{
	struct crypto_ahash *ahash = session->tfm.ahash;
	unsigned int blocks = 2 * session->alg->unit;
	struct ahash_request *req;
	int err = -ENOMEM;
	u8 *room;

	if (session->alg->kind != KCRYPTO_BLOCKS)
		return 0;
	if (!kcrypto_midstate_fits(session->alg, session->tfm.base->__crt_alg))
		return -EPROTONOSUPPORT;
	/* With zeros, as not every driver writes all of what it calls its state. */
	kfree(session->midstate);
	session->midstate = kzalloc(kcrypto_midstate_room(ahash), GFP_KERNEL_ACCOUNT);
	room = kzalloc(blocks + kcrypto_midstate_room(ahash), GFP_KERNEL_ACCOUNT);
	req = ahash_request_alloc(ahash, GFP_KERNEL_ACCOUNT);
	if (session->midstate && room && req)
		err = kcrypto_midstate_ask(session, req, room, room + blocks);
	ahash_request_free(req);
	kfree(room);
	return err;
}

/* Room for a driver's state, at the end of a job's memory. */
static u8 *kcrypto_midstate_of(struct kcrypto_job *job)
{
	const struct kcrypto_session *session = job->session;

	return (u8 *)job->inner + session->reqsize - kcrypto_midstate_room(session->tfm.ahash);
}

/* Gives the words of a job's midstate to the driver. */
int kcrypto_midstate_import(struct kcrypto_job *job)
{
	return kcrypto_midstate_load(job->session, (void *)job->inner, kcrypto_midstate_of(job),
				     job->result);
}

/* Takes them back when it has answered. */
int kcrypto_midstate_export(struct kcrypto_job *job)
{
	return kcrypto_midstate_save(job->session, (void *)job->inner, kcrypto_midstate_of(job),
				     job->result);
}
