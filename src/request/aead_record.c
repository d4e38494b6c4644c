/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS 1.2 records: a call each, in place. The input of the last one is kept, as a message's is: the
 * base does it if anything but the next record follows.
 */
#include <errno.h>
#include <string.h>

#include "request/aead.h"
#include "session/buffers.h"

/*
 * The base need not do the record in ->copy: this one replaces all that is left of it, except that
 * the base must not use its nonce again.
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
 * Works in place, from a copy; text and tag follow the part of the nonce that the record carries.
 * Uses the nonce that the base would. Returns 0, -errno of the kernel, or 1: not tried.
 */
static int try_record(struct kc_aead *c, struct kc_record *r, uint8_t *record, uint8_t *copy,
		      size_t text)
{
	size_t carried = c->base->common.alg->record_iv_len;
	uint8_t tag[KC_MAX_TAG], *at = record + carried;
	struct kc_req req = { .dir = r->dir,
			      .in = copy + carried,
			      .out = at,
			      .len = text,
			      .aad = c->aad,
			      .aad_len = KC_RECORD_AAD,
			      .tag = r->dir == KC_ENCRYPT ? tag : copy + carried + text };
	int err;

	if (!c->base->record_nonce(c->base, c->base_ctx, r)) {
		c->input = NULL;
		return 1;
	}
	memcpy(c->nonce, r->nonce, KC_RECORD_NONCE);
	c->nonce_len = KC_RECORD_NONCE;
	memcpy(c->aad, c->record_aad, KC_RECORD_AAD);
	c->aad[11] = (uint8_t)(text >> 8);
	c->aad[12] = (uint8_t)text;
	err = kc_aead_run(c, &req, r->tag_len);
	memcpy(c->aad, c->record_aad, KC_RECORD_AAD);
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
			     size_t *outl, size_t outsize, size_t inl, size_t text)
{
	uint8_t *copy = kc_aead_ready(c, r->tag_len, text, out, inl);
	int err = copy ? try_record(c, r, out, copy, text) : 1, ok;

	if (!err) {
		c->untold &= ~KC_UNTOLD_NEXT_AAD;
		kc_aead_keep(c, KC_UNTOLD_RECORD, copy, inl, r->tag_len);
		*outl = r->dir == KC_ENCRYPT ? inl : text;
		return 1;
	}
	if (copy)
		memcpy(out, copy, inl);
	kc_buffer_give(copy, inl);
	ok = kc_aead_by_base(c, out, outl, outsize, out, inl);
	if (ok && err == -EBADMSG)
		kc_gate_mistaken(&c->gate);
	return ok;
}

/* The bytes of text in a record of @inl; 0: none, or its AAD says otherwise. */
static size_t text_in(const struct kc_aead *c, const struct kc_record *r, size_t inl)
{
	size_t said = (size_t)r->aad[11] << 8 | r->aad[12];
	size_t more = c->base->common.alg->record_iv_len + r->tag_len;

	if (r->dir == KC_ENCRYPT)
		said += r->tag_len;
	return r->tag_len && inl == said && inl > more ? inl - more : 0;
}

int kc_aead_record(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	struct kc_record r = {
		.dir = c->dir, .aad = c->record_aad, .iv = in, .tag_len = KC_MAX_TAG
	};
	size_t text;
	int ok;

	if (!c->base->common.alg->stream)
		r.tag_len =
			c->key_lengths.nonce == KC_RECORD_NONCE ? (unsigned)c->key_lengths.tag : 0;
	text = c->record ? text_in(c, &r, inl) : 0;
	if (!c->fixed_set || c->dir != c->key_dir || !c->key_set || c->given_up || out != in ||
	    !text || !skip_kept(c))
		return kc_aead_by_base(c, out, outl, outsize, in, inl);
	memcpy(r.nonce, c->fixed, sizeof(r.nonce));
	ok = by_kernel_or_base(c, &r, out, outl, outsize, inl, text);
	explicit_bzero(&r, sizeof(r));
	return ok;
}
