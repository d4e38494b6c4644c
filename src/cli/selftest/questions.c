/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of every length, at every address, with IVs at which a counter carries; then keys, tags
 * and requests that have to be refused, with a right answer after that.
 */
#include "cli/selftest/selftest.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cli/evidence/evidence.h"
#include "session/request.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define EACH_LENGTH 300 /* bytes: each length up to this one */
#define LARGE	    16384
#define REPEATED    256	 /* bytes */
#define IV_LENGTH   4112 /* bytes: 257 blocks, more than the last byte of a counter can count */

/* Takes the price per KiB of requests of about a page. */
static void take_price(struct kc_finding *f, const struct kc_prices *p)
{
	uint64_t ns = p->kernel_long;

	if (ns == UINT64_MAX)
		return;
	ns = ns * 1024 / p->len;
	f->kib_ns = ns < UINT_MAX ? (unsigned)ns : UINT_MAX;
}

bool kc_ask_known(struct kc_exam *e)
{
	struct kc_prices prices[2];
	enum kc_ruling ruling;
	enum kc_reason why;

	kc_exam_count_asked(e);
	e->answers.until = e->end;
	why = kc_answers_check(&e->answers, prices);
	atomic_fetch_add(&e->shared->left_out, e->answers.left_out);
	if (why == KC_OK) {
		take_price(e->shared, &prices[KC_ENCRYPT]);
		kc_exam_count_answer(e);
		return true;
	}
	ruling = kc_exam_error(e->answers.err);
	if (why == KC_WRONG_ANSWER)
		ruling = KC_IS_WRONG;
	return kc_exam_find(e, ruling, "the requests before the first use: %s",
			    kc_reasons[why].text);
}

/* Finds a driver that is wrong now and then, whatever the question. */
bool kc_ask_repeated(struct kc_exam *e)
{
	struct kc_question q = { .dir = KC_ENCRYPT, .len = kc_exam_fit(e, REPEATED) };
	bool ok = true;

	for (unsigned i = 0; ok && i < e->all->repeats; i++)
		ok = kc_exam_ask(e, &q);
	return ok;
}

/* No answer is judged here: tells who gave it. */
bool kc_ask_interrupts(struct kc_exam *e)
{
	struct kc_evidence found;

	kc_evidence_find(e->candidate, e->answers.base, KC_LOOK_CLOSELY, &found);
	e->shared->asked += found.requests;
	if (found.by == KC_DONE_UNTOLD)
		return kc_exam_find(e, KC_FAILS, "no session, or a request failed");
	e->shared->requests += found.requests;
	kc_exam_find(e, KC_IS_RIGHT, "%s; %s", found.text, found.times);
	return true;
}

/*
 * Each length through the buffer that programs with threads get, and directly from and to memory.
 */
static void set_length(const struct kc_exam *e, unsigned i, size_t len, struct kc_question *q)
{
	q->len = len;
	q->in_offset = q->out_offset = i % 2 * (unsigned)e->page;
}

bool kc_of_length(const struct kc_exam *e, unsigned i, struct kc_question *q)
{
	size_t unit = kc_exam_unit(e->candidate, e->all->depth), n = EACH_LENGTH, k, power;

	if (unit != 1)
		n /= 8;
	if (i / 2 < n) {
		set_length(e, i, (i / 2 + 1) * unit, q);
		return true;
	}
	/* Then each power of two, and the lengths just below and above it. */
	k = i / 2 - n;
	power = (size_t)512 << k / 3;
	set_length(e, i, power + (k % 3 - 1) * unit, q);
	return power <= LARGE;
}

bool kc_of_largest(const struct kc_exam *e, unsigned i, struct kc_question *q)
{
	size_t unit = kc_exam_unit(e->candidate, e->all->depth), limit = e->session.limit;
	const size_t lengths[] = { limit,     limit - unit,	limit - e->page,
				   limit / 2, limit / 2 + unit, limit };
	const unsigned n = sizeof(lengths) / sizeof(lengths[0]);

	set_length(e, i, lengths[i / 2 % n], q);
	if (i / 2 == n - 1) {
		q->in_offset = 1;
		q->out_offset = 3;
	}
	return i < 2 * n;
}

/* An AEAD's answer follows its AAD. */
static void set_offsets(const struct kc_exam *e, unsigned in, unsigned out, struct kc_question *q)
{
	q->in_offset = in;
	q->out_offset = out;
	if (e->alg->kind == KC_AEAD)
		q->aad_len = out % 16;
}

