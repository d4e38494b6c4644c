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
	int err = kc_aead_ask(c, &req, in, inl, KC_UNTOLD_TEXT), ok;

	if (!err) {
		*outl = inl;
		return 1;
	}
	ok = kc_aead_by_base(c, out, outl, outsize, in, inl);
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
			return kc_aead_by_base(c, out, outl, outsize, in, inl);
		c->short_run = 0;
		c->unrecorded = 0;
	}
	if (!out && c->open && outsize >= inl && head_waits(c, in, inl)) {
		*outl = inl;
		return 1;
	}
	if (out && c->record)
		return kc_aead_record(c, out, outl, outsize, in, inl);
	return out && c->open && message_fits(c, out, outsize, in, inl) ?
		       message(c, out, outl, outsize, in, inl) :
		       kc_aead_by_base(c, out, outl, outsize, in, inl);
}

/* Of CCM, only a text spoils anything if it fails. */
static __attribute__((noinline)) int text_idle(struct kc_aead *c, unsigned char *out, size_t *outl,
					       size_t outsize, const unsigned char *in, size_t inl)
{
	return c->update(c->base_ctx, out, outl, outsize, in, inl) ? 1 : kc_aead_failed(c);
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
	return ok ? ok : kc_aead_failed(c);
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
		return kc_aead_failed(c);
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
