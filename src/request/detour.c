/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cipher's request by base and kernel. A detour has four steps: (1) the base goes up to a block
 * boundary; (2) the kernel does whole blocks, starting from the IV in the base's context; (3) the
 * IV that follows them is written to that context; (4) the base does the rest. If (2) fails, the
 * base does that work with the same key, IV and input. A program with a pointer to that IV sees
 * what the default provider would show.
 */
#include "request/cipher.h"

#include <string.h>

#include "core/driver.h"

/* How a request is split; all lengths are in bytes. */
struct split {
	size_t limit;	  /* of one request */
	bool unpad;	  /* decrypting with padding: the base holds back the last block */
	size_t head;	  /* input that the base does first */
	size_t head_out;  /* output of that */
	size_t body;	  /* whole blocks for the kernel */
	size_t total_out; /* most that comes out: the input's length, unless blocks are held back */
};

/* A stream cipher. @num: bytes used of the current block. */
static void plan_stream(struct split *p, size_t num, const struct kc_alg *alg, size_t inl)
{
	if (num)
		p->head = kc_min(alg->block_len - num, inl);
	p->head_out = p->head;
	p->body = kc_whole_blocks(alg, inl - p->head);
}

static void plan_blocks(struct split *p, uint64_t fed, const struct kc_alg *alg, size_t inl)
{
	size_t block = alg->block_len, held = kc_part_block(alg, fed);

	if (held) {
		p->head = block - held;
		p->head_out = block;
	} else if (p->unpad && fed) {
		/* A block that is held back as a whole comes out with the next one. */
		held = block;
		p->head = block;
		p->head_out = 2 * block;
	}
	if (p->head < inl)
		p->body = kc_whole_blocks(alg, inl - p->head);
	p->total_out = kc_whole_blocks(alg, held + inl);
	if (!p->unpad)
		return;
	if (p->body && p->head + p->body == inl)
		p->body -= block;
	if (p->total_out && p->total_out == held + inl)
		p->total_out -= block;
}

/*
 * XTS: all or nothing. A length that is no multiple of the block needs ciphertext stealing, which
 * few drivers do; some do not take all tweaks.
 */
static void plan_whole(struct split *p, const struct kc_cipher *c, size_t inl)
{
	const struct kcrypto_traits *traits = c->gate.candidate->traits;
	bool fits = kc_part_block(c->base->alg, inl) == 0 && inl <= p->limit;

	if (fits && traits)
		fits = kc_traits_fit_message(traits, inl, 0) &&
		       kc_traits_fit_tweak(traits, c->place.iv);
	if (fits)
		p->body = inl;
}

/*
 * CTS: the text before the last two blocks, of which the second may be short, is plain CBC in each
 * of the three variants. The base refuses a second update.
 */
static void plan_steal(struct split *p, uint64_t fed, const struct kc_alg *alg, size_t inl)
{
	if (!fed && inl > 2 * (size_t)alg->block_len)
		p->body = kc_whole_blocks(alg, inl - alg->block_len - 1);
}

/*
 * TLS up to 1.2 in CBC mode: an update is a record, in place. When encrypting, the base adds the
 * padding; when decrypting, it removes padding and MAC in constant time. The kernel does the first
 * blocks, and the base treats the last blocks as a record of their own.
 *
 * The base may look at the padding with its length (256 bytes), the longest MAC (SHA-384), and the
 * first block, which it takes for the explicit IV of TLS 1.1 and later. The sum is whole blocks of
 * every cipher.
 */
#define DECRYPTION_TAIL (16 + 256 + 48)

static size_t record_body(const struct kc_cipher *c, size_t inl)
{
	const struct kc_alg *alg = c->base->alg;
	size_t encryption_tail = alg->block_len + kc_part_block(alg, inl);
	size_t tail = c->dir == KC_ENCRYPT ? encryption_tail : DECRYPTION_TAIL;

	if (c->tls == KC_TLS_UNKNOWN)
		return 0;
	if (alg->iv_rule != KC_IV_LAST_BLOCK || alg->stream || alg->steals)
		return 0;
	if (inl < tail || kc_part_block(alg, inl - tail))
		return 0;
	return inl - tail;
}

/* The kernel reads all input before it writes: in place is fine, a shifted overlap is not. */
static bool overlap_fits(const struct split *p, const uint8_t *out, const uint8_t *in, size_t inl)
{
	uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;

	if (o + p->total_out <= i || i + inl <= o)
		return true;
	return o + p->head_out == i + p->head;
}

/*
 * Gets the IV @ahead bytes from here for KC_IV_ADD_BLOCKS_LE, whose base does not reveal it: counts
 * from the IV of the last init.
 */
static void count_place(const struct kc_cipher *c, size_t ahead, uint8_t *iv)
{
	const struct kc_alg *alg = c->base->alg;

	memcpy(iv, c->iv, alg->iv_len);
	kc_add_blocks(alg, iv, (c->fed + ahead) / alg->block_len);
}