/* A block that lies on two pages. */
static bool set_across(const struct kc_exam *e, unsigned i, struct kc_question *q)
{
	static const size_t lengths[] = { 64, 64, 4112 };
	unsigned page = (unsigned)e->page, back = i / 3 + 1;
	const unsigned across[3][2] = { { page - back, page - 1 },
					{ page - 4, page - back },
					{ page - back, page - back } };

	q->len = lengths[i % 3];
	set_offsets(e, across[i % 3][0], across[i % 3][1], q);
	return back <= 16;
}

/* All of 16 offsets by 16, each with a short and a long text, and then across pages. */
bool kc_of_alignment(const struct kc_exam *e, unsigned i, struct kc_question *q)
{
	static const size_t lengths[] = { 48, 4112 };
	unsigned k = i / 2;

	if (i >= 512)
		return set_across(e, i - 512, q);
	q->len = lengths[i % 2];
	set_offsets(e, k / 16, k % 16, q);
	return true;
}

/* CCM's IV has a length before the nonce, and a counter after it. */
static void set_iv(const struct kc_exam *e, struct kc_question *q, uint8_t byte)
{
	bool is_ccm = e->alg->kind == KC_AEAD && !e->alg->nonce_len;

	q->has_iv = true;
	memcpy(q->iv, e->answers.iv, sizeof(q->iv));
	if (is_ccm)
		memset(q->iv + 1, byte, KC_RECORD_NONCE);
	else
		memset(q->iv, byte, e->alg->iv_len);
}

bool kc_of_iv(const struct kc_exam *e, unsigned i, struct kc_question *q)
{
	static const uint8_t bytes[] = { 0, 0xff, 0x80, 0x01, 0x7f, 0x5a };
	static const size_t lengths[] = { IV_LENGTH, 1 };

	q->len = lengths[i % 2];
	set_iv(e, q, bytes[i / 2 % sizeof(bytes)]);
	/* A 32-bit counter must not carry. */
	if (e->alg->iv_rule == KC_IV_ADD_BLOCKS_LE)
		memset(q->iv, 0, 4);
	return i < 2 * sizeof(bytes);
}

/* The last bytes are so close to their maximum that they wrap after some blocks. */
bool kc_of_counter(const struct kc_exam *e, unsigned i, struct kc_question *q)
{
	static const size_t lengths[] = { 64, 512, IV_LENGTH };
	unsigned blocks = i / 3 % 17 + 1, bytes = i / 3 / 17 + 1;

	if (bytes > KC_MAX_IV)
		return false;
	q->len = lengths[i % 3];
	set_iv(e, q, 0xa5);
	memset(q->iv + KC_MAX_IV - bytes, 0xff, bytes);
	q->iv[KC_MAX_IV - 1] = (uint8_t)(0x100 - blocks);
	return true;
}

bool kc_of_aad(const struct kc_exam *e, unsigned i, struct kc_question *q)
{
	(void)e;
	q->aad_len = i / 2;
	q->len = 1;
	if (i % 2)
		q->len = 1000 + i / 2;
	return q->aad_len <= KC_MAX_AAD;
}

/* After the encryption of a message: true if the message is refused with something wrong in it. */
static bool ask_forged(struct kc_exam *e, const struct kc_question *q, const char *what,
		       uint8_t *byte, unsigned bit)
{
	struct kc_answers *a = &e->answers;
	struct kc_req req = kc_answers_req(a, KC_DECRYPT, q->len);
	int err;

	if (kc_exam_leaves_out(e, q->len, 1))
		return true;
	req.in = a->want;
	req.aad_len = q->aad_len;
	memcpy(a->got_tag, a->want_tag, sizeof(a->got_tag));
	*byte ^= (uint8_t)(1u << bit);
	kc_exam_count_asked(e);
	err = kc_session_ask(&e->session, &req, a->room);
	*byte ^= (uint8_t)(1u << bit);
	if (err == -EBADMSG) {
		kc_exam_count_answer(e);
		return true;
	}
	if (err)
		return kc_exam_find(e, kc_exam_error(err), "%zu bytes with a wrong %s: %s", q->len,
				    what, strerror(-err));
	return kc_exam_find(e, KC_IS_WRONG, "%zu bytes with a wrong %s: accepted", q->len, what);
}

