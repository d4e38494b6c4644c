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
#include "session/buffers.h"

/*
 * The base failed, so its state is unknown. With CCM, a text whose length differs from the declared
 * one spoils all messages until the next key; records declare no length. 0.
 */
static __attribute__((cold)) int failed(struct kc_aead *c)
{
	if (!c->tls)
		kc_aead_forget_lengths(c);
	return 0;
}

/* The rest of this message is the base's. Notes what CCM needs. */
static int by_base(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	bool ends = out && c->dir == KC_DECRYPT;

	if (!kc_aead_leave_to_base(c))
		return failed(c);
	c->begun = true;
	if (!c->update(c->base_ctx, out, outl, outsize, in, inl))
		return failed(c);
	c->begun = !ends;
	c->tag_len = ends ? 0 : c->tag_len;
	return 1;
}

static bool take_copy(struct kc_aead *c, const uint8_t *in, size_t len)
{
	kc_aead_drop_copy(c); /* a job left it, and never came back */
	c->copy = kc_buffer_take();
	c->copy_len = len;
	if (c->copy)
		memcpy(c->copy, in, len);
	return c->copy;
}

/*
 * Asks the kernel for the text in an update of @in, @inl bytes, which it does from a copy: @req
 * points into @in, and its iv follows from ->nonce. 0: done, and ->untold has the bit @what; -errno
 * of the kernel; 1: not tried. Unless 0 is returned, nothing is written to @req's places.
 */
static int ask_kernel(struct kc_aead *c, struct kc_req *req, const uint8_t *in, size_t inl,
		      unsigned what)
{
	const struct kc_alg *alg = c->base->alg;
	const struct kc_key key = { .bytes = c->key,
				    .len = alg->key_len,
				    .tag_len = (unsigned)c->lengths.tag };
	uint8_t iv[KC_MAX_IV] = { 0 }, *at = iv;
	int err;

	if (req->len > KC_MAX_REQUEST - KC_MAX_AAD - KC_MAX_TAG ||
	    req->len > kc_gate_open(&c->gate, c->base, c->dir, &key, req->len) ||
	    !take_copy(c, in, inl))
		return 1;
	req->in = c->copy + (req->in - in);
	/* As RFC 3610 has it, where the nonce may have any length. */
	if (!alg->nonce_len)
		*at++ = (uint8_t)(alg->iv_len - 2 - c->lengths.nonce);
	memcpy(at, c->nonce, c->lengths.nonce);
	req->iv = iv;
	err = kc_gate_run(&c->gate, c->base, &key, req);
	explicit_bzero(iv, sizeof(iv));
	if (err) {
		kc_aead_drop_copy(c);
		return err;
	}
	c->open = false;
	c->record = false;
	c->made = false;
	c->threshold = 0;
	c->untold |= what;
	return 0;
}

/*
 * A TLS 1.2 record is one call, in place. The input of the last one is kept, as a message's is: the
 * base does it if anything but the next record follows. Here that one does, and replaces all that
 * is left of the record in ->copy, except that the base must not use its nonce again.
 */
static bool skip_kept(struct kc_aead *c)
{
	if (c->untold & KC_UNTOLD_RECORD) {
		if (c->dir == KC_ENCRYPT && c->base->skip_record &&
		    !c->base->skip_record(c->base, c->base_ctx))
			return false;
		kc_aead_drop_copy(c);
	}
	c->untold &= KC_UNTOLD_NEXT_AAD;
	return true;
}

/*
 * Works in place; text and tag follow the part of the nonce that the record carries. Uses the nonce
 * that the base would. Returns what ask_kernel() does.
 */
