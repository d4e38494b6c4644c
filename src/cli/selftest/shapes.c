/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of every length, at every address, with IVs at which a counter carries. */
#include "cli/selftest/checks.h"

#include <string.h>

#define EACH_LENGTH 300 /* bytes: each length up to this one */
#define LARGE	    16384
#define IV_LENGTH   4112 /* bytes: 257 blocks, more than a counter's last byte has room for */

bool kc_ask_known(struct kc_exam *e)
{
	struct kc_prices prices[2] = { { .len = 0 } };
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