static bool ask_forgeries(struct kc_exam *e, size_t len)
{
	struct kc_question q = { .dir = KC_ENCRYPT, .len = kc_exam_fit(e, len), .aad_len = 13 };
	struct kc_answers *a = &e->answers;
	const struct {
		const char *what;
		uint8_t *byte;
		unsigned bit;
	} others[] = { { "first byte", a->want, 7 },
		       { "last byte", &a->want[q.len - 1], 0 },
		       { "AAD", &a->aad[q.aad_len - 1], 3 },
		       { "nonce", &a->iv[1], 2 } };
	unsigned bits = 8 * a->key.tag_len;
	bool ok = kc_exam_ask(e, &q);

	for (unsigned i = 0; ok && i < bits; i++)
		ok = ask_forged(e, &q, "tag", &a->got_tag[i / 8], i % 8);
	for (size_t i = 0; ok && i < ARRAY_SIZE(others); i++)
		ok = ask_forged(e, &q, others[i].what, others[i].byte, others[i].bit);
	q.dir = KC_DECRYPT;
	if (ok)
		ok = kc_exam_ask(e, &q);
	return ok;
}

bool kc_ask_tags(struct kc_exam *e)
{
	static const size_t lengths[] = { 1, 64, 4099, KC_MAX_REQUEST };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		if (!ask_forgeries(e, lengths[i]))
			return false;
	return true;
}

/* In the block, the nonce takes what a byte and the message's length of @of bytes leave. */
static void set_nonce(struct kc_exam *e, struct kc_question *q, unsigned of)
{
	q->has_iv = true;
	memset(q->iv, 0, sizeof(q->iv));
	q->iv[0] = (uint8_t)(of - 1);
	memcpy(q->iv + 1, e->answers.in, KC_MAX_IV - 1 - of);
}

static bool ask_nonces(struct kc_exam *e)
{
	struct kc_answers *a = &e->answers;
	struct kc_question q = { .len = 100, .aad_len = 13, .tag_len = a->key.tag_len };

	for (unsigned of = 2; of <= 8; of++) {
		set_nonce(e, &q, of);
		if (!kc_exam_ask_both(e, q) ||
		    !ask_forged(e, &q, "tag", &a->got_tag[a->key.tag_len - 1], 7))
			return false;
	}
	return true;
}

/* With a tag length that the driver refuses, software does the messages. */
bool kc_ask_tag_lengths(struct kc_exam *e)
{
	unsigned usual = e->answers.key.tag_len;
	bool ok = true;

	for (unsigned len = 4; ok && len <= usual; len += 2) {
		e->answers.key.tag_len = len;
		ok = kc_exam_open(e) != 0 || ask_nonces(e);
	}
	e->answers.key.tag_len = usual;
	return ok;
}

static bool ask_key(struct kc_exam *e, size_t len)
{
	size_t right = e->answers.key.len;
	int err;

	e->answers.key.len = len;
	kc_exam_count_asked(e);
	err = kc_exam_open(e);
	e->answers.key.len = right;
	if (!err)
		return kc_exam_find(e, KC_IS_WRONG, "a key of %zu bytes was accepted", len);
	kc_exam_count_answer(e);
	return true;
}

/* After a refusal the driver still has to answer right. */
static bool ask_again(struct kc_exam *e)
{
	int err = kc_exam_open(e);

	if (err)
		return kc_exam_find(e, KC_FAILS, "no session after a refusal: %s", strerror(-err));
	e->until = UINT64_MAX;
	return kc_exam_ask_both(e, (struct kc_question){ .len = kc_exam_fit(e, 1000) });
}

bool kc_ask_keys(struct kc_exam *e)
{
	const size_t lengths[] = { e->alg->key_len + 1, e->alg->key_len - 1, 1 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		if (!ask_key(e, lengths[i]))
			return false;
	return ask_again(e);
}

/* A part of a block. */
static bool ask_part(struct kc_exam *e, enum kc_dir dir, size_t len)
{
	struct kc_answers *a = &e->answers;
	const struct kc_req req = kc_answers_req(a, dir, len);
	struct kc_question q = { .dir = dir, .len = len };
	int err;

	e->finding->question = q;
	err = kc_exam_open(e);
	if (err)
		return kc_exam_find(e, KC_FAILS, "no session: %s", strerror(-err));
	kc_exam_count_asked(e);
	if (kc_session_ask(&e->session, &req, a->room) == 0)
		return kc_exam_find(e, KC_IS_WRONG, "%s: accepted", kc_question_text(e->alg, &q));
	kc_exam_count_answer(e);
	return true;
}

/* XTS does parts of a block if a whole one precedes them. */
bool kc_ask_broken(struct kc_exam *e)
{
	const size_t block = e->alg->block_len;
	const size_t lengths[] = { block - 1, 1, block + 1, 4096 + block / 2 };
	size_t n = ARRAY_SIZE(lengths);

	if (e->alg->iv_rule == KC_IV_WHOLE)
		n = 2;
	for (size_t i = 0; i < 2 * n; i++)
		if (!ask_part(e, (enum kc_dir)(i / n), lengths[i % n]))
			return false;
	return ask_again(e);
}
