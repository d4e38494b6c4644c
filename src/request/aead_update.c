/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides between base and detour for an AEAD's requests. A message whose text comes in one update
 * takes a detour, and so does a TLS 1.2 record.
 *
 * The base has the nonce and AAD, and learns about a message only when it must. The input is kept
 * until final: before any other call, the base is fed that input and carries on. If the kernel
 * calls the tag bad, either this was not the whole message or the tag is bad: the base does the
 * text, and its final decides. A record is a single call, so the base is told at once.
 */
#include <errno.h>
#include <string.h>

#include "request/aead.h"
#include "core/quiet.h"
#include "session/buffers.h"

/*
 * The base failed, so its state is unknown. With CCM, a text whose length differs from the declared
 * one spoils all messages until the next key; records declare no length.
 */
static __attribute__((cold)) int failed(struct kc_aead *c)
{
	if (!c->tls)
		c->key_lengths = (struct kc_lengths){ 0, 0 };
	return 0;
}

static int by_base(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	int ok;

	kc_aead_rest(c);
	ok = c->update(c->base_ctx, out, outl, outsize, in, inl);
	return ok ? ok : failed(c);
}

/*
 * The base has a mark in place of the tag: stores the tag that the kernel made, to be returned
 * instead.
 */
static int hide_mark(struct kc_aead *c, const uint8_t *tag)
{
	if (!c->base->said_tag || c->dir == KC_DECRYPT)
		return 1;
	memcpy(c->shown_tag, tag, sizeof(c->shown_tag));
	c->tag_hidden = true;
	return c->base->said_tag(c->base, c->base_ctx, c->mark);
}

/* CCM: the present lengths if they are those of the key; otherwise 0 for both. */
static struct kc_lengths ccm_lengths(struct kc_aead *c)
{
	struct kc_lengths now = { 0, 0 };

	if (c->base->lengths(c->base, c->base_ctx, &now) && now.tag == c->key_lengths.tag &&
	    now.nonce == c->key_lengths.nonce)
		return now;
	return (struct kc_lengths){ 0, 0 };
}

/* The length of the tag to request from the kernel, in bytes; 0: the base does the message. */
static unsigned tag_len_for(struct kc_aead *c, size_t len)
{
	struct kc_lengths now = { c->nonce_len, KC_MAX_TAG };

	if (!c->base->common.alg->stream)
		now = c->total == len ? ccm_lengths(c) : (struct kc_lengths){ 0, 0 };
	if (now.nonce != c->nonce_len || (c->dir == KC_DECRYPT && c->tag_len != now.tag))
		return 0;
	return (unsigned)now.tag;
}

/* The kernel has done the text, tag included. @copy: the input. */
static int message_done(struct kc_aead *c, uint8_t *copy, uint8_t *out, size_t len)
{
	if (c->base->common.alg->stream || c->dir == KC_ENCRYPT) {
		c->copy = copy;
		c->copy_len = len;
		c->threshold = 0;
		return 1;
	}
	kc_buffer_give(copy, 0);
	if (c->base->close(c->base, c->base_ctx, c->dir, c->tag, c->tag_len))
		return 1;
	explicit_bzero(out, len);
	return failed(c);
}

/* The kernel called the tag bad, and the base has done the text: with CCM, that decides. */
static void doubt(struct kc_aead *c, int ok)
{
	if (c->base->common.alg->stream) {
		c->doubted = true;
		c->threshold = 0;
	} else if (ok) {
		kc_gate_mistaken(&c->gate);
	}
}

static int message(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	unsigned tag_len = tag_len_for(c, inl);
	struct kc_req req = { .dir = c->dir,
			      .out = out,
			      .len = inl,
			      .aad = c->aad,
			      .aad_len = c->aad_len,
			      .tag = c->dir == KC_ENCRYPT ? c->made_tag : c->tag };
	uint8_t *copy = NULL;
	int err, ok;

	if (tag_len && kc_aead_ready(c, tag_len, inl))
		copy = kc_buffer_take();
	if (!copy)
		return by_base(c, out, outl, outsize, in, inl);
	memcpy(copy, in, inl);
	req.in = copy;
	err = kc_aead_run(c, &req, tag_len, c->nonce, c->nonce_len);
	kc_aead_rest(c);
	if (!err) {
		*outl = inl;
		c->made_len = tag_len;
		return message_done(c, copy, out, inl);
	}
	kc_buffer_give(copy, inl);
	ok = c->update(c->base_ctx, out, outl, outsize, in, inl);
	if (err == -EBADMSG)
		doubt(c, ok);
	return ok;
}

