/* SPDX-License-Identifier: Apache-2.0 */
/* A cipher context's creation, copies and inits, and whether a detour is possible. */
#include "request/cipher.h"

struct kc_cipher *kc_cipher_new(const struct kc_base *base, struct kc_candidate *first)
{
	struct kc_cipher *c =
		kc_context_new(sizeof(*c),
			       offsetof(struct kc_cipher, iv) - sizeof(struct kc_context), base,
			       first, base->newctx(base));

	if (!c)
		return NULL;
	c->threshold = KC_NO_DETOUR;
	kc_cipher_allow_restart(c);
	c->usual.at = NULL;
	return c;
}

void *kc_cipher_dup(void *ctx)
{
	const struct kc_cipher *from = ctx;
	struct kc_cipher *c = kc_context_copy(ctx, sizeof(*c), offsetof(struct kc_cipher, usual));

	if (!c)
		return NULL;
	/*
	 * The original may be in the middle of an update, which a job may resume: only the base
	 * knows where.
	 */
	if (kc_gate_is_busy(&from->gate))
		c->threshold = KC_NO_DETOUR;
	kc_cipher_allow_restart(c);
	kc_cipher_displace(c);
	return c;
}

void kc_cipher_free(void *ctx)
{
	kc_context_free(ctx, offsetof(struct kc_cipher, iv), offsetof(struct kc_cipher, usual));
}

int kc_cipher_key_lost(struct kc_cipher *c)
{
	kc_gate_close(&c->gate);
	explicit_bzero(c->key, sizeof(c->key));
	c->key_set = false;
	c->threshold = KC_NO_DETOUR;
	return 0;
}

void kc_cipher_abandon(struct kc_cipher *c)
{
	kc_gate_close(&c->gate);
	if (c->fed & KC_FED_AWAY)
		c->threshold = KC_NO_DETOUR;
}

static bool detour_possible(const struct kc_cipher *c)
{
	/*
	 * Without a new key, the base's key schedule is still that of the other direction, and the
	 * base decides what happens.
	 */
	if (!c->key_set || c->dir != c->key_dir)
		return false;
	return c->iv_set || c->base->alg->iv_len == 0;
}

void kc_cipher_started(struct kc_cipher *c, enum kc_dir dir, const uint8_t *key, size_t key_len,
		       const uint8_t *iv, size_t iv_len, bool ok)
{
	const struct kc_alg *alg = c->base->alg;

	if (kc_gate_is_busy(&c->gate))
		kc_cipher_abandon(c);
	kc_cipher_allow_restart(c);
	/*
	 * Without an IV the base continues, and does not tell what it does with a partly used
	 * block.
	 */
	if (!iv && c->fed && alg->iv_rule == KC_IV_ADD_BLOCKS_LE)
		c->iv_set = false;
	c->fed = 0;
	kc_cipher_displace(c);
	c->dir = dir;
	if (iv && alg->iv_len && iv_len == alg->iv_len) {
		memcpy(c->iv, iv, iv_len);
		c->iv_set = true;
	}
	if (ok && key && key_len == alg->key_len)
		kc_cipher_take_key(c, dir, key);
	else if (!ok || key)
		kc_cipher_key_lost(c);
	kc_gate_renew(&c->gate, dir);
	c->threshold = detour_possible(c) ? c->gate.entry : KC_NO_DETOUR;
}

__attribute__((cold)) int kc_cipher_failed(struct kc_cipher *c)
{
	c->threshold = KC_NO_DETOUR;
	return 0;
}
