/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is held back between two calls here, and nothing is remembered of the stream. */
#include "request/whole_blocks.h"

#include <string.h>

#include "request/detour.h"
#include "session/session.h"

bool kc_blocks_fits(const struct kc_alg *alg)
{
	return alg->kind == KC_CIPHER && !alg->steals && alg->iv_rule != KC_IV_WHOLE &&
	       alg->iv_rule != KC_IV_ADD_BLOCKS_LE;
}

static void start(struct kc_cipher *c, const struct kc_cipher_base *base,
		  struct kc_candidate *first)
{
	*c = (struct kc_cipher){ .base = base, .update = base->update, .threshold = KC_NO_DETOUR };
	/* If none was ever given, the context has one too, and it is also the base's. */
	c->iv_set = true;
	kc_gate_init(&c->gate, first);
}

void kc_blocks_set_key(struct kc_cipher *c, const struct kc_cipher_base *base,
		       struct kc_candidate *first, enum kc_dir dir, const uint8_t *key, size_t len,
		       bool ok)
{
	if (!first) {
		kc_blocks_end(c);
		c->threshold = KC_NO_DETOUR;
		return;
	}
	if (!c->base)
		start(c, base, first);
	kc_cipher_started(c, dir, key, len, NULL, 0, ok);
}

int kc_blocks_run(struct kc_cipher *c, void *base_ctx, enum kc_dir dir, unsigned char *out,
		  const unsigned char *in, size_t len)
{
	const struct kc_alg *alg = c->base->common.alg;
	size_t n = 0;

	/* For a direction that has no key of its own, the base's key schedule decides. */
	if (len < c->threshold || dir != c->key_dir || kc_gate_stays(&c->gate, len) ||
	    (!alg->stream && len % alg->block_len))
		return c->update(base_ctx, out, &n, len, in, len);
	c->base_ctx = base_ctx;
	c->placed = false;
	c->fed = 0;
	return kc_detour(c, out, &n, len, in, len, c->update);
}

void kc_blocks_copied(struct kc_cipher *c)
{
	if (c->base)
		kc_gate_copied(&c->gate);
}

void kc_blocks_end(struct kc_cipher *c)
{
	if (c->base)
		kc_gate_end(&c->gate);
	explicit_bzero(c, sizeof(*c));
}