/* Fills in the AAD for the tag, with the length of the text. 0 if it is not this record's. */
static int fill_aad(const struct kc_aead *c, uint8_t *aad, size_t text, unsigned tag_len)
{
	size_t more = c->base->common.alg->record_iv_len + (c->dir == KC_DECRYPT ? tag_len : 0);
	size_t said = (size_t)c->record_aad[11] << 8 | c->record_aad[12];

	memcpy(aad, c->record_aad, KC_RECORD_AAD);
	aad[11] = (uint8_t)(text >> 8);
	aad[12] = (uint8_t)text;
	return said == text + more;
}

/*
 * Works in place; text and tag follow the part of the nonce that the record carries. Uses the nonce
 * that the base would. Returns 0, -errno of the kernel, or 1: not tried.
 */
static int try_record(struct kc_aead *c, struct kc_record *r, uint8_t *record, size_t text)
{
	size_t carried = c->base->common.alg->record_iv_len;
	uint8_t aad[KC_RECORD_AAD], tag[KC_MAX_TAG], *at = record + carried;
	struct kc_req req = { .dir = r->dir,
			      .in = at,
			      .out = at,
			      .len = text,
			      .aad = aad,
			      .aad_len = KC_RECORD_AAD,
			      .tag = r->dir == KC_ENCRYPT ? tag : at + text };
	int err;

	if (!fill_aad(c, aad, text, r->tag_len) || !kc_aead_ready(c, r->tag_len, text) ||
	    !c->base->record_nonce(c->base, c->base_ctx, r))
		return 1;
	err = kc_aead_run(c, &req, r->tag_len, r->nonce, KC_RECORD_NONCE);
	if (!err && r->dir == KC_ENCRYPT) {
		memcpy(record, r->nonce + KC_RECORD_NONCE - carried, carried);
		memcpy(at + text, tag, r->tag_len);
	}
	return err;
}

/*
 * If the kernel does not do it, the base does, from the unchanged input: so a bad tag is always the
 * base's verdict.
 */
static int by_kernel_or_base(struct kc_aead *c, struct kc_record *r, unsigned char *out,
			     size_t *outl, size_t outsize, size_t inl)
{
	size_t text = inl - c->base->common.alg->record_iv_len - r->tag_len;
	int err = try_record(c, r, out, text), ok;

	if (err) {
		ok = by_base(c, out, outl, outsize, out, inl);
		if (ok && err == -EBADMSG)
			kc_gate_mistaken(&c->gate);
		return ok;
	}
	kc_aead_rest(c);
	*outl = r->dir == KC_ENCRYPT ? inl : text;
	if (c->base->record_done(c->base, c->base_ctx, r) && hide_mark(c, out + inl - r->tag_len))
		return 1;
	/* The base would have used another nonce: this must not be sent. */
	explicit_bzero(out, inl);
	return 0;
}

static int record(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		  const unsigned char *in, size_t inl)
{
	struct kc_record r = {
		.dir = c->dir, .aad = c->record_aad, .iv = in, .tag_len = KC_MAX_TAG
	};
	struct kc_lengths now;
	int ok;

	if (!c->base->common.alg->stream) {
		now = ccm_lengths(c);
		r.tag_len = now.nonce == KC_RECORD_NONCE ? (unsigned)now.tag : 0;
	}
	if (out != in || !r.tag_len || inl <= c->base->common.alg->record_iv_len + r.tag_len)
		return by_base(c, out, outl, outsize, in, inl);
	memcpy(r.nonce, c->fixed, sizeof(r.nonce));
	ok = by_kernel_or_base(c, &r, out, outl, outsize, inl);
	explicit_bzero(&r, sizeof(r));
	return ok;
}

/* AAD goes to the base as it arrives; we keep a copy of AAD that may go to the kernel later. */
static void note_aad(struct kc_aead *c, const unsigned char *in, size_t inl)
{
	bool whole = !c->base->common.alg->stream;

	c->fresh &= ~KC_FRESH_IV;
	if (in && inl <= sizeof(c->aad) - c->aad_len && !(whole && inl && c->aad_len)) {
		memcpy(c->aad + c->aad_len, in, inl);
		c->aad_len += (unsigned)inl;
	} else if (!in && whole && !c->aad_len) {
		c->total = inl;
	} else {
		/* Too much, or known only to the base. */
		c->fresh = 0;
	}
}

static int update_aad(struct kc_aead *c, size_t *outl, size_t outsize, const unsigned char *in,
		      size_t inl)
{
	if (!in && c->base->common.alg->stream)
		return by_base(c, NULL, outl, outsize, in, inl);
	if (c->fresh & KC_FRESH_TEXT)
		note_aad(c, in, inl);
	if (c->update(c->base_ctx, NULL, outl, outsize, in, inl))
		return 1;
	c->fresh = 0;
	return failed(c);
}

