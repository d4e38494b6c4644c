/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An AEAD's updates and final: noted, done by the kernel, answered, or passed on, as the table
 * says. The kernel's verdict that a tag is bad is never passed on: either this was not the whole
 * message, or the base gives that verdict itself.
 */
#include <errno.h>
#include <string.h>

#include "request/aead/aead.h"

/* True if the kernel can do this text: the whole message, a known tag, and buffers that fit. */
static bool is_kernels(const struct kc_aead *c, const unsigned char *out, size_t outsize,
		       const unsigned char *in, size_t inl)
{
	uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;

	if (c->dir != c->key_dir || !c->lengths.tag)
		return false;
	if (c->dir == KC_DECRYPT && c->tag_len != c->lengths.tag)
		return false;
	if (c->total && c->total != inl)
		return false;
	return inl && outsize >= inl && (o == i || o + inl <= i || i + inl <= o);
}

static __attribute__((noinline)) int message(struct kc_aead *c, unsigned char *out,
					     const unsigned char *in, size_t inl)
{
	struct kc_req req = { .dir = c->dir,
			      .in = in,
			      .out = out,
			      .len = inl,
			      .aad = c->aad,
			      .aad_len = c->aad_len,
			      .tag = c->dir == KC_ENCRYPT ? c->text_tag : c->tag };

	return kc_aead_ask_kernel(c, &req, c->nonce, in, inl);
}

/* Notes no length of a text that is too short for the kernel. */
static bool note_length(struct kc_aead *c, size_t len)
{
	if (!len || len < c->gate.entry)
		return false;
	c->total = len;
	return true;
}

static bool note_aad(struct kc_aead *c, const uint8_t *aad, size_t len)
{
	if (!len || len > sizeof(c->aad) - c->aad_len)
		return false;
	memcpy(c->aad + c->aad_len, aad, len);
	c->aad_len += (unsigned)len;
	return true;
}

/*
 * Without input, output is undefined, and does not fit. Nor does a second text: a doubted tag was
 * not bad, but another text's.
 */
static enum kc_call call_of_text(const struct kc_aead *c, const unsigned char *in)
{
	if (in && !c->doubted)
		return c->family->text[c->dir];
	return KC_CALL_ODD;
}

/* Without output: AAD; without input, too: CCM's length. */
static int head(struct kc_aead *c, size_t *outl, size_t outsize, const unsigned char *in,
		size_t inl)
{
	enum kc_call call = in ? KC_CALL_AAD : c->family->declare;
	bool is_noted = false;

	kc_aead_come_in(c);
	if (kc_aead_act(c, call) == KC_NOTE && outsize >= inl)
		is_noted = in ? note_aad(c, in, inl) : note_length(c, inl);
	if (is_noted) {
		kc_aead_enter(c, call);
		*outl = inl;
		return 1;
	}
	if (!kc_aead_pass(c, call))
		return 0;
	return kc_aead_done(c, kc_aead_update_base(c, c->update, NULL, outl, outsize, in, inl));
}

static bool opens_records(const struct kc_aead *c)
{
	return c->phase == KC_PHASE_RECORDS && c->dir == KC_DECRYPT;
}

static __attribute__((noinline)) int text_by_base(struct kc_aead *c, unsigned char *out,
						  size_t *outl, size_t outsize,
						  const unsigned char *in, size_t inl)
{
	int ok;

	if (!kc_aead_pass(c, call_of_text(c, in)))
		return 0;
	ok = kc_aead_update_base(c, c->update, out, outl, outsize, in, inl);
	/* A forged record changes no more than another one. */
	if (!ok && opens_records(c))
		return 0;
	return kc_aead_done(c, ok);
}

/* True if the text is long enough for the kernel, or is to be measured; then wakes the context. */
static bool take_long(struct kc_aead *c, size_t inl)
{
	if (inl < c->gate.entry || kc_gate_stay(&c->gate, inl))
		return false;
	c->short_run = 0;
	if (c->asleep && c->threshold)
		c->threshold = KC_NO_DETOUR;
	kc_aead_wake(c);
	return true;
}

