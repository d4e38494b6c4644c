/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of every length, at every address, with IVs at which a counter carries; then keys, tags
 * and requests that have to be refused, and a right answer after that.
 */
#include "cli/selftest/selftest.h"

#include <errno.h>
#include <string.h>

#include "session/session.h"

#define EACH_LENGTH 300 /* bytes: each length up to this one */
#define LARGE	    16384
#define IV_LENGTH   4112 /* bytes: 257 blocks, more than a counter's last byte has room for */

bool kc_ask_known(struct kc_exam *e)
{
	struct kc_prices prices[2];
	enum kc_reason why = kc_answers_check(&e->answers, prices);

	if (why == KC_OK) {
		atomic_fetch_add(e->requests, 1);
		return true;
	}
	return kc_exam_find(e, why == KC_WRONG_ANSWER ? KC_IS_WRONG : KC_FAILS,
			    "kcrypto's own first questions: %s", kc_reasons[why].text);
}

/* Through the buffer that programs with threads get, and directly from and to memory. */
static bool ask_length(struct kc_exam *e, size_t len)
{
	unsigned page = (unsigned)e->page;

	len = kc_exam_fit(e, len);
	return kc_exam_ask_both(e, (struct kc_question){ .len = len }) &&
	       kc_exam_ask_both(e, (struct kc_question){
					   .len = len, .in_offset = page, .out_offset = page });
}

bool kc_ask_lengths(struct kc_exam *e)
{
	size_t unit = kc_exam_unit(e->alg), n = unit == 1 ? EACH_LENGTH : EACH_LENGTH / 8;
	bool ok = true;

	for (size_t i = 1; ok && i <= n; i++)
		ok = ask_length(e, i * unit);
	for (size_t len = 512; ok && len <= LARGE; len *= 2)
		ok = ask_length(e, len - unit) && ask_length(e, len) && ask_length(e, len + unit);
	return ok;
}

bool kc_ask_largest(struct kc_exam *e)
{
	size_t unit = kc_exam_unit(e->alg), limit = e->session.limit;
	bool ok = ask_length(e, limit) && ask_length(e, limit - unit) &&
		  ask_length(e, limit - e->page) && ask_length(e, limit / 2) &&
		  ask_length(e, limit / 2 + unit);

	return ok && kc_exam_ask_both(e, (struct kc_question){ .len = kc_exam_fit(e, limit),
							       .in_offset = 1,
							       .out_offset = 3 });
}

/* An AEAD's answer follows its AAD. */
static bool ask_at(struct kc_exam *e, size_t len, unsigned in, unsigned out)
{
	return kc_exam_ask_both(
		e, (struct kc_question){ .len = kc_exam_fit(e, len),
					 .in_offset = in,
					 .out_offset = out,
					 .aad_len = e->alg->kind == KC_AEAD ? out % 16 : 0 });
}

bool kc_ask_alignments(struct kc_exam *e)
{
	unsigned page = (unsigned)e->page;
	bool ok = true;

	for (unsigned in = 0; ok && in < 16; in++)
		for (unsigned out = 0; ok && out < 16; out++)
			ok = ask_at(e, 48, in, out) && ask_at(e, 4112, in, out);
	/* A block lies on two pages. */
	for (unsigned back = 1; ok && back <= 16; back++)
		ok = ask_at(e, 64, page - back, page - 1) && ask_at(e, 64, page - 4, page - back) &&
		     ask_at(e, 4112, page - back, page - back);
	return ok;
}

const char *kc_has_no_iv(const struct kc_alg *alg)
{
	return alg->iv_len ? NULL : "it has no IV";
}

/* CCM's has a length before the nonce and a counter behind it. */
static void set_iv(const struct kc_exam *e, struct kc_question *q, uint8_t byte)
{
	bool is_ccm = e->alg->kind == KC_AEAD && !e->alg->nonce_len;

	q->has_iv = true;
	memcpy(q->iv, e->answers.iv, sizeof(q->iv));
	memset(q->iv + is_ccm, byte, is_ccm ? KC_RECORD_NONCE : e->alg->iv_len);
}