static int try_record(struct kc_aead *c, uint8_t *record, size_t inl, size_t text)
{
	size_t carried = c->base->alg->record_iv_len;
	uint8_t aad[KC_RECORD_AAD], tag[KC_MAX_TAG], *at = record + carried;
	struct kc_req req = { .dir = c->dir,
			      .in = at,
			      .out = at,
			      .len = text,
			      .aad = aad,
			      .aad_len = sizeof(aad),
			      .tag = c->dir == KC_ENCRYPT ? tag : at + text };
	int err;

	memcpy(c->nonce, c->fixed, sizeof(c->fixed));
	if (!c->base->record_nonce(c->base, c->base_ctx, c->record_aad,
				   c->dir == KC_DECRYPT ? record : NULL, c->nonce))
		return 1;
	memcpy(c->aad, c->record_aad, sizeof(aad));
	memcpy(aad, c->record_aad, sizeof(aad));
	aad[11] = (uint8_t)(text >> 8);
	aad[12] = (uint8_t)text;
	err = ask_kernel(c, &req, record, inl, KC_UNTOLD_RECORD);
	if (err)
		return err;
	c->untold &= ~KC_UNTOLD_NEXT_AAD;
	if (c->dir == KC_ENCRYPT) {
		memcpy(record, c->nonce + KC_RECORD_NONCE - carried, carried);
		memcpy(at + text, tag, c->lengths.tag);
	}
	return 0;
}

/* The bytes of text in a record of @inl; 0: none, or its AAD says otherwise. */
static size_t text_in(const struct kc_aead *c, size_t inl)
{
	size_t said = (size_t)c->record_aad[11] << 8 | c->record_aad[12];
	size_t tag_len = c->lengths.nonce == KC_RECORD_NONCE ? c->lengths.tag : 0;
	size_t more = c->base->alg->record_iv_len + tag_len;

	if (c->dir == KC_ENCRYPT)
		said += tag_len;
	return tag_len && inl == said && inl > more ? inl - more : 0;
}

/*
 * If the kernel does not do it, the base does, from the unchanged input: so a bad tag is always the
 * base's verdict.
 */
static int do_record(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		     const unsigned char *in, size_t inl)
{
	size_t text = out == in && outsize >= inl ? text_in(c, inl) : 0;
	int err = 1, ok;

	if (text && c->fixed_set && c->dir == c->key_dir && skip_kept(c))
		err = try_record(c, out, inl, text);
	if (!err) {
		*outl = c->dir == KC_ENCRYPT ? inl : text;
		return 1;
	}
	ok = by_base(c, out, outl, outsize, in, inl);
	if (ok && err == -EBADMSG)
		kc_gate_mistaken(&c->gate);
	return ok;
}

/* The kernel called the tag bad, and the base has done the text: with CCM, that decides. */
static void doubt(struct kc_aead *c, int ok)
{
	if (c->base->alg->stream) {
		c->doubted = true;
		c->threshold = 0;
	} else if (ok) {
		kc_gate_mistaken(&c->gate);
	}
}

static int message(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	struct kc_req req = { .dir = c->dir,
			      .in = in,
			      .out = out,
			      .len = inl,
			      .aad = c->aad,
			      .aad_len = c->aad_len,
			      .tag = c->dir == KC_ENCRYPT ? c->text_tag : c->tag };
	struct kc_lengths lengths = c->lengths;
	int err = ask_kernel(c, &req, in, inl, KC_UNTOLD_TEXT), ok;

	if (!err) {
		*outl = inl;
		return 1;
	}
	ok = by_base(c, out, outl, outsize, in, inl);
	c->lengths = lengths; /* its length was right */
	if (err == -EBADMSG)
		doubt(c, ok);
	return ok;
}

/*
 * Notes AAD, or CCM's length, which must come before it, in place of the base: it would take them
 * for those of the next text, too. A short text will be the base's anyway.
 */
static bool head_waits(struct kc_aead *c, const unsigned char *in, size_t inl)
{
	bool is_ccm = !c->base->alg->stream;

	if (is_ccm && !in) {
		if (inl < c->gate.entry || c->untold & (KC_UNTOLD_LENGTH | KC_UNTOLD_AAD))
			return false;
		c->total = inl;
		c->untold |= KC_UNTOLD_LENGTH;
		return true;
	}
	if (!in || !inl || inl > sizeof(c->aad) - c->aad_len ||
	    (is_ccm && (c->aad_len || !(c->untold & KC_UNTOLD_LENGTH))))
		return false;
	memcpy(c->aad + c->aad_len, in, inl);
	c->aad_len += (unsigned)inl;
	c->untold |= KC_UNTOLD_AAD;
	return true;
}