/* True for ChaCha20; the bases of other rows reveal their IV. */
static bool is_counted(const struct kc_cipher *c)
{
	return c->base->alg->iv_rule == KC_IV_ADD_BLOCKS_LE;
}

/*
 * Returns the length of the request for a driver that counts pages, because its device gets a list
 * of them. From an address within a page, the request may touch no more pages than the longest
 * request does from a page's start, so it is some bytes shorter. This matters only for memory that
 * the driver works on directly.
 */
static __attribute__((cold, noinline)) size_t fit_pages(const struct kc_cipher *c,
							const struct kc_req *req)
{
	const struct kc_session *session = &c->gate.session;
	size_t page = kc_page_size(), in = (uintptr_t)req->in % page,
	       out = (uintptr_t)req->out % page;
	size_t within = in > out ? in : out;
	size_t fits = (c->gate.limit + page - 1) / page * page - within;

	if (session->backend->copies || !kc_session_is_direct(session, req))
		return req->len;
	if (fits < c->gate.threshold || fits < c->base->alg->block_len || fits >= req->len)
		return req->len;
	return kc_whole_blocks(c->base->alg, fits);
}

static inline struct kc_key key_of(const struct kc_cipher *c)
{
	return (struct kc_key){ .bytes = c->key, .len = c->base->alg->key_len };
}

bool kc_cipher_run(struct kc_cipher *c, const struct kc_key *key, uint8_t *iv,
		   const struct kc_req *req)
{
	const struct kc_alg *alg = c->base->alg;
	uint8_t last[KC_MAX_IV];
	int err;

	if (kc_iv_needs_input(alg, req->dir))
		kc_copy_short(last, req->in + req->len - alg->iv_len, alg->iv_len);
	if (key)
		err = kc_gate_run(&c->gate, c->base, key, req);
	else
		err = kc_gate_run_plain(&c->gate, req);
	if (!err)
		kc_iv_advance(alg, req, iv, last);
	if (alg->iv_rule == KC_IV_LAST_KEYSTREAM)
		explicit_bzero(last, sizeof(last)); /* may be plaintext */
	return !err;
}

/* Steps 2 and 3, of as many requests as it takes. Returns the bytes done. */
static size_t run_all(struct kc_cipher *c, uint8_t *iv, uint8_t *out, const uint8_t *in,
		      size_t body, size_t limit)
{
	const struct kc_alg *alg = c->base->alg;
	const struct kc_key key = key_of(c);
	size_t done = 0;

	if (body > limit && kc_pieces_fit(c)) {
		done = kc_pieces_run(c, iv, out, in, body, limit);
		if (!kc_gate_is_open(&c->gate))
			limit = 0;
	}
	while (body - done >= c->gate.threshold) {
		struct kc_req req = { .dir = c->dir,
				      .iv = iv,
				      .in = in + done,
				      .out = out + done,
				      .len = kc_request_len(alg, iv, body - done, limit) };

		if (!req.len)
			break;
		if (c->gate.is_ranged)
			req.len = fit_pages(c, &req);
		if (!kc_cipher_run(c, &key, iv, &req))
			break;
		done += req.len;
		limit = c->gate.limit; /* a pair may have had another */
	}
	return done;
}

/* Until come_back(), a job may pause, and perhaps is never resumed. */
static inline void go_away(struct kc_cipher *c)
{
	c->fed |= KC_FED_AWAY;
	c->restart_iv = KC_NO_IV;
}

static inline void come_back(struct kc_cipher *c)
{
	c->fed &= ~KC_FED_AWAY;
	kc_cipher_allow_restart(c);
}

static size_t run_body(struct kc_cipher *c, uint8_t *iv, uint8_t *out, const uint8_t *in,
		       size_t body, size_t limit)
{
	size_t done;

	go_away(c);
	done = run_all(c, iv, out, in, body, limit);
	come_back(c);
	return done;
}

static int find_place(struct kc_cipher *c)
{
	const struct kc_alg *alg = c->base->alg;

	if (is_counted(c))
		return 1;
	if (!c->base->place(c->base, c->base_ctx, &c->place))
		return 0;
	c->place.num = alg->stream ? (unsigned)kc_part_block(alg, c->place.num - c->fed) : 0;
	c->placed = true;
	return 1;
}

/*
 * Plans a request of @inl bytes; a body of 0: the kernel does nothing. @whole: a one-shot, which
 * holds nothing back.
 */
static inline __attribute__((always_inline)) void
plan(struct kc_cipher *c, const struct kc_key *key, bool whole, size_t inl, struct split *p)
{
	const struct kc_base *base = c->base;
	const struct kc_alg *alg = base->alg;
	size_t len = c->tls ? record_body(c, inl) : inl;

	if (!len || len < c->gate.entry)
		return;
	p->limit = kc_gate_open(&c->gate, base, c->dir, key, len);
	c->threshold = c->gate.entry;
	if (!p->limit || (!c->placed && !find_place(c)))
		return;
	if (c->tls) {
		if (c->place.padding)
			p->body = len;
	} else if (alg->iv_rule == KC_IV_WHOLE) {
		plan_whole(p, c, inl);
	} else if (alg->stream) {
		plan_stream(p, kc_part_block(alg, c->place.num + c->fed), alg, inl);
	} else if (alg->steals && !whole) {
		plan_steal(p, c->fed, alg, inl);
	} else {
		p->unpad = !whole && c->dir == KC_DECRYPT && c->place.padding;
		plan_blocks(p, c->fed, alg, inl);
	}
}

