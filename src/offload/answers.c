/* SPDX-License-Identifier: Apache-2.0 */
/* Known answers have forms that drivers are known to get wrong. */
#include "offload/answers.h"

#include <string.h>

#include "session/buffers.h"

/* Lengths in bytes, offsets from a page's start. */
struct shape {
	unsigned len, in_offset, out_offset;
	unsigned iv_ones; /* trailing IV bytes of 0xff: the counter carries past them */
	unsigned aad_len;
};

#define SHORT 64 /* bytes; the times of shapes up to SHORT, and from LONG on, count */
#define LONG  4096

static const struct shape shapes[] = {
	{ .len = 16, .aad_len = 13 },
	{ .len = 48, .in_offset = 1, .out_offset = 3 },
	{ .len = 272, .in_offset = 5, .aad_len = 5 },
	{ .len = LONG + 16, .in_offset = 16, .out_offset = 1, .aad_len = KC_MAX_AAD },
	{ .len = 64, .iv_ones = 4 },
	{ .len = 64, .iv_ones = 8 },
	{ .len = 64, .iv_ones = 16 },
	{ .len = LONG + 16, .in_offset = 7, .out_offset = 9, .aad_len = 13 },
	{ .len = LONG, .aad_len = 13 },
};

enum kc_dir kc_answers_first_dir(const struct kc_alg *alg)
{
	return kc_alg_is_hash(alg) ? KC_ENCRYPT : KC_DECRYPT;
}

/* Bytes of output besides the text: a tag, a digest, a MAC. */
static size_t tag_len(const struct kc_alg *alg, const struct kc_key *key)
{
	return alg->kind == KC_AEAD ? key->tag_len : alg->out_len;
}

/* 1 or 0 from base->whole(), which took @ns; -1 if memory is short. */
static int by_base(const struct kc_candidate *candidate, const struct kc_base *base,
		   const struct kc_key *key, const struct kc_req *req, uint64_t *ns)
{
	void *ctx = base->newctx(base);
	uint64_t start;
	int ok;

	if (!ctx)
		return -1;
	start = kc_terms_clock(&candidate->terms);
	ok = base->whole(base, ctx, key, req);
	*ns = kc_terms_clock(&candidate->terms) - start;
	base->freectx(ctx);
	return ok;
}

/*
 * Shapes with an offset work on the request's own memory, as in a program without threads; this
 * memory is all ours. All others go through the room, like every program's AEAD.
 */
static uint8_t *room_for(const struct kc_answers *a, const struct kc_req *req)
{
	bool is_anywhere = req->in != a->in || req->out != a->got;

	return is_anywhere && kc_session_is_direct(a->session, req) ? NULL : a->room;
}

static enum kc_reason by_kernel(struct kc_answers *a, const struct kc_req *req)
{
	uint64_t start = kc_terms_clock(&a->candidate->terms);

	a->err = kc_session_ask(a->session, req, room_for(a, req));
	if (a->err)
		return KC_REQUEST_FAILED;
	a->kernel_ns = kc_terms_clock(&a->candidate->terms) - start;
	return KC_OK;
}

/* An AEAD decrypts only ciphertext with its tag: the base makes that for the kernel to decrypt. */
enum kc_reason kc_answers_same(struct kc_answers *a, struct kc_req req, uint8_t *got)
{
	const struct kc_alg *alg = a->base->alg;
	const uint8_t *right = a->want;
	size_t made = tag_len(alg, &a->key);
	enum kc_dir dir = req.dir;
	enum kc_reason why;