bool kc_ask_ivs(struct kc_exam *e)
{
	static const uint8_t bytes[] = { 0, 0xff, 0x80, 0x01, 0x7f, 0x5a };
	bool ok = true;

	for (size_t i = 0; ok && i < sizeof(bytes); i++) {
		struct kc_question q = { .len = kc_exam_fit(e, IV_LENGTH) };

		set_iv(e, &q, bytes[i]);
		/* A counter of 32 bits must not carry. */
		if (e->alg->iv_rule == KC_IV_ADD_BLOCKS_LE)
			memset(q.iv, 0, 4);
		ok = kc_exam_ask_both(e, q);
		q.len = kc_exam_fit(e, 1);
		ok = ok && kc_exam_ask_both(e, q);
	}
	return ok;
}

const char *kc_has_no_counter(const struct kc_alg *alg)
{
	return alg->kind == KC_CIPHER && alg->iv_rule == KC_IV_ADD_BLOCKS ?
		       NULL :
		       "its IV is not a counter that may wrap";
}

/* The last @n bytes are so near their end that they wrap after @blocks blocks. */
static bool ask_wrap(struct kc_exam *e, size_t n, unsigned blocks, size_t len)
{
	struct kc_question q = { .len = kc_exam_fit(e, len) };

	set_iv(e, &q, 0xa5);
	memset(q.iv + KC_MAX_IV - n, 0xff, n);
	q.iv[KC_MAX_IV - 1] = (uint8_t)(0x100 - blocks);
	return kc_exam_ask_both(e, q);
}

bool kc_ask_counters(struct kc_exam *e)
{
	bool ok = true;

	for (size_t n = 1; ok && n <= KC_MAX_IV; n++)
		for (unsigned blocks = 1; ok && blocks <= 17; blocks++)
			ok = ask_wrap(e, n, blocks, 64) && ask_wrap(e, n, blocks, 512) &&
			     ask_wrap(e, n, blocks, IV_LENGTH);
	return ok;
}

const char *kc_is_no_aead(const struct kc_alg *alg)
{
	return alg->kind == KC_AEAD ? NULL : "it has no tag";
}

bool kc_ask_aad(struct kc_exam *e)
{
	bool ok = true;

	for (unsigned n = 0; ok && n <= KC_MAX_AAD; n++)
		ok = kc_exam_ask_both(e, (struct kc_question){ .len = 1, .aad_len = n }) &&
		     kc_exam_ask_both(e, (struct kc_question){ .len = 1000 + n, .aad_len = n });
	return ok;
}

/* After the encryption of a message: with something wrong in it, is it refused? */
static bool ask_forged(struct kc_exam *e, const struct kc_question *q, const char *what,
		       uint8_t *byte, unsigned bit)
{
	struct kc_answers *a = &e->answers;
	struct kc_req req = { .dir = KC_DECRYPT,
			      .iv = a->iv,
			      .aad = a->aad,
			      .in = a->want,
			      .out = a->got,
			      .len = q->len,
			      .aad_len = q->aad_len,
			      .tag = a->got_tag };
	int err;

	memcpy(a->got_tag, a->want_tag, sizeof(a->got_tag));
	*byte ^= (uint8_t)(1u << bit);
	err = kc_session_ask(&e->session, &req, a->room);
	*byte ^= (uint8_t)(1u << bit);
	if (err == -EBADMSG) {
		atomic_fetch_add(e->requests, 1);
		return true;
	}
	return kc_exam_find(e, err ? KC_FAILS : KC_IS_WRONG, "%zu bytes with a wrong %s: %s",
			    q->len, what, err ? strerror(-err) : "accepted");
}