/*
 * Do the text's places allow a detour, and are our copies of key and nonce the ones that the base
 * would use now? Without a new key, its key schedule may be for the other direction.
 */
static bool detour_fits(const struct kc_aead *c, const unsigned char *out, size_t outsize,
			const unsigned char *in, size_t inl)
{
	uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;

	return in && inl && outsize >= inl && (o == i || o + inl <= i || i + inl <= o) &&
	       c->key_set && c->dir == c->key_dir && !c->exposed;
}

/* Are all the settings that a message's text needs still unchanged? */
static bool is_fresh(const struct kc_aead *c)
{
	unsigned needed = KC_FRESH_TEXT | (c->dir == KC_DECRYPT ? KC_FRESH_TAG : 0);

	return !c->tls && !c->in_pieces && (c->fresh & needed) == needed;
}

/* A text worth a detour, or one that follows another that made it. */
static __attribute__((noinline)) int update_large(struct kc_aead *c, unsigned char *out,
						  size_t *outl, size_t outsize,
						  const unsigned char *in, size_t inl)
{
	KC_QUIETLY;

	c->short_run = 0;
	c->idle = 0;
	if (c->copy || c->doubted) {
		/* That was not all of the text, and the next message's will come in pieces too. */
		c->in_pieces = c->base->common.alg->stream;
		if (!kc_aead_leave_to_base(c))
			return 0;
	}
	if (!out)
		return update_aad(c, outl, outsize, in, inl);
	if (!detour_fits(c, out, outsize, in, inl))
		return by_base(c, out, outl, outsize, in, inl);
	if (c->record && c->fixed_set && !c->finished)
		return record(c, out, outl, outsize, in, inl);
	if (!c->record && is_fresh(c))
		return message(c, out, outl, outsize, in, inl);
	return by_base(c, out, outl, outsize, in, inl);
}

/* Apart, so that a small request pays for no register of this. */
static __attribute__((noinline)) int update_noted(struct kc_aead *c, unsigned char *out,
						  size_t *outl, size_t outsize,
						  const unsigned char *in, size_t inl)
{
	if (c->idle && inl < c->gate.entry)
		return c->update(c->base_ctx, out, outl, outsize, in, inl) ? 1 : failed(c);
	if (c->copy || c->doubted)
		return update_large(c, out, outl, outsize, in, inl);
	if (!out)
		return update_aad(c, outl, outsize, in, inl);
	if (inl < c->gate.entry || kc_gate_stays(&c->gate, inl))
		return by_base(c, out, outl, outsize, in, inl);
	return update_large(c, out, outl, outsize, in, inl);
}

int kc_aead_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;

	if (inl >= c->threshold)
		return update_noted(c, out, outl, outsize, in, inl);
	return c->update(c->base_ctx, out, outl, outsize, in, inl);
}

/* Another way to feed text, AAD or nothing: the base does all of it. */
int kc_aead_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		    const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;
	int ok = kc_aead_leave_to_base(c) &&
		 c->base->oneshot(c->base_ctx, out, outl, outsize, in, inl);

	return ok ? ok : failed(c);
}

/* Of a message that the kernel did. CCM's final only has something to do where NULL declares. */
static int finish(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize)
{
	KC_QUIETLY;
	const uint8_t *tag = c->dir == KC_ENCRYPT ? c->made_tag : c->tag;
	int ok = 1;

	if (c->base->common.alg->stream) {
		ok = c->base->close(c->base, c->base_ctx, c->dir, tag, KC_MAX_TAG) &&
		     hide_mark(c, tag);
		kc_aead_drop(c);
	} else if (!out) {
		return kc_aead_leave_to_base(c) && c->base->final(c->base_ctx, out, outl, outsize);
	}
	*outl = 0;
	return ok;
}

static __attribute__((noinline)) int final_noted(struct kc_aead *c, unsigned char *out,
						 size_t *outl, size_t outsize)
{
	int ok;

	if (c->copy)
		return finish(c, out, outl, outsize);
	kc_aead_rest(c);
	ok = c->base->final(c->base_ctx, out, outl, outsize);
	if (ok && c->doubted)
		kc_gate_mistaken(&c->gate);
	c->doubted = false;
	return ok ? ok : failed(c);
}

int kc_aead_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_aead *c = ctx;

	c->finished = true;
	if (!c->threshold && !c->idle)
		return final_noted(c, out, outl, outsize);
	return c->base->final(c->base_ctx, out, outl, outsize);
}
