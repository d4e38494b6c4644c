/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an AEAD context, and what the base has not been told of. */
#include "request/aead.h"

#include "session/buffers.h"

struct kc_aead *kc_aead_new(const struct kc_base *base, struct kc_candidate *first)
{
	const struct kc_alg *alg = base->alg;
	struct kc_aead *c =
		kc_context_new(sizeof(*c),
			       offsetof(struct kc_aead, tag) - sizeof(struct kc_context), base,
			       first, base->newctx(base));

	if (!c)
		return NULL;
	c->threshold = 0;
	c->key_dir = KC_NO_DIR;
	c->said_nonce_len = alg->nonce_len; /* its default too */
	if (alg->stream)
		c->lengths = (struct kc_lengths){ alg->nonce_len, KC_MAX_TAG };
	return c;
}

void *kc_aead_dup(void *ctx)
{
	struct kc_aead *from = ctx;

	/* In the middle of an update, which a job has left, there is nothing to be told yet. */
	if (!from->base->dupctx || kc_gate_is_busy(&from->gate) || !kc_aead_catch_up(from))
		return NULL;
	return kc_context_copy(from, sizeof(*from));
}

void kc_aead_drop_copy(struct kc_aead *c)
{
	/* What was to be decrypted is no secret. */
	if (c->copy)
		kc_buffer_give(c->copy, c->key_dir == KC_DECRYPT ? 0 : c->copy_len);
	c->copy = NULL;
}

void kc_aead_free(void *ctx)
{
	if (ctx)
		kc_aead_drop_copy(ctx);
	kc_context_free(ctx, sizeof(struct kc_aead));
}

static int tell_head(struct kc_aead *c, unsigned what)
{
	size_t n = 0;

	if (what & KC_UNTOLD_TAG && !c->base->set(c->base, c->base_ctx, KC_TAG, c->tag, c->tag_len))
		return 0;
	if (what & KC_UNTOLD_LENGTH && !c->update(c->base_ctx, NULL, &n, c->total, NULL, c->total))
		return 0;
	if (what & KC_UNTOLD_RECORD)
		return c->base->set(c->base, c->base_ctx, KC_RECORD, c->aad, KC_RECORD_AAD);
	return !(what & KC_UNTOLD_AAD) ||
	       c->update(c->base_ctx, NULL, &n, c->aad_len, c->aad, c->aad_len);
}

/* In place, so that a copy of ciphertext becomes plaintext. */
static int tell_text(struct kc_aead *c, unsigned what)
{
	size_t n = 0;

	if (!c->update(c->base_ctx, c->copy, &n, c->copy_len, c->copy, c->copy_len))
		return 0;
	c->begun = c->key_dir == KC_ENCRYPT && !(what & KC_UNTOLD_END);
	if (!(what & KC_UNTOLD_END))
		return 1;
	if (!c->base->alg->stream)
		return c->base->get_tag(c->base, c->base_ctx, c->text_tag, c->lengths.tag);
	return c->base->final(c->base_ctx, c->copy, &n, c->copy_len);
}

static int tell_next(struct kc_aead *c, unsigned what)
{
	if (what & KC_UNTOLD_NEXT_AAD)
		return c->base->set(c->base, c->base_ctx, KC_RECORD, c->record_aad, KC_RECORD_AAD);
	if (!(what & KC_UNTOLD_NEXT_TAG))
		return 1;
	memcpy(c->tag, c->next_tag, c->tag_len);
	return c->base->set(c->base, c->base_ctx, KC_TAG, c->tag, c->tag_len);
}

int kc_aead_tell(struct kc_aead *c)
{
	unsigned what = c->untold;
	int ok;

	c->untold = 0;
	c->open = false;
	c->begun = true;
	ok = tell_head(c, what) && (!(what & KC_UNTOLD_COPY) || tell_text(c, what)) &&
	     tell_next(c, what);
	kc_buffer_give(c->copy, c->copy_len);
	c->copy = NULL;
	return ok;
}

const uint8_t *kc_aead_tag(struct kc_aead *c, size_t len)
{
	if (c->dir != KC_ENCRYPT || !len || len > KC_MAX_TAG)
		return NULL;
	if (c->base->alg->stream)
		return c->made ? c->text_tag : NULL;
	if (!(c->untold & KC_UNTOLD_TEXT) || c->untold & KC_UNTOLD_END || len != c->lengths.tag)
		return NULL;
	c->untold |= KC_UNTOLD_END;
	return c->text_tag;
}

int kc_aead_leave_to_base(struct kc_aead *c)
{
	size_t longest = c->unrecorded ? c->gate.entry : KC_NO_DETOUR;
	int ok = kc_aead_catch_up(c);

	c->open = false;
	c->record = false;
	c->made = false;
	/* Only with CCM it matters if an update fails. */
	c->threshold = c->base->alg->stream ? longest : 0;
	return ok;
}

int kc_aead_give_up(struct kc_aead *c)
{
	int ok = kc_aead_leave_to_base(c);

	c->given_up = true;
	c->key_dir = KC_NO_DIR;
	c->said_nonce_len = 0;
	return ok;
}