	req.iv = a->iv;
	req.aad = a->aad;
	req.out = a->want;
	req.tag = a->want_tag;
	if (alg->kind == KC_AEAD)
		req.dir = KC_ENCRYPT;
	if (by_base(a->candidate, a->base, &a->key, &req, &a->soft_ns) != 1)
		return KC_NO_MEMORY;
	if (req.dir != dir) {
		right = req.in;
		req.in = a->want;
		memcpy(a->got_tag, a->want_tag, made);
	}
	req.dir = dir;
	req.out = got;
	req.tag = a->got_tag;
	why = by_kernel(a, &req);
	if (why != KC_OK)
		return why;
	if (!kc_alg_is_hash(alg) && memcmp(got, right, req.len) != 0)
		return KC_WRONG_ANSWER;
	return memcmp(a->got_tag, a->want_tag, made) == 0 ? KC_OK : KC_WRONG_ANSWER;
}

struct kc_req kc_answers_req(struct kc_answers *a, enum kc_dir dir, size_t len)
{
	return (struct kc_req){ .dir = dir,
				.iv = a->iv,
				.in = a->in,
				.out = a->got,
				.len = len,
				.aad = a->aad,
				.tag = a->got_tag };
}

/* After an encryption: a tag with one wrong bit must be rejected, with the right error. */
static enum kc_reason try_bad_tag(struct kc_answers *a, size_t len, size_t aad_len)
{
	struct kc_req req = kc_answers_req(a, KC_DECRYPT, len);
	int err;

	req.in = a->want;
	req.aad_len = aad_len;
	a->got_tag[0] ^= 1;
	err = kc_session_ask(a->session, &req, a->room);
	if (err == -EBADMSG)
		return KC_OK;
	return err ? KC_REQUEST_FAILED : KC_WRONG_ANSWER;
}

/* Ciphers get whole blocks, all others an odd length too. */
static size_t fit_length(const struct kc_answers *a, size_t len)
{
	size_t block = a->base->alg->block_len, limit = a->session->limit;

	if (len >= limit)
		return limit;
	if (a->base->alg->kind != KC_CIPHER)
		return len + 5;
	return len < block ? block : len / block * block;
}

/* An AEAD's counter restarts with each nonce. */
static void set_iv(struct kc_answers *a, unsigned ones)
{
	if (a->base->alg->kind != KC_CIPHER)
		return;
	memset(a->iv, 0xa5, sizeof(a->iv));
	memset(a->iv + sizeof(a->iv) - ones, 0xff, ones);
}

static enum kc_reason try_shape(struct kc_answers *a, const struct shape *s, enum kc_dir dir)
{
	struct kc_req req = { .dir = dir,
			      .in = a->in + s->in_offset,
			      .len = fit_length(a, s->len),
			      .aad_len = a->base->alg->kind == KC_AEAD ? s->aad_len : 0 };
	enum kc_reason why;

	set_iv(a, s->iv_ones);
	why = kc_answers_same(a, req, a->got + s->out_offset);
	if (why == KC_OK && s == shapes && a->base->alg->kind == KC_AEAD && dir == KC_ENCRYPT)
		why = try_bad_tag(a, req.len, req.aad_len);
	return why;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void take_price(const struct kc_answers *a, size_t len, struct kc_prices *p)
{
	if (len <= SHORT)
		p->kernel_short = least(p->kernel_short, a->kernel_ns);
	if (len < LONG)
		return;
	p->kernel_long = least(p->kernel_long, a->kernel_ns);
	p->soft_long = least(p->soft_long, a->soft_ns);
	p->len = fit_length(a, LONG);
}

enum kc_reason kc_answers_check(struct kc_answers *a, struct kc_prices *prices)
{
	static const struct kc_prices unknown = { UINT64_MAX, UINT64_MAX, UINT64_MAX, 0 };
	const size_t n = prices ? sizeof(shapes) / sizeof(shapes[0]) : 1;

