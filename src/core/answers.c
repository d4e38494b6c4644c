/* SPDX-License-Identifier: Apache-2.0 */
/* The published vector of a row, and shapes of requests that drivers are known to get wrong. */
#include "core/answers.h"

#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "core/session.h"

/* Lengths in bytes, offsets from a page's start; len 0 stands for the largest request. */
struct shape {
	unsigned len, in_offset, out_offset;
	unsigned iv_ones; /* trailing IV bytes that are 0xff: the counter wraps behind them */
	unsigned aad_len;
};

static const struct shape shapes[] = {
	{ .len = 16, .aad_len = 13 },
	{ .len = 48, .in_offset = 1, .out_offset = 3 },
	{ .len = 272, .in_offset = 5, .aad_len = 5 },
	{ .len = 4112, .in_offset = 16, .out_offset = 1, .aad_len = KC_MAX_AAD },
	{ .len = 64, .iv_ones = 4 },
	{ .len = 64, .iv_ones = 8 },
	{ .len = 64, .iv_ones = 16 },
	{ .len = 0, .in_offset = 7, .out_offset = 9, .aad_len = 13 },
};

static unsigned digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Returns the number of bytes; 0 for NULL. */
static size_t from_hex(uint8_t *out, size_t size, const char *hex)
{
	size_t n = 0;

	for (; hex && n < size && hex[0] && hex[1]; hex += 2)
		out[n++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
	return n;
}

static bool has_text(const struct kc_alg *alg)
{
	return alg->kind == KC_CIPHER || alg->kind == KC_AEAD;
}

enum kc_dir kc_answers_first_dir(const struct kc_alg *alg)
{
	return has_text(alg) ? KC_DECRYPT : KC_ENCRYPT;
}

/* The length of what is beside the text: a tag, a digest, a MAC. */
static size_t tag_len(const struct kc_answers *a)
{
	const struct kc_alg *alg = a->base->alg;

	return alg->kind == KC_AEAD ? a->key.tag_len : alg->out_len;
}

static enum kc_reason by_base(struct kc_answers *a, struct kc_req *req)
{
	uint64_t start = kc_now_ns();

	req->out = a->want;
	req->tag = a->want_tag;
	if (!a->base->whole(a->base, a->base_ctx, &a->key, req))
		return KC_NO_MEMORY;
	a->soft_ns = kc_now_ns() - start;
	return KC_OK;
}

/*
 * What begins anywhere is for the request's own memory, as from a program without threads; this
 * memory is all ours. All else goes through the room, as every program's AEAD does.
 */
static uint8_t *room_for(const struct kc_answers *a, const struct kc_req *req)
{
	bool is_anywhere = req->in != a->in || req->out != a->got;

	return is_anywhere && kc_session_reaches(a->session, req) ? NULL : a->room;
}

static enum kc_reason by_kernel(struct kc_answers *a, const struct kc_req *req)
{
	uint64_t start = kc_now_ns();

	if (a->session->backend->run(a->session, req, room_for(a, req)) != 0)
		return KC_REQUEST_FAILED;
	a->kernel_ns = kc_now_ns() - start;
	return KC_OK;
}

/*
 * One request in both, compared. An AEAD decrypts only what has its tag, so there the base
 * encrypts, and the kernel has to find the way back.
 */
static enum kc_reason same(struct kc_answers *a, struct kc_req req, uint8_t *got)
{
	const struct kc_alg *alg = a->base->alg;
	const uint8_t *right = a->want;
	enum kc_dir dir = req.dir;
	enum kc_reason why;

	req.iv = a->iv;
	req.aad = a->aad;
	if (alg->kind == KC_AEAD)
		req.dir = KC_ENCRYPT;
	why = by_base(a, &req);
	if (why != KC_OK)
		return why;
	if (req.dir != dir) {
		right = req.in;
		req.in = a->want;
		memcpy(a->got_tag, a->want_tag, tag_len(a));
	}
	req.dir = dir;
	req.out = got;
	req.tag = a->got_tag;
	why = by_kernel(a, &req);
	if (why != KC_OK)
		return why;
	if (has_text(alg) && memcmp(got, right, req.len) != 0)
		return KC_WRONG_ANSWER;
	return memcmp(a->got_tag, a->want_tag, tag_len(a)) == 0 ? KC_OK : KC_WRONG_ANSWER;
}

/* After same() has encrypted: a tag with a wrong bit has to be found out, and found out as that. */
static enum kc_reason try_bad_tag(struct kc_answers *a, struct kc_req req)
{
	int err;

	req.dir = KC_DECRYPT;
	req.iv = a->iv;
	req.aad = a->aad;
	req.in = a->want;
	req.out = a->got;
	req.tag = a->got_tag;
	a->got_tag[0] ^= 1;
	err = a->session->backend->run(a->session, &req, a->room);
	if (err == -EBADMSG)
		return KC_OK;
	return err ? KC_REQUEST_FAILED : KC_WRONG_ANSWER;
}

enum kc_reason kc_answers_vector(struct kc_answers *a)
{
	const struct kc_kat *kat = a->base->alg->kat;
	uint8_t *plain = a->in, *cipher = a->in + KC_ANSWERS_VECTOR, tag[KC_MAX_OUT];
	struct kc_req req = { .dir = KC_ENCRYPT, .in = plain };
	size_t cipher_len = from_hex(cipher, KC_ANSWERS_VECTOR, kat->cipher);
	size_t kat_tag_len = from_hex(tag, sizeof(tag), kat->tag);
	enum kc_reason why;

	req.len = from_hex(plain, KC_ANSWERS_VECTOR, kat->plain);
	req.aad_len = from_hex(a->aad, sizeof(a->aad), kat->aad);
	why = same(a, req, a->got);
	if (why != KC_OK)
		return why;
	if (memcmp(a->got, cipher, cipher_len) != 0 || memcmp(a->got_tag, tag, kat_tag_len) != 0)
		return KC_WRONG_ANSWER;
	if (a->base->alg->kind == KC_AEAD) {
		why = try_bad_tag(a, req);
	} else if (has_text(a->base->alg)) {
		req.dir = KC_DECRYPT;
		req.in = cipher;
		why = same(a, req, a->got);
	}
	return why;
}

/* Ciphers get whole blocks, all others an odd length too. */
static size_t fit_length(const struct kc_answers *a, const struct shape *s)
{
	size_t block = a->base->alg->block_len, limit = a->session->limit;

	if (!s->len || s->len >= limit)
		return limit;
	if (a->base->alg->kind != KC_CIPHER)
		return s->len + 5;
	return s->len < block ? block : s->len / block * block;
}

static enum kc_reason try_shapes(struct kc_answers *a)
{
	enum kc_reason why = KC_OK;

	bool is_aead = a->base->alg->kind == KC_AEAD;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct shape *s = &shapes[i];
		struct kc_req req = { .in = a->in + s->in_offset,
				      .len = fit_length(a, s),
				      .aad_len = is_aead ? s->aad_len : 0 };

		/* An AEAD's counter starts anew with each nonce. */
		if (a->base->alg->kind == KC_CIPHER) {
			memset(a->iv, 0xa5, sizeof(a->iv));
			memset(a->iv + sizeof(a->iv) - s->iv_ones, 0xff, s->iv_ones);
		}
		for (int dir = kc_answers_first_dir(a->base->alg); dir <= KC_ENCRYPT; dir++) {
			req.dir = (enum kc_dir)dir;
			why = same(a, req, a->got + s->out_offset);
			if (why != KC_OK)
				return why;
		}
	}
	return why;
}

