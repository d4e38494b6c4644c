/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an AEAD context, and what the base has not been told of. */
#include "request/aead.h"

#include <stdlib.h>
#include <string.h>

#include "session/buffers.h"

struct kc_aead *kc_aead_new(const struct kc_aead_base *base, struct kc_candidate *first)
{
	struct kc_aead *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	memset(c, 0, offsetof(struct kc_aead, tag));
	c->base = base;
	c->update = base->update;
	c->said_nonce_len = base->common.alg->nonce_len; /* its default too */
	kc_gate_init(&c->gate, first);
	c->base_ctx = base->common.newctx(&base->common);
	if (!c->base_ctx) {
		kc_aead_free(c);
		return NULL;
	}
	return c;
}

void *kc_aead_dup(void *ctx)
{
	struct kc_aead *from = ctx;
	const struct kc_base *base = &from->base->common;
	struct kc_aead *c;

	/* In the middle of an update, which a job has left, there is nothing to be told yet. */
	if (!base->dupctx || from->input || !kc_aead_catch_up(from))
		return NULL;
	c = malloc(sizeof(*c));
	if (!c)
		return NULL;
	*c = *from;
	kc_gate_copied(&c->gate);
	c->base_ctx = base->dupctx(from->base_ctx);
	if (!c->base_ctx) {
		kc_aead_free(c);
		return NULL;
	}
	return c;
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
	struct kc_aead *c = ctx;

	if (!c)
		return;
	/* Most contexts have neither, and need no call. */
	kc_aead_drop_copy(c);
	if (c->input)
		kc_buffer_give(c->input, KC_MAX_REQUEST);
	kc_gate_end(&c->gate);
	if (c->base_ctx)
		c->base->common.freectx(c->base_ctx);
	explicit_bzero(c, sizeof(*c));
	free(c);
}

static int tell_head(struct kc_aead *c, unsigned what)
{
	size_t n = 0;

	if (what & KC_UNTOLD_TAG && !c->base->set_tag(c->base, c->base_ctx, c->tag, c->tag_len))
		return 0;
	if (what & KC_UNTOLD_LENGTH && !c->update(c->base_ctx, NULL, &n, c->total, NULL, c->total))
		return 0;
	if (what & KC_UNTOLD_RECORD)
		return c->base->set_record(c->base, c->base_ctx, c->aad);
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
	if (!c->base->common.alg->stream)
		return c->base->get_tag(c->base, c->base_ctx, c->text_tag, c->text_tag_len);
	return c->base->final(c->base_ctx, c->copy, &n, c->copy_len);
}

static int tell_next(struct kc_aead *c, unsigned what)
{
	if (what & KC_UNTOLD_NEXT_AAD)
		return c->base->set_record(c->base, c->base_ctx, c->record_aad);
	if (!(what & KC_UNTOLD_NEXT_TAG))
		return 1;
	memcpy(c->tag, c->next_tag, c->tag_len);
	return c->base->set_tag(c->base, c->base_ctx, c->tag, c->tag_len);
}

int kc_aead_tell(struct kc_aead *c)
{
	unsigned what = c->untold;
	int ok;

	c->untold = 0;
	c->open = false;
	c->begun = true;
	ok = tell_head(c, what) && (!c->copy || tell_text(c, what)) && tell_next(c, what);
	kc_buffer_give(c->copy, c->copy_len);
	c->copy = NULL;
	return ok;
}

const uint8_t *kc_aead_tag(struct kc_aead *c, size_t len)
{
	if (c->dir != KC_ENCRYPT || !len || len > KC_MAX_TAG)
		return NULL;
	if (c->base->common.alg->stream)
		return c->made ? c->made_tag : NULL;
	if (!(c->untold & KC_UNTOLD_TEXT) || c->untold & KC_UNTOLD_END || len != c->text_tag_len)
		return NULL;
	c->untold |= KC_UNTOLD_END;
	return c->text_tag;
}

int kc_aead_leave_to_base(struct kc_aead *c)
{
	int ok = kc_aead_catch_up(c);

	kc_aead_rest(c);
	return ok;
}

int kc_aead_give_up(struct kc_aead *c)
{
	c->given_up = true;
	c->said_nonce_len = 0;
	return kc_aead_leave_to_base(c);
}

/* From here on: one request to the kernel. */
static struct kc_key key_of(const struct kc_aead *c, unsigned tag_len)
{
	return (struct kc_key){ .bytes = c->key,
				.len = c->base->common.alg->key_len,
				.tag_len = tag_len };
}

uint8_t *kc_aead_ready(struct kc_aead *c, unsigned tag_len, size_t len, const uint8_t *in,
		       size_t inl)
{
	const struct kc_key key = key_of(c, tag_len);

	if (len < c->gate.entry || len > KC_MAX_REQUEST - KC_MAX_AAD - KC_MAX_TAG ||
	    len > kc_gate_open(&c->gate, &c->base->common, c->dir, &key, len))
		return NULL;
	/* A job left it, and never came back. */
	if (c->input)
		kc_buffer_give(c->input, KC_MAX_REQUEST);
	c->input = kc_buffer_take();
	if (c->input)
		memcpy(c->input, in, inl);
	return c->input;
}

int kc_aead_run(struct kc_aead *c, struct kc_req *req, unsigned tag_len)
{
	const struct kc_alg *alg = c->base->common.alg;
	const struct kc_key key = key_of(c, tag_len);
	uint8_t iv[KC_MAX_IV] = { 0 }, *at = iv;
	int err;

	/* As RFC 3610 has it, where the nonce may have any length. */
	if (!alg->nonce_len)
		*at++ = (uint8_t)(alg->iv_len - 2 - c->nonce_len);
	memcpy(at, c->nonce, c->nonce_len);
	req->iv = iv;
	err = kc_gate_run(&c->gate, &c->base->common, &key, req);
	c->input = NULL;
	explicit_bzero(iv, sizeof(iv));
	return err;
}
