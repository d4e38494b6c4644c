/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message whose text comes in one update: the kernel does it, and the base, which knows nonce and
 * AAD, learns nothing of it until it has to. Until final we keep the input: whatever comes instead of
 * final, the base is fed it and goes on. A tag that the kernel calls bad means no more than that this was
 * not the whole message, or that the tag is bad: the base does the text, and its final decides.
 */
#include "core/aead_detour.h"

#include <errno.h>
#include <string.h>

#include "core/scratch.h"
#include "core/session.h"

void kc_aead_drop(struct kc_aead *c)
{
	if (!kc_aead_is_pending(c))
		return;
	c->doubted = false;
	c->threshold = KC_NO_DETOUR;
	kc_scratch_give(c->copy, c->copy_len);
	c->copy = NULL;
	explicit_bzero(c->made_tag, sizeof(c->made_tag));
}

int kc_aead_tell_base(struct kc_aead *c)
{
	size_t n = 0;
	int ok = 1;

	if (c->copy)
		ok = c->update(c->base_ctx, c->copy, &n, c->copy_len, c->copy, c->copy_len);
	kc_aead_drop(c);
	return ok;
}

struct kc_lengths kc_aead_lengths(struct kc_aead *c)
{
	struct kc_lengths now = { 0, 0 };

	if (c->base->lengths(c->base, c->base_ctx, &now) && now.tag == c->key_lengths.tag &&
	    now.nonce == c->key_lengths.nonce)
		return now;
	return (struct kc_lengths){ 0, 0 };
}

/* The length of the tag to ask the kernel for, bytes; 0: none, the message is the base's. */
static unsigned tag_len_for(struct kc_aead *c, size_t len)
{
	bool stream = c->base->common.alg->stream;
	struct kc_lengths now = { c->nonce_len, KC_MAX_TAG };

	if (!stream)
		now = kc_aead_lengths(c);
	if (now.nonce != c->nonce_len || (!stream && c->total != len))
		return 0;
	if (c->dir == KC_DECRYPT && c->tag_len != now.tag)
		return 0;
	return (unsigned)now.tag;
}

/* The kernel vouches for the text. @copy: the input. */
static int done(struct kc_aead *c, uint8_t *copy, uint8_t *out, size_t len)
{
	if (c->base->common.alg->stream || c->dir == KC_ENCRYPT) {
		c->copy = copy;
		c->copy_len = len;
		c->threshold = 0;
		return 1;
	}
	kc_scratch_give(copy, 0);
	if (c->base->close(c->base, c->base_ctx, c->dir, c->tag, c->tag_len))
		return 1;
	explicit_bzero(out, len);
	return kc_aead_failed(c);
}

/* After the base has done what the kernel called bad. */
static void doubt(struct kc_aead *c, int ok)
{
	if (!c->base->common.alg->stream) {
		if (ok)
			kc_route_mistaken(&c->route);
		return;
	}
	c->doubted = true;
	c->threshold = 0;
}

int kc_aead_message(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		    const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;
	unsigned tag_len = tag_len_for(c, inl);
	struct kc_req req = { .dir = c->dir, .out = out, .len = inl };
	uint8_t *copy = NULL;
	int err, ok;

	if (tag_len && kc_aead_ready(c, tag_len, inl))
		copy = kc_scratch_take();
	if (!copy)
		return kc_aead_by_base(c, out, outl, outsize, in, inl);
	memcpy(copy, in, inl);
	req.in = copy;
	req.aad = c->aad;
	req.aad_len = c->aad_len;
	req.tag = c->dir == KC_ENCRYPT ? c->made_tag : c->tag;
	err = kc_aead_run(c, &req, tag_len, c->nonce, c->nonce_len);
	c->fresh = 0;
	c->threshold = KC_NO_DETOUR;
	if (!err) {
		*outl = inl;
		c->made_len = tag_len;
		return done(c, copy, out, inl);
	}
	kc_scratch_give(copy, inl);
	ok = c->update(c->base_ctx, out, outl, outsize, in, inl);
	if (err == -EBADMSG)
		doubt(c, ok);
	return ok;
}

static int finish_doubted(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize)
{
	int ok = c->base->final(c->base_ctx, out, outl, outsize);

	c->doubted = false;
	c->threshold = KC_NO_DETOUR;
	if (ok)
		kc_route_mistaken(&c->route);
	return ok;
}

int kc_aead_finish(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize)
{
	const uint8_t *tag = c->dir == KC_ENCRYPT ? c->made_tag : c->tag;
	int ok;

	if (c->doubted)
		return finish_doubted(c, out, outl, outsize);
	if (!c->base->common.alg->stream) {
		/* CCM's final has nothing to do but for NULL, which declares a length. */
		if (!out)
			return kc_aead_leave_to_base(c) &&
			       c->base->final(c->base_ctx, out, outl, outsize);
		*outl = 0;
		return 1;
	}
	ok = c->base->close(c->base, c->base_ctx, c->dir, tag, KC_MAX_TAG);
	kc_aead_hide_tag(c, tag);
	kc_aead_drop(c);
	*outl = 0;
	return ok;
}

bool kc_aead_has_tag(struct kc_aead *c)
{
	if (!c->copy || c->base->common.alg->stream)
		return c->tag_hidden;
	return c->base->close(c->base, c->base_ctx, KC_ENCRYPT, c->made_tag, c->made_len);
}

void kc_aead_hide_tag(struct kc_aead *c, const uint8_t *tag)
{
	const struct kc_aead_base *base = c->base;

	if (base->takes_tags || !base->common.alg->stream || c->dir == KC_DECRYPT)
		return;
	memcpy(c->shown_tag, tag, sizeof(c->shown_tag));
	c->tag_hidden = true;
}

void kc_aead_take_tag(struct kc_aead *c, uint8_t *tag, size_t len)
{
	bool is_pending = c->copy && !c->base->common.alg->stream;

	memcpy(tag, is_pending ? c->made_tag : c->shown_tag, len < KC_MAX_TAG ? len : KC_MAX_TAG);
	if (is_pending)
		kc_aead_drop(c);
}
