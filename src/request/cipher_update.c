/* SPDX-License-Identifier: Apache-2.0 */
/* A cipher's updates: the base does short ones; long ones may take a detour. */
#include "request/cipher.h"

/*
 * True if this update has the buffers of the last large one, which went to the kernel as a whole
 * and left no question, and is at a block's start, too. A job has a stack of its own, so a caller
 * that gets the length where that one got it is in no job either.
 */
static inline bool is_usual(const struct kc_cipher *c, const unsigned char *out, const size_t *outl,
			    size_t outsize, const unsigned char *in, size_t inl)
{
	const struct kc_usual *usual = &c->usual;

	if (usual->at != outl || usual->req.in != in || usual->req.out != out)
		return false;
	if (usual->req.len != inl || usual->req.dir != c->dir || outsize < inl)
		return false;
	return ((c->fed + c->place.num) & usual->block_mask) == 0 && kc_gate_is_plain(&c->gate);
}

static __attribute__((noinline)) int take_detour(struct kc_cipher *c, unsigned char *out,
						 size_t *outl, size_t outsize,
						 const unsigned char *in, size_t inl)
{
	struct kc_req req = { .dir = c->dir, .in = in, .out = out, .len = inl };

	return kc_detour(c, &req, outl, outsize, c->update);
}

/* The kernel failed a usual update. */
static __attribute__((cold, noinline)) int redo(struct kc_cipher *c, size_t *outl)
{
	const struct kc_req *req = &c->usual.req;

	c->fed += req->len;
	if (c->update(c->base_ctx, req->out, outl, req->len, req->in, req->len))
		return 1;
	return kc_cipher_failed(c);
}

static inline bool run_usual(struct kc_cipher *c)
{
	const struct kc_usual *usual = &c->usual;

	if (!usual->next_iv)
		return kc_cipher_run(c, NULL, c->place.iv, &usual->req);
	if (kc_gate_run_plain(&c->gate, &usual->req))
		return false;
	memcpy(c->place.iv, usual->next_iv, 16);
	return true;
}

/* A function of its own, so that a small request does not save the registers that this needs. */
static __attribute__((noinline)) int update_large(struct kc_cipher *c, unsigned char *out,
						  size_t *outl, size_t outsize,
						  const unsigned char *in, size_t inl)
{
	if (!is_usual(c, out, outl, outsize, in, inl))
		return take_detour(c, out, outl, outsize, in, inl);
	if (!run_usual(c))
		return redo(c, outl);
	c->fed += c->usual.req.len;
	*outl = c->usual.req.len;
	return 1;
}

int kc_cipher_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		     const unsigned char *in, size_t inl)
{
	struct kc_cipher *c = ctx;
	kc_update_fn *update = c->update;

	if (inl >= c->threshold && !kc_gate_stay(&c->gate, inl))
		return update_large(c, out, outl, outsize, in, inl);
	/*
	 * The result is not checked, to save registers. The base refuses a request as a whole: for
	 * lack of a key, when no detour is possible, or for a length that XTS or CTS can't do,
	 * whose detours do not depend on the count.
	 */
	c->fed += inl;
	return update(c->base_ctx, out, outl, outsize, in, inl);
}

int kc_cipher_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		      const unsigned char *in, size_t inl)
{
	struct kc_cipher *c = ctx;
	const struct kc_alg *alg = c->base->alg;
	/* A one-shot bypasses the bytes that the base holds back, so there must be none. */
	bool detour = inl >= c->threshold && kc_part_block(alg, inl) == 0 &&
		      (alg->stream || !c->fed) && !c->tls && !kc_gate_stay(&c->gate, inl);
	int ok;

	if (detour) {
		struct kc_req req = { .dir = c->dir, .in = in, .out = out, .len = inl };

		return kc_detour(c, &req, outl, outsize, c->base->oneshot);
	}
	ok = c->base->oneshot(c->base_ctx, out, outl, outsize, in, inl);
	if (!ok)
		return kc_cipher_failed(c);
	if (alg->stream)
		c->fed += inl;
	return ok;
}

int kc_cipher_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_cipher *c = ctx;

	c->threshold = KC_NO_DETOUR;
	return c->base->final(c->base_ctx, out, outl, outsize);
}
