/* SPDX-License-Identifier: Apache-2.0 */
/* Asks questions and compares the answers. The questions are in classes.c. */
#include "offload/answers.h"

#include <string.h>

#include "session/buffers.h"

enum kc_dir kc_answers_first_dir(const struct kc_alg *alg)
{
	if (kc_alg_is_hash(alg))
		return KC_ENCRYPT;
	return KC_DECRYPT;
}

size_t kc_answers_tag_len(const struct kc_alg *alg, const struct kc_key *key)
{
	if (key->is_blocks)
		return alg->state_len;
	if (alg->kind == KC_AEAD)
		return key->tag_len;
	return alg->out_len;
}

int kc_answers_by_base(const struct kc_candidate *candidate, const struct kc_base *base,
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

/* Returns a midstate for blocks, or an IV. */
static const uint8_t *iv_of(const struct kc_answers *a)
{
	if (a->key.is_blocks)
		return a->words;
	return a->iv;
}

/*
 * Returns NULL if the request works on its own memory, as in a program without threads. That is
 * allowed because none of the memory is the application's.
 */
static uint8_t *room_for(const struct kc_answers *a, const struct kc_req *req)
{
	if (a->memory == KC_APART && kc_session_is_direct(a->session, req))
		return NULL;
	return a->room;
}

static enum kc_reason ask_driver(struct kc_answers *a, const struct kc_req *req)
{
	uint64_t start = kc_terms_clock(&a->candidate->terms);

	a->err = kc_session_ask(a->session, req, room_for(a, req));
	/*
	 * Software sealed this message, so it is not bad. Only an AEAD's driver means the tag; a
	 * cipher's means its device.
	 */
	if (a->err == -EBADMSG && req->dir == KC_DECRYPT && a->base->alg->kind == KC_AEAD)
		return KC_WRONG_ANSWER;
	if (a->err)
		return KC_REQUEST_FAILED;
	a->kernel_ns = kc_terms_clock(&a->candidate->terms) - start;
	return KC_OK;
}

/* An AEAD decrypts only ciphertext with its tag, so the base makes that first. */
enum kc_reason kc_answers_same(struct kc_answers *a, struct kc_req req, uint8_t *got)
{
	const struct kc_alg *alg = a->base->alg;
	const uint8_t *right = a->want;
	size_t made = kc_answers_tag_len(alg, &a->key);
	enum kc_dir dir = req.dir;
	enum kc_reason why;
	int made_by_base;

	req.iv = iv_of(a);
	req.aad = a->aad;
	req.out = a->want;
	req.tag = a->want_tag;
	if (alg->kind == KC_AEAD)
		req.dir = KC_ENCRYPT;
	made_by_base = kc_answers_by_base(a->candidate, a->base, &a->key, &req, &a->soft_ns);
	if (made_by_base < 0)
		return KC_NO_MEMORY;
	if (!made_by_base)
		return KC_BASE_FAILED;
	if (req.dir != dir) {
		right = req.in;
		req.in = a->want;
		memcpy(a->got_tag, a->want_tag, made);
	}
	req.dir = dir;
	req.out = got;
	req.tag = a->got_tag;
	why = ask_driver(a, &req);
	if (why != KC_OK)
		return why;
	if (!kc_alg_is_hash(alg) && memcmp(got, right, req.len) != 0)
		return KC_WRONG_ANSWER;
	if (memcmp(a->got_tag, a->want_tag, made) != 0)
		return KC_WRONG_ANSWER;
	return KC_OK;
}

struct kc_req kc_answers_req(struct kc_answers *a, enum kc_dir dir, size_t len)
{
	return (struct kc_req){ .dir = dir,
				.iv = iv_of(a),
				.in = a->in,
				.out = a->got,
				.len = len,
				.aad = a->aad,
				.tag = a->got_tag };
}

/* After an encryption: a tag with one wrong bit must be refused, with the right error. */
static enum kc_reason try_bad_tag(struct kc_answers *a, const struct kc_class *class)
{
	size_t len = kc_class_len(class, a->base->alg, a->session->limit);
	struct kc_req req = kc_answers_req(a, KC_DECRYPT, len);
	int err;

	req.in = a->want;
	req.aad_len = class->aad_len;
	a->got_tag[0] ^= 1;
	err = kc_session_ask(a->session, &req, a->room);
	if (err == -EBADMSG)
		return KC_OK;
	if (err)
		return KC_REQUEST_FAILED;
	return KC_WRONG_ANSWER;
}

/*
 * Makes a tweak a sector's number, with zeros in the second half: drivers treat those differently.
 */
static void make_number(const struct kc_alg *alg, uint8_t iv[KC_MAX_IV])
{
	if (alg->iv_rule == KC_IV_WHOLE)
		memset(iv + KC_MAX_IV / 2, 0, KC_MAX_IV / 2);
}

/* Sets trailing bytes of 0xff. Not for an AEAD, whose counter restarts with each nonce. */
static void set_ones(struct kc_answers *a, const struct kc_class *class)
{
	const struct kc_alg *alg = a->base->alg;
	unsigned ones = class->tweak_ones;

	if (alg->iv_rule == KC_IV_ADD_BLOCKS)
		ones = class->iv_ones;
	if (alg->kind != KC_CIPHER)
		return;
	memset(a->iv, 0xa5, sizeof(a->iv));
	make_number(alg, a->iv);
	memset(a->iv + sizeof(a->iv) - ones, 0xff, ones);
}

/* Gives each question another IV: a driver may continue from the last one, or keep the first. */
static void set_iv(struct kc_answers *a, const struct kc_class *class)
{
	set_ones(a, class);
	if (class->iv_ones < KC_MAX_IV)
		a->words[1] = a->iv[1] = ++a->asked;
}

static enum kc_reason try_class(struct kc_answers *a, const struct kc_class *class, enum kc_dir dir,
				size_t len)
{
	struct kc_req req = {
		.dir = dir, .in = a->in + class->in_offset, .len = len, .aad_len = class->aad_len
	};

	set_iv(a, class);
	a->memory = class->memory;
	return kc_answers_same(a, req, a->got + class->out_offset);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	if (a < b)
		return a;
	return b;
}

static void take_price(const struct kc_answers *a, const struct kc_class *class, size_t limit,
		       struct kc_prices *p)
{
	if (kc_class_is_short(class))
		p->kernel_short = least(p->kernel_short, a->kernel_ns);
	if (!kc_class_is_long(class))
		return;
	p->kernel_long = least(p->kernel_long, a->kernel_ns);
	p->soft_long = least(p->soft_long, a->soft_ns);
	p->len = kc_min(limit, KC_CLASS_PAGE);
}

/* Asks in both directions. @p: see kc_answers_check(). */
static enum kc_reason ask_class(struct kc_answers *a, const struct kc_class *class,
				struct kc_prices *p)
{
	const struct kc_alg *alg = a->base->alg;
	size_t limit = a->session->limit, len = kc_class_len(class, alg, limit);

	for (int dir = kc_answers_first_dir(alg); dir <= KC_ENCRYPT; dir++) {
		enum kc_reason why = try_class(a, class, (enum kc_dir)dir, len);

		if (why != KC_OK)
			return why;
		if (p)
			take_price(a, class, limit, &p[dir]);
	}
	return KC_OK;
}

static enum kc_reason ask_in_time(struct kc_answers *a, const struct kc_class *class,
				  struct kc_prices *p)
{
	if (!a->until || kc_now_ns() < a->until)
		return ask_class(a, class, p);
	a->left_out++;
	return KC_OK;
}

static size_t classes_of(const struct kc_answers *a, const struct kc_class **classes)
{
	if (a->key.is_blocks)
		return kc_classes_of_blocks(classes);
	return kc_classes_of(a->base->alg->kind, classes);
}

enum kc_reason kc_answers_check(struct kc_answers *a, struct kc_prices *prices)
{
	static const struct kc_prices unknown = { UINT64_MAX, UINT64_MAX, UINT64_MAX, 0 };
	const struct kc_alg *alg = a->base->alg;
	const struct kc_class *classes;
	size_t n = classes_of(a, &classes);
	enum kc_reason why;

	for (int dir = KC_DECRYPT; prices && dir <= KC_ENCRYPT; dir++)
		prices[dir] = unknown;
	why = ask_class(a, &classes[0], prices);
	if (why == KC_OK && alg->kind == KC_AEAD)
		why = try_bad_tag(a, &classes[0]);
	for (size_t i = 1; prices && why == KC_OK && i < n; i++)
		if (kc_class_fits(&classes[i], alg))
			why = ask_in_time(a, &classes[i], prices);
	return why;
}

/* A MAC that takes keys of any length gets a common one first. */
static size_t key_len(const struct kc_alg *alg)
{
	if (alg->kind == KC_MAC && !alg->key_len)
		return 32;
	return alg->key_len;
}

enum kc_reason kc_answers_ask(struct kc_answers *a)
{
	const struct kc_alg *alg = a->base->alg;
	const struct kc_class *classes;

	classes_of(a, &classes);
	a->asked = 0; /* each time the same IV, which a driver may think it has already */
	return try_class(a, &classes[0], KC_ENCRYPT,
			 kc_class_len(&classes[0], alg, a->session->limit));
}

bool kc_answers_rekey(struct kc_answers *a, unsigned n)
{
	const struct kc_alg *alg = a->base->alg;

	a->key.bytes = a->in + KC_MAX_IV + n * KC_MAX_MAC_KEY;
	if (alg->kind != KC_MAC || alg->key_len)
		return a->key.len;
	if (n == 1)
		a->key.len = alg->block_len;
	else
		a->key.len = kc_min(alg->block_len + 13, KC_MAX_MAC_KEY);
	return a->key.len;
}

/* Fills @buf. @len: a multiple of 4 bytes. */
static void fill(uint8_t *buf, size_t len)
{
	uint32_t x = 2463534242u;

	for (size_t i = 0; i < len; i += sizeof(x)) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		memcpy(buf + i, &x, sizeof(x));
	}
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
	 * From beyond the first bytes of the text, where the key is no weak DES key, and its halves
	 * are not equal, as XTS demands.
	 */
	memcpy(a->key_bytes, a->in + KC_MAX_IV, sizeof(a->key_bytes));
	memcpy(a->iv, a->in, sizeof(a->iv));
	make_number(alg, a->iv);
	/* CCM: a nonce of 12 bytes, followed by the counter. */
	if (alg->kind == KC_AEAD && !alg->nonce_len) {
		memset(a->iv, 0, sizeof(a->iv));
		a->iv[0] = (uint8_t)(alg->iv_len - 2 - KC_RECORD_NONCE);
	}
	memcpy(a->words, a->in + KC_MAX_IV, sizeof(a->words));
	a->key.bytes = a->key_bytes;
	a->key.len = key_len(alg);
	a->key.is_blocks = candidate->whole;
	if (alg->kind == KC_AEAD)
		a->key.tag_len = alg->out_len;
}