enum kc_reason kc_answers_check(struct kc_answers *a)
{
	enum kc_reason why = kc_answers_vector(a);

	return why == KC_OK ? try_shapes(a) : why;
}

enum kc_reason kc_answers_one(struct kc_answers *a, enum kc_dir dir, size_t len)
{
	struct kc_req req = { .dir = dir, .in = a->in, .len = len };

	return same(a, req, a->got);
}

static void fill(uint8_t *buf, size_t len)
{
	uint32_t x = 2463534242u;

	for (size_t i = 0; i < len; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		buf[i] = (uint8_t)x;
	}
}

void kc_answers_init(struct kc_answers *a, const struct kc_base *base, uint8_t *room, uint8_t *mem,
		     size_t each)
{
	const struct kc_kat *kat = base->alg->kat;

	memset(a, 0, sizeof(*a));
	a->base = base;
	a->room = room;
	a->in = mem;
	a->want = a->in + each;
	a->got = a->want + each;
	fill(a->in, each);
	from_hex(a->iv, sizeof(a->iv), kat->iv);
	a->key.bytes = a->key_bytes;
	a->key.len = from_hex(a->key_bytes, sizeof(a->key_bytes), kat->key);
	a->key.tag_len = base->alg->kind == KC_AEAD ? (unsigned)(strlen(kat->tag) / 2) : 0;
}
