/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A detour in four steps: (1) the base up to a block boundary; (2) ask it for the IV there; (3)
 * the kernel does whole blocks; (4) an init of the base with the IV behind them, and the rest
 * through the base. Where nothing is left for the base, (4) waits until it is needed, and the next
 * detour needs no (1) and (2). Whatever fails in (3), the base does: same key, same IV, same input.
 */
#include "core/detour.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "core/plan.h"
#include "core/record.h"
#include "core/verify.h"

/* Step 3. */
size_t kc_detour_body(struct kc_cipher *c, uint8_t *iv, uint8_t *out, const uint8_t *in,
		      size_t body)
{
	const struct kc_alg *alg = c->base->common.alg;
	size_t smallest = c->route.smallest > alg->block_len ? c->route.smallest : alg->block_len;
	size_t limit = c->route.session.limit;
	uint8_t next[KC_MAX_IV];
	size_t done = 0;

	while (body - done >= smallest && c->route.session.fd >= 0) {
		struct kc_req req = { .dir = c->dir,
				      .iv = iv,
				      .in = in + done,
				      .out = out + done,
				      .len = kc_plan_request(alg, iv, body - done, limit) };

		if (!req.len)
			break;
		kc_next_iv_before(alg, &req, next);
		if (kc_verify_run(c, &req) != 0)
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
	bool is_open = kc_route_open(&c->route, base, c->dir, &key, inl);

	c->threshold = c->behind ? 0 : c->route.smallest;
	return is_open;
}

/* Step 2. Where the base is behind we know; in any case where it does not tell. @ahead: see plan.h. */
static int find_place(struct kc_cipher *c, size_t ahead, struct kc_place *place)
{
	if (c->base->common.alg->iv_rule == KC_IV_ADD_BLOCKS_LE) {
		kc_place_count(c, ahead, place);
		return 1;
	}
	if (!c->behind) {
		int ok = c->base->place(c->base, c->base_ctx, place);

		c->padding = place->padding;
		return ok;
	}
	*place = (struct kc_place){ .padding = c->padding };
	memcpy(place->iv, c->next_iv, sizeof(place->iv));
	return 1;
}

/* Step 1, and 2 again. -1: the base failed, or is not where we thought. */
static int run_head(struct kc_cipher *c, const struct kc_plan *p, struct kc_place *place,
		    uint8_t *out, size_t outsize, const uint8_t *in)
{
	size_t n = 0;

	if (!p->head)
		return 0;
	if (!c->update(c->base_ctx, out, &n, outsize, in, p->head) || n != p->head_out)
		return -1;
	return find_place(c, p->head, place) ? 0 : -1;
}

/* Steps 1 to 3. Returns the bytes of the body that are done, or -1. */
static ssize_t head_and_body(struct kc_cipher *c, const struct kc_plan *p, struct kc_place *place,
			     uint8_t *out, size_t outsize, const uint8_t *in)
{
	size_t done;

	if (run_head(c, p, place, out, outsize, in) != 0)
		return -1;
	done = kc_detour_body(c, place->iv, out + p->head_out, in + p->head, p->body);
	if (done && kc_iv_moves(c->base->common.alg)) {
		memcpy(c->next_iv, place->iv, sizeof(c->next_iv));
		c->behind = true;
		c->iv_moved = true;
		c->threshold = 0;
	}
	return (ssize_t)done;
}

int kc_detour_tell_base(struct kc_cipher *c)
{
	c->behind = false;
	c->threshold = c->route.smallest;
	return c->base->init(c->base, c->base_ctx, c->dir, NULL, c->next_iv);
}

/* Step 4 where it can't wait, and all that no detour is made for. */
static int by_base(struct kc_cipher *c, kc_update_fn *rest, unsigned char *out, size_t *outl,
		   size_t outsize, const unsigned char *in, size_t inl)
{
	return kc_detour_catch_up(c) && rest(c->base_ctx, out, outl, outsize, in, inl);
}

static int run_plan(struct kc_cipher *c, const struct kc_plan *p, struct kc_place *place,
		    kc_update_fn *rest, unsigned char *out, size_t *outl, size_t outsize,
		    const unsigned char *in, size_t inl)
{
	size_t in_done, out_done, n = 0;
	ssize_t done;

	if (p->unpad && !c->base->set_padding(c->base, c->base_ctx, false))
		return 0;
	done = head_and_body(c, p, place, out, outsize, in);
	if (p->unpad && !c->base->set_padding(c->base, c->base_ctx, true))
		return 0;
	if (done < 0)
		return 0;
	in_done = p->head + (size_t)done;
	out_done = p->head_out + (size_t)done;
	if (in_done < inl &&
	    !by_base(c, rest, out + out_done, &n, outsize - out_done, in + in_done, inl - in_done))
		return 0;
	*outl = out_done + n;
	return 1;
}

static int detour_at(struct kc_cipher *c, struct kc_place *place, kc_update_fn *rest,
		     unsigned char *out, size_t *outl, size_t outsize, const unsigned char *in,
		     size_t inl)
{
	struct kc_plan p = kc_plan_make(c, place, rest != c->update, inl);

	if (p.body < c->route.smallest || p.body == 0 || outsize < p.total_out ||
	    !kc_plan_overlap_fits(&p, out, in, inl))
		return by_base(c, rest, out, outl, outsize, in, inl);
	return run_plan(c, &p, place, rest, out, outl, outsize, in, inl);
}

static int detour(struct kc_cipher *c, kc_update_fn *rest, unsigned char *out, size_t *outl,
		  size_t outsize, const unsigned char *in, size_t inl)
{
	struct kc_place place;
	int ok;

	if (!in || !out || inl < c->route.smallest || !kc_detour_session(c, inl) ||
	    !find_place(c, 0, &place))
		return by_base(c, rest, out, outl, outsize, in, inl);
	ok = detour_at(c, &place, rest, out, outl, outsize, in, inl);
	/* A stream mode's IV may be a secret: none of it stays on the stack. */
	explicit_bzero(&place, sizeof(place));
	return ok;
}

int kc_detour(struct kc_cipher *c, kc_update_fn *rest, unsigned char *out, size_t *outl,
	      size_t outsize, const unsigned char *in, size_t inl)
{
	int saved_errno = errno;
	int cancel_state, ok;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	ok = c->tls && rest == c->update ? kc_record(c, out, outl, outsize, in, inl) :
					   detour(c, rest, out, outl, outsize, in, inl);
	pthread_setcancelstate(cancel_state, NULL);
	errno = saved_errno;
	return ok;
}