	for (int dir = KC_DECRYPT; prices && dir <= KC_ENCRYPT; dir++)
		prices[dir] = unknown;
	for (size_t i = 0; i < n; i++) {
		for (int dir = kc_answers_first_dir(a->base->alg); dir <= KC_ENCRYPT; dir++) {
			enum kc_reason why = try_shape(a, &shapes[i], (enum kc_dir)dir);

			if (why != KC_OK)
				return why;
			if (prices)
				take_price(a, shapes[i].len, &prices[dir]);
		}
	}
	return KC_OK;
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

/* A MAC that takes any key gets one of common length. */
static size_t key_len(const struct kc_alg *alg)
{
	return alg->kind == KC_MAC && !alg->key_len ? 32 : alg->key_len;
}

void kc_answers_init(struct kc_answers *a, const struct kc_candidate *candidate,
		     const struct kc_base *base, uint8_t *room, uint8_t *mem, size_t each)
{
	const struct kc_alg *alg = base->alg;

	memset(a, 0, sizeof(*a));
	a->candidate = candidate;
	a->base = base;
	a->room = room;
	a->in = mem;
	a->want = a->in + each;
	a->got = a->want + each;
	fill(a->in, each);
	/*
	 * Not a weak DES key, and not two equal halves for XTS: taken from beyond the first bytes
	 * of the text.
	 */
	memcpy(a->key_bytes, a->in + KC_MAX_IV, key_len(alg));
	memcpy(a->iv, a->in, sizeof(a->iv));
	/* CCM: a nonce of 12 bytes, followed by the counter. */
	if (alg->kind == KC_AEAD && !alg->nonce_len) {
		memset(a->iv, 0, sizeof(a->iv));
		a->iv[0] = (uint8_t)(alg->iv_len - 2 - KC_RECORD_NONCE);
	}
	a->key.bytes = a->key_bytes;
	a->key.len = key_len(alg);
	a->key.tag_len = alg->kind == KC_AEAD ? alg->out_len : 0;
}

/* @kernels, @bases: for the texts; NULL for a digest or MAC, which has none. */
static int both(struct kc_session *session, struct kc_candidate *candidate,
		const struct kc_base *base, const struct kc_key *key, const struct kc_req *req,
		struct kc_pair *pair, uint8_t *kernels, uint8_t *bases)
{
	bool is_opened = candidate->alg->kind == KC_AEAD && req->dir == KC_DECRYPT;
	size_t made = is_opened ? 0 : tag_len(candidate->alg, key);
	size_t text_len = kernels ? req->len : 0;
	uint64_t start = kc_terms_clock(&candidate->terms);
	struct kc_req apart = *req;
	uint8_t tag[KC_MAX_OUT];
	int err, ok;

	apart.out = kernels;
	err = kc_session_run(session, candidate, &apart);
	if (err)
		return err;
	pair->kernel_ns = kc_terms_clock(&candidate->terms) - start;
	apart.out = bases;
	if (made)
		apart.tag = tag;
	ok = by_base(candidate, base, key, &apart, &pair->soft_ns);
	if (ok > 0)
		ok = (!made || memcmp(req->tag, tag, made) == 0) &&
		     (!text_len || memcmp(kernels, bases, text_len) == 0);
	if (ok && text_len)
		memcpy(req->out, kernels, text_len);
	explicit_bzero(tag, sizeof(tag));
	return ok ? 0 : -KC_LIE;
}

/* A request may be in place, so the kernel's answer is kept apart until the base's is the same. */
int kc_pair_run(struct kc_session *session, struct kc_candidate *candidate,
		const struct kc_base *base, const struct kc_key *key, const struct kc_req *req,
		struct kc_pair *pair)
{
	uint8_t *kernels = req->out ? kc_buffer_take() : NULL;
	uint8_t *bases = req->out ? kc_buffer_take() : NULL;
	int err;

	*pair = (struct kc_pair){ .dir = req->dir, .len = req->len };
	if (!req->out || (kernels && bases))
		err = both(session, candidate, base, key, req, pair, kernels, bases);
	else
		err = kc_session_run(session, candidate, req);
	kc_buffer_give(kernels, req->len);
	kc_buffer_give(bases, req->len);
	return err;
}
