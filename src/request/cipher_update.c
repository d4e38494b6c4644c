/* SPDX-License-Identifier: Apache-2.0 */
/* A cipher's updates: the base does short ones; long ones may take a detour. */
#include "request/cipher.h"

int kc_cipher_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		     const unsigned char *in, size_t inl)
{
	struct kc_cipher *c = ctx;
	kc_update_fn *update = c->update;

	if (inl >= c->threshold && !kc_gate_stay(&c->gate, inl))
		return kc_detour(c, out, outl, outsize, in, inl, update);
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
	bool detour = inl >= c->threshold && inl % alg->block_len == 0 &&
		      (alg->stream || !c->fed) && !c->tls && !kc_gate_stay(&c->gate, inl);
	int ok;

	if (detour)
		return kc_detour(c, out, outl, outsize, in, inl, c->base->oneshot);
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
