/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A detour in four steps: (1) the base up to a block boundary; (2) the kernel does whole blocks,
 * from the IV in the base's context on; (3) the IV behind them is written there; (4) the rest
 * through the base. Whatever fails in (2), the base does: same key, same IV, same input. Nobody who
 * has a pointer to that IV sees anything but the default provider's own.
 */
#include "request/detour.h"

#include <string.h>

#include "core/quiet.h"
#include "request/split.h"

/* Only the LE counter's: the others show their IV. */
static bool is_counted(const struct kc_cipher *c)
{
	return c->base->common.alg->iv_rule == KC_IV_ADD_BLOCKS_LE;
}

/* Steps 2 and 3. */
size_t kc_detour_body(struct kc_cipher *c, uint8_t *iv, uint8_t *out, const uint8_t *in,
		      size_t body)
{
	const struct kc_base *base = &c->base->common;
	const struct kc_alg *alg = base->alg;
	const struct kc_key key = { .bytes = c->key, .len = alg->key_len };
	size_t limit = c->gate.session.limit;
	uint8_t next[KC_MAX_IV];
	size_t done = 0;

	while (body - done >= c->gate.smallest && c->gate.session.fd >= 0) {
		struct kc_req req = { .dir = c->dir,
				      .iv = iv,
				      .in = in + done,
				      .out = out + done,
				      .len = kc_split_request(alg, iv, body - done, limit) };

		if (!req.len)
			break;
		kc_next_iv_before(alg, &req, next);
		if (kc_gate_run(&c->gate, base, &key, &req) != 0)
			break;
		kc_next_iv_after(alg, &req, next);
		memcpy(iv, next, alg->iv_len);
		done += req.len;
	}
	explicit_bzero(next, sizeof(next));
	return done;
}

bool kc_detour_session(struct kc_cipher *c, size_t inl)
{
	const struct kc_base *base = &c->base->common;
	const struct kc_key key = { .bytes = c->key, .len = base->alg->key_len };
	bool is_open = kc_gate_open(&c->gate, base, c->dir, &key, inl);

	c->threshold = c->gate.entry;
	return is_open;
}

int kc_detour_place(struct kc_cipher *c)
{
	unsigned block = c->base->common.alg->block_len;

	if (c->placed || is_counted(c))
		return 1;
	if (!c->base->place(c->base, c->base_ctx, &c->place))
		return 0;
	c->place.num = (c->place.num + block - (unsigned)(c->fed % block)) % block;
	c->placed = true;
	return 1;
}

/* Step 1. With padding on, the base would keep a block back. */
static int run_head(struct kc_cipher *c, const struct kc_split *p, uint8_t *out, size_t outsize,
		    const uint8_t *in)
{
	size_t n = 0;
	int ok;

	if (!p->head)
		return 1;
	if (p->unpad && !c->base->set_padding(c->base, c->base_ctx, false))
		return 0;
	ok = c->update(c->base_ctx, out, &n, outsize, in, p->head) && n == p->head_out;
	if (p->unpad && !c->base->set_padding(c->base, c->base_ctx, true))
		return 0;
	return ok;
}

/* Steps 2 and 3, where the base does not show its IV: it takes one by an init. 1 or 0. */
static int run_counted(struct kc_cipher *c, const struct kc_split *p, uint8_t *out,
		       const uint8_t *in, size_t *done)
{
	uint8_t iv[KC_MAX_IV] = { 0 };
	int ok = 1;

	if (is_counted(c))
		kc_place_count(c, p->head, iv);
	*done = kc_detour_body(c, iv, out, in, p->body);
	if (is_counted(c) && *done)
		ok = c->base->init(c->base, c->base_ctx, c->dir, NULL, iv);
	explicit_bzero(iv, sizeof(iv));
	return ok;
}

static int run_body(struct kc_cipher *c, const struct kc_split *p, uint8_t *out, const uint8_t *in,
		    size_t *done)
{
	if (!c->place.iv)
		return run_counted(c, p, out, in, done);
	*done = kc_detour_body(c, c->place.iv, out, in, p->body);
	return 1;
}

static int run_split(struct kc_cipher *c, const struct kc_split *p, kc_update_fn *rest,
		     unsigned char *out, size_t *outl, size_t outsize, const unsigned char *in,
		     size_t inl)
{
	size_t in_done, out_done, done, n = 0;

	if (!run_head(c, p, out, outsize, in) ||
	    !run_body(c, p, out + p->head_out, in + p->head, &done))
		return 0;
	in_done = p->head + done;
	out_done = p->head_out + done;
	if (in_done < inl &&
	    !rest(c->base_ctx, out + out_done, &n, outsize - out_done, in + in_done, inl - in_done))
		return 0;
	*outl = out_done + n;
	return 1;
}

int kc_detour(struct kc_cipher *c, kc_update_fn *rest, unsigned char *out, size_t *outl,
	      size_t outsize, const unsigned char *in, size_t inl)
{
	KC_QUIETLY;
	struct kc_split p;

	if (!in || !out || !kc_detour_session(c, inl) || !kc_detour_place(c))
		return rest(c->base_ctx, out, outl, outsize, in, inl);
	p = kc_split_make(c, rest != c->update, inl);
	if (p.body < c->gate.smallest || p.body == 0 || outsize < p.total_out ||
	    !kc_split_overlap_fits(&p, out, in, inl))
		return rest(c->base_ctx, out, outl, outsize, in, inl);
	return run_split(c, &p, rest, out, outl, outsize, in, inl);
}