/* Step 1. Padding is switched off, or the base would hold back a block. */
static int run_head(struct kc_cipher *c, const struct split *p, uint8_t *out, size_t outsize,
		    const uint8_t *in)
{
	size_t n = 0;
	int ok;

	if (p->unpad && !c->base->set_padding(c->base, c->base_ctx, false))
		return 0;
	ok = c->update(c->base_ctx, out, &n, outsize, in, p->head) && n == p->head_out;
	if (p->unpad && !c->base->set_padding(c->base, c->base_ctx, true))
		return 0;
	return ok;
}

/*
 * Steps 2 and 3, also for a base that does not reveal its IV: it gets the new one by an init. 1 or
 * 0.
 */
static int run_counted(struct kc_cipher *c, const struct split *p, uint8_t *out, const uint8_t *in,
		       size_t *done)
{
	uint8_t iv[KC_MAX_IV] = { 0 };
	int ok = 1;

	if (is_counted(c))
		count_place(c, p->head, iv);
	*done = run_body(c, iv, out, in, p->body, p->limit);
	if (is_counted(c) && *done)
		ok = c->base->init(c->base, c->base_ctx, c->dir, NULL, iv);
	explicit_bzero(iv, sizeof(iv));
	return ok;
}

/* True if the whole input is one request. */
static bool is_one(const struct kc_cipher *c, const struct split *p, size_t inl)
{
	return p->body == inl && inl <= p->limit && c->place.iv && !c->gate.is_ranged;
}

/* Returns the text that is the next IV, if it has 16 bytes and is still there after the request. */
static const uint8_t *find_next_iv(const struct kc_alg *alg, const struct kc_req *req)
{
	if (alg->iv_rule != KC_IV_LAST_BLOCK || alg->iv_len != 16)
		return NULL;
	if (req->dir == KC_ENCRYPT)
		return req->out + req->len - 16;
	return req->in == req->out ? NULL : req->in + req->len - 16;
}

/* The next update may be like this one. @req: gets its IV. */
static void note_usual(struct kc_cipher *c, struct kc_req *req, const size_t *outl)
{
	const struct kc_alg *alg = c->base->alg;

	req->iv = c->place.iv;
	c->usual = (struct kc_usual){ .at = outl,
				      .next_iv = find_next_iv(alg, req),
				      .block_mask = alg->block_len - 1,
				      .req = *req };
}

static __attribute__((noinline)) int run_split(struct kc_cipher *c, const struct split *p,
					       const struct kc_req *req, size_t *outl,
					       size_t outsize, kc_update_fn *rest)
{
	size_t in_done, out_done, done, n = 0;

	if (p->head && !run_head(c, p, req->out, outsize, req->in))
		return 0;
	if (c->place.iv)
		done = run_body(c, c->place.iv, req->out + p->head_out, req->in + p->head, p->body,
				p->limit);
	else if (!run_counted(c, p, req->out + p->head_out, req->in + p->head, &done))
		return 0;
	in_done = p->head + done;
	out_done = p->head_out + done;
	if (in_done < req->len && !rest(c->base_ctx, req->out + out_done, &n, outsize - out_done,
					req->in + in_done, req->len - in_done))
		return 0;
	*outl = out_done + n;
	return 1;
}

/* Not inlined, so that a small request does not save the registers that this needs. */
__attribute__((noinline)) int kc_detour(struct kc_cipher *c, struct kc_req *req, size_t *outl,
					size_t outsize, kc_update_fn *rest)
{
	bool is_update = rest == c->update;
	const struct kc_key key = key_of(c);
	struct split p = { .total_out = req->len };
	int ok;

	c->usual.at = NULL;
	if (c->fed & KC_FED_AWAY)
		kc_cipher_abandon(c);
	else if (req->in && req->out && (req->in == req->out || !c->tls))
		plan(c, &key, !is_update, req->len, &p);
	if (!p.body || p.body < c->gate.threshold || outsize < p.total_out ||
	    !overlap_fits(&p, req->out, req->in, req->len)) {
		ok = rest(c->base_ctx, req->out, outl, outsize, req->in, req->len);
	} else {
		ok = run_split(c, &p, req, outl, outsize, rest);
		if (is_update && c->gate.is_plain && is_one(c, &p, req->len))
			note_usual(c, req, outl);
	}
	if (is_update || c->base->alg->stream)
		c->fed += req->len;
	if (ok)
		return ok;
	return kc_cipher_failed(c);
}
