/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an AEAD context: what it has been given, and whether a detour is still possible. */
#include "request/aead.h"

#include <stdlib.h>
#include <string.h>

#include "session/buffers.h"
#include "session/session.h"

/*
 * After some short messages in a row, a context expects more of them: it leaves them to the base
 * and notes nothing, so that none of them can make a detour, and looks up again where a text is
 * long, or after many.
 */
#define IDLE_AFTER 8
#define IDLE_FOR   1016

struct kc_aead *kc_aead_new(const struct kc_aead_base *base, struct kc_candidate *first)
{
	struct kc_aead *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	memset(c, 0, offsetof(struct kc_aead, made_tag));
	c->base = base;
	c->update = base->update;
	c->total = SIZE_MAX;
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

	if (!base->dupctx || !kc_aead_catch_up(from))
		return NULL;
	c = malloc(sizeof(*c));
	if (!c)
		return NULL;
	*c = *from;
	kc_gate_copied(&c->gate);
	c->exposed = false;
	c->base_ctx = base->dupctx(from->base_ctx);
	if (!c->base_ctx) {
		kc_aead_free(c);
		return NULL;
	}
	return c;
}

void kc_aead_drop(struct kc_aead *c)
{
	if (!c->copy)
		return;
	kc_aead_rest(c);
	kc_buffer_give(c->copy, c->copy_len);
	c->copy = NULL;
	explicit_bzero(c->made_tag, sizeof(c->made_tag));
}

int kc_aead_tell_base(struct kc_aead *c)
{
	size_t n = 0;
	int ok = c->update(c->base_ctx, c->copy, &n, c->copy_len, c->copy, c->copy_len);

	kc_aead_drop(c);
	return ok;
}

void kc_aead_free(void *ctx)
{
	struct kc_aead *c = ctx;

	if (!c)
		return;
	kc_aead_drop(c);
	kc_gate_end(&c->gate);
	if (c->base_ctx)
		c->base->common.freectx(c->base_ctx);
	explicit_bzero(c, sizeof(*c));
	free(c);
}

/* The base may have taken a part of a failed init: none of our copies is certain any more. */
static void drop_key(struct kc_aead *c)
{
	kc_gate_close(&c->gate);
	explicit_bzero(c->key, sizeof(c->key));
	c->key_set = false;
	c->fresh = 0;
}

static void take_key(struct kc_aead *c, const uint8_t *key)
{
	size_t len = c->base->common.alg->key_len;

	kc_gate_rekey(&c->gate, c->key, key, len);
	memcpy(c->key, key, len);
	c->key_set = true;
	c->key_dir = c->dir;
	c->in_pieces = false;
	c->short_run = 0;
	/* CCM's lengths take effect when the key is set; later changes have none. */
	c->key_lengths = (struct kc_lengths){ 0, 0 };
	if (!c->base->common.alg->stream)
		c->base->lengths(c->base, c->base_ctx, &c->key_lengths);
}

static void take_nonce(struct kc_aead *c, const uint8_t *nonce, size_t len)
{
	const struct kc_alg *alg = c->base->common.alg;
	bool fits = alg->nonce_len ? len == alg->nonce_len : len >= 7 && len <= 13;

	c->fresh &= KC_FRESH_TAG;
	if (len != c->said_nonce_len)
		c->said_nonce_len = 0;
	if (!fits)
		return;
	memcpy(c->nonce, nonce, len);
	c->nonce_len = (unsigned)len;
	c->aad_len = 0;
	c->finished = false;
	c->fresh |= KC_FRESH_IV | KC_FRESH_TEXT;
	if (!alg->record_iv_len) {
		memcpy(c->fixed, nonce, sizeof(c->fixed));
		c->fixed_set = true;
	}
}

/* Is there nothing to note of this message, and of the next ones? */
static void consider_idling(struct kc_aead *c)
{
	if (c->short_run++ < IDLE_AFTER || c->nonce_len != KC_RECORD_NONCE || c->tag_hidden)
		return;
	c->short_run = 0;
	c->idle = IDLE_FOR;
	c->finished = true; /* will be, unnoticed */
	kc_aead_rest(c);
}

/* A different tag: the base has encrypted something since. It tells only when encrypting. */
static void look_for_mark(struct kc_aead *c)
{
	uint8_t said[KC_MAX_TAG];

	if (c->base->said_tag(c->base, c->base_ctx, said))
		c->tag_hidden = memcmp(said, c->mark, sizeof(said)) == 0;
	explicit_bzero(said, sizeof(said));
}

int kc_aead_start_noted(struct kc_aead *c, const uint8_t *iv, size_t iv_len)
{
	const struct kc_alg *alg = c->base->common.alg;

	if (c->tag_hidden && c->dir == KC_DECRYPT)
		look_for_mark(c);
	/* This init begins anew whatever else it says, so the previous state does not matter. */
	if (alg->stream && iv && iv_len == alg->nonce_len)
		kc_aead_drop(c);
	return kc_aead_catch_up(c);
}