/* Can the kernel do this text: all of the declared length, with a known tag, at these places? */
static bool message_fits(const struct kc_aead *c, const unsigned char *out, size_t outsize,
			 const unsigned char *in, size_t inl)
{
	bool is_whole = c->base->alg->stream || (c->untold & KC_UNTOLD_LENGTH && c->total == inl);
	bool has_tag = c->lengths.tag && (c->dir == KC_ENCRYPT || c->tag_len == c->lengths.tag);
	uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;

	return is_whole && has_tag && in && inl && outsize >= inl &&
	       (o == i || o + inl <= i || i + inl <= o);
}

/* A text follows one that made a detour, which was not all of it; the next ones' will not be. */
static int go_on(struct kc_aead *c)
{
	if (!(c->untold & KC_UNTOLD_TEXT) && !c->doubted)
		return 1;
	c->in_pieces = c->base->alg->stream && !(c->untold & KC_UNTOLD_END);
	return kc_aead_leave_to_base(c);
}

/* Apart, so that a small request pays for no register of this. */
static __attribute__((noinline)) int update_noted(struct kc_aead *c, unsigned char *out,
						  size_t *outl, size_t outsize,
						  const unsigned char *in, size_t inl)
{
	if (c->untold & KC_UNTOLD_COPY || c->doubted) {
		if (!go_on(c))
			return 0;
	} else if (out) {
		if (inl < c->gate.entry || kc_gate_stays(&c->gate, inl))
			return by_base(c, out, outl, outsize, in, inl);
		c->short_run = 0;
		c->unrecorded = 0;
	}
	if (!out && c->open && outsize >= inl && head_waits(c, in, inl)) {
		*outl = inl;
		return 1;
	}
	if (out && c->record)
		return do_record(c, out, outl, outsize, in, inl);
	return out && c->open && message_fits(c, out, outsize, in, inl) ?
		       message(c, out, outl, outsize, in, inl) :
		       by_base(c, out, outl, outsize, in, inl);
}

/* Of CCM, only a text spoils anything if it fails. */
static __attribute__((noinline)) int text_idle(struct kc_aead *c, unsigned char *out, size_t *outl,
					       size_t outsize, const unsigned char *in, size_t inl)
{
	return c->update(c->base_ctx, out, outl, outsize, in, inl) ? 1 : failed(c);
}

int kc_aead_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;

	if (inl < c->threshold)
		return c->update(c->base_ctx, out, outl, outsize, in, inl);
	if (c->unrecorded && inl < c->gate.entry)
		return out ? text_idle(c, out, outl, outsize, in, inl) :
			     c->update(c->base_ctx, out, outl, outsize, in, inl);
	return update_noted(c, out, outl, outsize, in, inl);
}

/* Another way to feed text, AAD or nothing: the base does all of it. */
int kc_aead_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		    const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;
	int ok = kc_aead_leave_to_base(c) &&
		 c->base->oneshot(c->base_ctx, out, outl, outsize, in, inl);

	c->begun = true;
	c->tag_len = 0;
	return ok ? ok : failed(c);
}

/* CCM's final only has something to do where NULL declares. */
static __attribute__((noinline)) int final_noted(struct kc_aead *c, unsigned char *out,
						 size_t *outl, size_t outsize)
{
	bool is_ccm = !c->base->alg->stream, doubted = c->doubted;

	if (c->untold & KC_UNTOLD_TEXT && (is_ccm ? out != NULL : !(c->untold & KC_UNTOLD_END))) {
		c->untold |= is_ccm ? 0 : KC_UNTOLD_END;
		c->made = c->dir == KC_ENCRYPT;
		*outl = 0;
		return 1;
	}
	if (!kc_aead_leave_to_base(c) || !c->base->final(c->base_ctx, out, outl, outsize))
		return failed(c);
	if (doubted)
		kc_gate_mistaken(&c->gate);
	return 1;
}

int kc_aead_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_aead *c = ctx;

	if (c->unrecorded)
		return c->base->final(c->base_ctx, out, outl, outsize);
	/* OpenSSL 4.0's ChaCha20-Poly1305 refuses records then. */
	c->fixed_set = false;
	if (c->threshold && !c->untold)
		return c->base->final(c->base_ctx, out, outl, outsize);
	return final_noted(c, out, outl, outsize);
}