static int text(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		const unsigned char *in, size_t inl)
{
	enum kc_call call = call_of_text(c, in);
	bool is_long;
	int err = 1, ok;

	kc_aead_come_in(c);
	is_long = take_long(c, inl);
	if (kc_aead_act(c, call) == KC_KERNEL && is_long && is_kernels(c, out, outsize, in, inl))
		err = message(c, out, in, inl);
	if (err) {
		ok = text_by_base(c, out, outl, outsize, in, inl);
		if (err == -EBADMSG && c->phase != KC_PHASE_BASE_FOR_EVER)
			c->family->doubt(c, ok);
		return ok;
	}
	if (!c->family->tag_stays)
		kc_aead_owe(c, c->dir == KC_ENCRYPT ? c->text_tag : c->tag);
	kc_aead_enter(c, call);
	*outl = inl;
	return 1;
}

/* Not inlined, so that a small request does not save the registers that this needs. */
static __attribute__((noinline)) int update_noted(struct kc_aead *c, unsigned char *out,
						  size_t *outl, size_t outsize,
						  const unsigned char *in, size_t inl)
{
	if (!out)
		return head(c, outl, outsize, in, inl);
	if (c->phase == KC_PHASE_RECORD)
		return kc_aead_record(c, out, outl, outsize, in, inl, take_long(c, inl));
	return text(c, out, outl, outsize, in, inl);
}

/* CCM: only a text has an effect if it fails. */
static __attribute__((noinline)) int text_asleep(struct kc_aead *c, unsigned char *out,
						 size_t *outl, size_t outsize,
						 const unsigned char *in, size_t inl)
{
	return kc_aead_done(c, c->update(c->base_ctx, out, outl, outsize, in, inl));
}

int kc_aead_update(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;
	kc_update_fn *update = c->update;

	if (inl < c->threshold)
		return update(c->base_ctx, out, outl, outsize, in, inl);
	if (inl < c->checked) {
		if (out)
			return text_asleep(c, out, outl, outsize, in, inl);
		return c->update(c->base_ctx, out, outl, outsize, in, inl);
	}
	if (out && inl < c->gate.entry && c->phase != KC_PHASE_RECORD)
		return text_by_base(c, out, outl, outsize, in, inl);
	return update_noted(c, out, outl, outsize, in, inl);
}

/* Another way to feed text, AAD or nothing. */
int kc_aead_oneshot(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		    const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;

	return kc_aead_give_up(c) &&
	       kc_aead_update_base(c, c->base->oneshot, out, outl, outsize, in, inl);
}

/* Decrypting, final gives a verdict, after which the next nonce begins anew. */
static int final_by_base(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize)
{
	bool doubted = c->doubted, is_verdict = c->family->begins_anew && c->dir == KC_DECRYPT;
	bool is_owed;
	int ok;

	if (!kc_aead_pass(c, KC_CALL_FINAL))
		return 0;
	is_owed = c->owes_tag && kc_aead_stays_owed(c);
	c->doubted = false;
	if (c->family->tag_stays)
		c->tag_len = 0; /* a program that sets it after the text does so each time */
	ok = c->base->final(c->base_ctx, out, outl, outsize);
	if (c->owes_tag && ok && !is_owed)
		kc_aead_owe_nothing(c);
	if (!ok) {
		if (is_verdict)
			return 0;
		return kc_aead_failed(c);
	}
	if (doubted)
		kc_gate_mistaken(&c->gate);
	return ok;
}

/* CCM's final has nothing to do; if it fails, something is wrong with an earlier call. */
static __attribute__((noinline)) int final_checked(struct kc_aead *c, unsigned char *out,
						   size_t *outl, size_t outsize)
{
	return kc_aead_done(c, c->base->final(c->base_ctx, out, outl, outsize));
}

static __attribute__((noinline)) int final_awake(struct kc_aead *c, unsigned char *out,
						 size_t *outl, size_t outsize)
{
	if (!out || kc_aead_act(c, KC_CALL_FINAL) != KC_ANSWER)
		return final_by_base(c, out, outl, outsize);
	if (c->dir == KC_ENCRYPT && c->family->tag_stays)
		kc_aead_owe(c, c->text_tag);
	kc_aead_enter(c, KC_CALL_FINAL);
	*outl = 0;
	return 1;
}

/*
 * The other finals are functions of their own, so that a short message's saves none of their
 * registers.
 */
int kc_aead_final(void *ctx, unsigned char *out, size_t *outl, size_t outsize)
{
	struct kc_aead *c = ctx;

	if (c->end)
		return c->end(c->base_ctx, out, outl, outsize);
	if (c->asleep)
		return final_checked(c, out, outl, outsize);
	return final_awake(c, out, outl, outsize);
}
