/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides between base and detour for an AEAD's requests. A message whose text comes in one update
 * takes a detour, and so does a TLS 1.2 record.
 *
 * The input that the kernel did is kept until the next message or record, or the context's end.
 * Final and the tag are answered from the kernel's results. Before any other call, the base does
 * the same input. If the kernel calls the tag bad, either this was not the whole message or the tag
 * is bad: the base does the text, and its final decides.
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

/* Notes what CCM needs. */
static inline int base_update(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
			      const unsigned char *in, size_t inl)
{
	c->begun = true;
	if (!c->update(c->base_ctx, out, outl, outsize, in, inl))
		return failed(c);
	if (out && c->dir == KC_DECRYPT)
		c->begun = false;
	return 1;
}

int kc_aead_by_base(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		    const unsigned char *in, size_t inl)
{
	bool makes_tag = c->record && out && c->dir == KC_ENCRYPT;
	int ok = !(c->untold & ~KC_UNTOLD_MADE) || kc_aead_tell(c);

	kc_aead_rest(c);
	ok = ok ? base_update(c, out, outl, outsize, in, inl) : failed(c);
	if (ok && makes_tag)
		c->untold = 0;
	return ok;
}

void kc_aead_keep(struct kc_aead *c, unsigned what, uint8_t *copy, size_t len, unsigned tag_len)
{
	kc_aead_rest(c);
	c->copy = copy;
	c->copy_len = len;
	c->text_tag_len = tag_len;
	c->untold |= what;
	c->threshold = 0;
}

/* The length of the tag to request from the kernel, in bytes; 0: the base does the message. */
static unsigned tag_len_for(const struct kc_aead *c, size_t len)
{
	bool is_ccm = !c->base->common.alg->stream;
	size_t tag_len = is_ccm ? c->key_lengths.tag : KC_MAX_TAG;

	if (is_ccm && !(c->untold & KC_UNTOLD_LENGTH && c->total == len))
		return 0;
	return c->dir == KC_DECRYPT && c->tag_len != tag_len ? 0 : (unsigned)tag_len;
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
			      .tag = c->dir == KC_ENCRYPT ? c->text_tag : c->tag };
	struct kc_lengths lengths = c->key_lengths;
	uint8_t *copy = NULL;
	int err, ok;

	if (tag_len && kc_aead_ready(c, tag_len, inl))
		copy = kc_buffer_take();
	if (!copy)
		return kc_aead_by_base(c, out, outl, outsize, in, inl);
	memcpy(copy, in, inl);
	req.in = copy;
	err = kc_aead_run(c, &req, tag_len);
	if (!err) {
		kc_aead_keep(c, KC_UNTOLD_TEXT, copy, inl, tag_len);
		*outl = inl;
		return 1;
	}
	ok = kc_aead_by_base(c, out, outl, outsize, copy, inl);
	c->key_lengths = lengths; /* its length was right */
	kc_buffer_give(copy, inl);
	if (err == -EBADMSG)
		doubt(c, ok);
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

/* Are our copies of key and nonce those that the base would use, in this direction? */
static bool is_known(const struct kc_aead *c)
{
	return c->key_set && c->dir == c->key_dir && !c->exposed;
}

/*
 * CCM's base would take the length or AAD for those of the next text, too: is it told only if it
 * does the text? Makes a note of that.
 */
static bool head_waits(struct kc_aead *c, const unsigned char *in, size_t inl)
{
	if (!(c->fresh & KC_FRESH_TEXT) || c->tls)
		return false;
	if (in) {
		c->untold |= inl && c->untold & KC_UNTOLD_LENGTH ? KC_UNTOLD_AAD : 0;
		return c->untold & KC_UNTOLD_LENGTH;
	}
	if (inl < c->gate.entry || !is_known(c) || c->key_lengths.nonce != c->nonce_len)
		return false;
	c->untold |= KC_UNTOLD_LENGTH;
	return true;
}

static int update_aad(struct kc_aead *c, size_t *outl, size_t outsize, const unsigned char *in,
		      size_t inl)
{
	bool is_stream = c->base->common.alg->stream;

	if (!in && is_stream)
		return kc_aead_by_base(c, NULL, outl, outsize, in, inl);
	if (c->fresh & KC_FRESH_TEXT)
		note_aad(c, in, inl);
	if (!is_stream && outsize >= inl && head_waits(c, in, inl)) {
		*outl = inl;
		return 1;
	}
	if ((!(c->untold & ~KC_UNTOLD_MADE) || kc_aead_tell(c)) &&
	    base_update(c, NULL, outl, outsize, in, inl))
		return 1;
	c->fresh = 0;
	return 0;
}

/*
 * Do the text's places allow a detour? Without a new key, the base's key schedule may be for the
 * other direction.
 */