static bool ask_forgeries(struct kc_exam *e, size_t len)
{
	struct kc_question q = { .dir = KC_ENCRYPT, .len = kc_exam_fit(e, len), .aad_len = 13 };
	struct kc_answers *a = &e->answers;
	unsigned bits = 8 * a->key.tag_len;
	bool ok = kc_exam_ask(e, &q);

	for (unsigned i = 0; ok && i < bits; i++)
		ok = ask_forged(e, &q, "tag", &a->got_tag[i / 8], i % 8);
	ok = ok && ask_forged(e, &q, "first byte", a->want, 7) &&
	     ask_forged(e, &q, "last byte", &a->want[q.len - 1], 0) &&
	     ask_forged(e, &q, "AAD", &a->aad[q.aad_len - 1], 3) &&
	     ask_forged(e, &q, "nonce", &a->iv[1], 2);
	q.dir = KC_DECRYPT;
	return ok && kc_exam_ask(e, &q);
}

bool kc_ask_tags(struct kc_exam *e)
{
	return ask_forgeries(e, 1) && ask_forgeries(e, 64) && ask_forgeries(e, 4099) &&
	       ask_forgeries(e, KC_MAX_REQUEST);
}

const char *kc_takes_any_key(const struct kc_alg *alg)
{
	if (alg->kind == KC_DIGEST)
		return "it has no key";
	if (alg->kind == KC_MAC && !alg->key_len)
		return "any length of a key is right";
	return alg->legacy ? "keys of many lengths may be right" : NULL;
}

static bool ask_key(struct kc_exam *e, size_t len)
{
	size_t right = e->answers.key.len;
	int err;

	e->answers.key.len = len;
	err = kc_exam_open(e);
	e->answers.key.len = right;
	if (!err)
		return kc_exam_find(e, KC_IS_WRONG, "a key of %zu bytes was accepted", len);
	atomic_fetch_add(e->requests, 1);
	return true;
}

/* After a refusal the driver still has to answer right. */
static bool ask_again(struct kc_exam *e)
{
	int err = kc_exam_open(e);

	if (err)
		return kc_exam_find(e, KC_FAILS, "no session after a refusal: %s", strerror(-err));
	return kc_exam_ask_both(e, (struct kc_question){ .len = kc_exam_fit(e, 1000) });
}

bool kc_ask_keys(struct kc_exam *e)
{
	size_t len = e->alg->key_len;

	return ask_key(e, len + 1) && ask_key(e, len - 1) && ask_key(e, 1) && ask_again(e);
}

const char *kc_takes_any_request(const struct kc_alg *alg)
{
	return kc_exam_unit(alg) > 1 ? NULL : "a message of any length is right";
}

/* Part of a block. */
static bool ask_part(struct kc_exam *e, enum kc_dir dir, size_t len)
{
	struct kc_answers *a = &e->answers;
	const struct kc_req req = {
		.dir = dir, .iv = a->iv, .in = a->in, .out = a->got, .len = len
	};
	struct kc_question q = { .dir = dir, .len = len };
	char text[80];
	int err;

	e->finding->question = q;
	err = kc_exam_open(e);
	if (err)
		return kc_exam_find(e, KC_FAILS, "no session: %s", strerror(-err));
	if (kc_session_ask(&e->session, &req, a->room) == 0)
		return kc_exam_find(e, KC_IS_WRONG, "%s: accepted",
				    kc_question_text(e->alg, &q, text, sizeof(text)));
	atomic_fetch_add(e->requests, 1);
	return true;
}

/* XTS does parts of a block if there is a whole one before them. */
bool kc_ask_broken(struct kc_exam *e)
{
	size_t block = e->alg->block_len;
	bool needs_one = e->alg->iv_rule == KC_IV_WHOLE, ok = true;

	for (int dir = KC_DECRYPT; ok && dir <= KC_ENCRYPT; dir++)
		ok = ask_part(e, (enum kc_dir)dir, block - 1) && ask_part(e, (enum kc_dir)dir, 1) &&
		     (needs_one || (ask_part(e, (enum kc_dir)dir, block + 1) &&
				    ask_part(e, (enum kc_dir)dir, 4096 + block / 2)));
	return ok && ask_again(e);
}