void kc_aead_started(struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
		     size_t iv_len, bool ok)
{
	c->record = false;
	c->doubted = false;
	c->total = SIZE_MAX;
	c->threshold = 0;
	c->idle = 0;
	if (iv)
		take_nonce(c, iv, iv_len);
	else if (!(c->fresh & KC_FRESH_IV))
		c->fresh &= KC_FRESH_TAG;
	if (!ok)
		drop_key(c);
	else if (key && key_len == c->base->common.alg->key_len)
		take_key(c, key);
	kc_gate_renew(&c->gate, c->dir);
	if (iv)
		consider_idling(c);
}

static void take_tag(struct kc_aead *c, const uint8_t *tag, size_t len)
{
	c->fresh &= ~KC_FRESH_TAG;
	if (!tag || len > sizeof(c->tag))
		return;
	/* It goes over the mark's first bytes; the others must now be those of the right tag. */
	if (c->tag_hidden) {
		memcpy(c->shown_tag, tag, len);
		c->tag_hidden = !c->base->place_tag(c->base, c->base_ctx, c->shown_tag, len);
	}
	memcpy(c->tag, tag, len);
	c->tag_len = (unsigned)len;
	c->fresh |= KC_FRESH_TAG;
}

static void take_settings(struct kc_aead *c, const struct kc_settings *set)
{
	if (set->what & KC_SET_TAG)
		take_tag(c, set->tag, set->tag_len);
	if (set->what & (KC_SET_NONCE_LEN | KC_SET_FIXED))
		c->fresh &= KC_FRESH_TAG;
	if (set->what & KC_SET_FIXED) {
		c->fixed_set = true;
		if (set->fixed_len == sizeof(c->fixed))
			memcpy(c->fixed, set->fixed, sizeof(c->fixed));
	}
	if (set->what == KC_SET_RECORD && set->record_aad_len == sizeof(c->record_aad)) {
		memcpy(c->record_aad, set->record_aad, sizeof(c->record_aad));
		c->record = true;
	}
}

void kc_aead_changed(struct kc_aead *c, const struct kc_settings *set, bool ok)
{
	if (!set->what)
		return;
	c->said_nonce_len = 0;
	c->short_run = 0;
	c->idle = 0;
	c->threshold = 0;
	c->record = false;
	if (set->what & KC_SET_RECORD) {
		c->tls = true;
		c->fresh = 0;
	}
	if (ok)
		take_settings(c, set);
	/* The key took the lengths as they were before. */
	if (set->with_key)
		c->key_lengths = (struct kc_lengths){ 0, 0 };
	if (!ok || set->what & KC_SET_OTHER) {
		c->fresh = 0;
		c->fixed_set = false;
	}
}

void kc_aead_tag_set(struct kc_aead *c, const uint8_t *tag, size_t len)
{
	c->record = false;
	c->threshold = 0;
	take_tag(c, tag, len);
}

int kc_aead_leave_to_base(struct kc_aead *c)
{
	int ok = kc_aead_catch_up(c);

	kc_aead_rest(c);
	return ok;
}

int kc_aead_expose(struct kc_aead *c)
{
	c->exposed = true;
	return kc_aead_leave_to_base(c);
}

int kc_aead_before_tag(struct kc_aead *c)
{
	if (!c->copy || c->base->common.alg->stream)
		return 1;
	/*
	 * CCM's base takes any set tag as permission to ask for one. This is the one that is in
	 * place already.
	 */
	return c->base->close(c->base, c->base_ctx, KC_ENCRYPT, c->tag, c->made_len);
}

void kc_aead_after_tag(struct kc_aead *c, uint8_t *tag, size_t len)
{
	len = len < KC_MAX_TAG ? len : KC_MAX_TAG;
	if (c->tag_hidden)
		look_for_mark(c);
	if (c->tag_hidden)
		memcpy(tag, c->shown_tag, len);
	if (c->copy && !c->base->common.alg->stream) {
		memcpy(tag, c->made_tag, len);
		kc_aead_drop(c);
	}
}

/* From here on: one request to the kernel. */
bool kc_aead_ready(struct kc_aead *c, unsigned tag_len, size_t len)
{
	const struct kc_base *base = &c->base->common;
	const struct kc_key key = { .bytes = c->key,
				    .len = base->alg->key_len,
				    .tag_len = tag_len };

	if (len > KC_MAX_REQUEST - KC_MAX_AAD - KC_MAX_TAG)
		return false;
	return len >= c->gate.entry && kc_gate_open(&c->gate, base, c->dir, &key, len) &&
	       len <= kc_gate_limit(&c->gate);
}

int kc_aead_run(struct kc_aead *c, struct kc_req *req, unsigned tag_len, const uint8_t *nonce,
		size_t nonce_len)
{
	const struct kc_base *base = &c->base->common;
	const struct kc_key key = { .bytes = c->key,
				    .len = base->alg->key_len,
				    .tag_len = tag_len };
	size_t at = base->alg->nonce_len ? 0 : 1;
	uint8_t iv[KC_MAX_IV] = { 0 };
	int err;

	/* As RFC 3610 has it, where the nonce may have any length. */
	if (at)
		iv[0] = (uint8_t)(base->alg->iv_len - 2 - nonce_len);
	memcpy(iv + at, nonce, nonce_len);
	req->iv = iv;
	err = kc_gate_run(&c->gate, base, &key, req);
	explicit_bzero(iv, sizeof(iv));
	return err;
}