static bool detour_fits(const struct kc_aead *c, const unsigned char *out, size_t outsize,
			const unsigned char *in, size_t inl)
{
	uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;

	return in && inl && outsize >= inl && (o == i || o + inl <= i || i + inl <= o) &&
	       is_known(c);
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
	if (c->untold & KC_UNTOLD_TEXT || c->doubted) {
		/* That was not all of the text, and the next message's will come in pieces too. */
		c->in_pieces = c->base->common.alg->stream && !(c->untold & KC_UNTOLD_END);
		c->doubted = false;
		if (!kc_aead_tell(c))
			return 0;
		kc_aead_rest(c);
	}
	if (!out)
		return update_aad(c, outl, outsize, in, inl);
	if (!detour_fits(c, out, outsize, in, inl))
		return kc_aead_by_base(c, out, outl, outsize, in, inl);
	if (c->record && c->fixed_set && !c->finished)
		return kc_aead_record(c, out, outl, outsize, in, inl);
	if (!c->record && is_fresh(c))
		return message(c, out, outl, outsize, in, inl);
	return kc_aead_by_base(c, out, outl, outsize, in, inl);
}

/* Apart, so that a small request pays for no register of this. */
static __attribute__((noinline)) int update_noted(struct kc_aead *c, unsigned char *out,
						  size_t *outl, size_t outsize,
						  const unsigned char *in, size_t inl)
{
	if (c->copy || c->doubted)
		return update_large(c, out, outl, outsize, in, inl);
	if (!out)
		return update_aad(c, outl, outsize, in, inl);
	if (inl < c->gate.entry || kc_gate_stays(&c->gate, inl))
		return kc_aead_by_base(c, out, outl, outsize, in, inl);
	return update_large(c, out, outl, outsize, in, inl);
}

/* CCM's, to see whether it fails. */
static __attribute__((noinline)) int update_idle(struct kc_aead *c, unsigned char *out,
						 size_t *outl, size_t outsize,
						 const unsigned char *in, size_t inl)
{
	return c->update(c->base_ctx, out, outl, outsize, in, inl) ? 1 : failed(c);
}

int kc_aead_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;

	if (inl < c->threshold)
		return c->update(c->base_ctx, out, outl, outsize, in, inl);
	if (c->idle && inl < c->gate.entry)
		return update_idle(c, out, outl, outsize, in, inl);
	return update_noted(c, out, outl, outsize, in, inl);
}

/* Another way to feed text, AAD or nothing: the base does all of it, and may make a tag. */
int kc_aead_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		    const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;
	uint8_t before[KC_MAX_TAG] = { 0 }, after[KC_MAX_TAG] = { 0 };
	int ok = kc_aead_leave_to_base(c);
	bool may_make = c->untold && c->dir == KC_ENCRYPT;

	if (may_make)
		c->base->get_tag(c->base, c->base_ctx, before, sizeof(before));
	ok = ok && c->base->oneshot(c->base_ctx, out, outl, outsize, in, inl);
	if (may_make && c->base->get_tag(c->base, c->base_ctx, after, sizeof(after)) &&
	    memcmp(before, after, sizeof(after)) != 0)
		c->untold = 0;
	return ok ? ok : failed(c);
}

/* Of a message that the kernel did. CCM's final only has something to do where NULL declares. */
static bool finish(struct kc_aead *c, const unsigned char *out)
{
	if (!(c->untold & KC_UNTOLD_TEXT))
		return false;
	if (!c->base->common.alg->stream)
		return out;
	if (c->untold & KC_UNTOLD_END)
		return false;
	c->untold |= KC_UNTOLD_END;
	if (c->dir == KC_ENCRYPT)
		memcpy(c->made_tag, c->text_tag, KC_MAX_TAG);
	return true;
}

static __attribute__((noinline)) int final_noted(struct kc_aead *c, unsigned char *out,
						 size_t *outl, size_t outsize)
{
	int ok;

	if (finish(c, out)) {
		*outl = 0;
		return 1;
	}
	ok = !(c->untold & ~KC_UNTOLD_MADE) || kc_aead_tell(c);
	kc_aead_rest(c);
	ok = ok && c->base->final(c->base_ctx, out, outl, outsize);
	if (!ok)
		return failed(c);
	if (c->doubted)
		kc_gate_mistaken(&c->gate);
	c->doubted = false;
	if (c->dir == KC_ENCRYPT)
		c->untold = 0;
	return ok;
}

int kc_aead_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_aead *c = ctx;

	c->finished = true;
	if (c->idle || (c->threshold && !c->untold))
		return c->base->final(c->base_ctx, out, outl, outsize);
	return final_noted(c, out, outl, outsize);
}
