/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TLS 1.2 record: AAD set as a parameter, then one call in place. Its nonce is what the base would take;
 * after the kernel has done the record, the base is told. Whatever the kernel does not do, the base
 * does, from an input that is untouched; so a bad tag is its answer, never ours.
 */
#include "core/aead_detour.h"

#include <errno.h>
#include <string.h>

/* The AAD as it goes into the tag has the text's length. 0 where that is not this record's. */
static int fill_aad(const struct kc_aead *c, uint8_t *aad, size_t text, unsigned tag_len)
{
	size_t more = c->base->common.alg->record_iv_len + (c->dir == KC_DECRYPT ? tag_len : 0);
	size_t said = (size_t)c->record_aad[11] << 8 | c->record_aad[12];

	memcpy(aad, c->record_aad, KC_RECORD_AAD);
	aad[11] = (uint8_t)(text >> 8);
	aad[12] = (uint8_t)text;
	return said == text + more;
}

/* Text and tag of a record are behind the part of the nonce that it carries. */
static int run(struct kc_aead *c, struct kc_record *r, uint8_t *record, const uint8_t *aad,
	       size_t text)
{
	uint8_t *at = record + c->base->common.alg->record_iv_len;
	uint8_t tag[KC_MAX_TAG];
	struct kc_req req = { .dir = r->dir,
			      .in = at,
			      .out = at,
			      .len = text,
			      .aad = aad,
			      .aad_len = KC_RECORD_AAD,
			      .tag = r->dir == KC_ENCRYPT ? tag : at + text };
	int err = kc_aead_run(c, &req, r->tag_len, r->nonce, KC_RECORD_NONCE);

	if (!err && r->dir == KC_ENCRYPT) {
		kc_aead_hide_tag(c, tag);
		memcpy(record, r->nonce + KC_RECORD_NONCE - (at - record), (size_t)(at - record));
		memcpy(at + text, tag, r->tag_len);
	}
	return err;
}

static unsigned tag_len_of(struct kc_aead *c)
{
	struct kc_lengths now;

	if (c->base->common.alg->stream)
		return KC_MAX_TAG;
	now = kc_aead_lengths(c);
	return now.nonce == KC_RECORD_NONCE ? (unsigned)now.tag : 0;
}

/* Returns 0, -errno of the kernel, or 1: not tried. */
static int try_record(struct kc_aead *c, struct kc_record *r, uint8_t *record, size_t text)
{
	uint8_t aad[KC_RECORD_AAD];

	if (!fill_aad(c, aad, text, r->tag_len) || !kc_aead_ready(c, r->tag_len, text) ||
	    !c->base->record_nonce(c->base, c->base_ctx, r))
		return 1;
	return run(c, r, record, aad, text);
}

static int by_kernel_or_base(struct kc_aead *c, struct kc_record *r, unsigned char *out,
			     size_t *outl, size_t outsize, size_t inl)
{
	size_t text = inl - c->base->common.alg->record_iv_len - r->tag_len;
	int err = try_record(c, r, out, text), ok;

	if (err) {
		ok = kc_aead_by_base(c, out, outl, outsize, out, inl);
		if (ok && err == -EBADMSG)
			kc_route_mistaken(&c->route);
		return ok;
	}
	c->record = false;
	c->threshold = KC_NO_DETOUR;
	*outl = r->dir == KC_ENCRYPT ? inl : text;
	if (c->base->record_done(c->base, c->base_ctx, r))
		return 1;
	/* It would have taken another nonce: not to be sent. */
	explicit_bzero(out, inl);
	return 0;
}

int kc_aead_record(void *ctx, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl)
{
	struct kc_aead *c = ctx;
	struct kc_record r = {
		.dir = c->dir, .aad = c->record_aad, .iv = in, .tag_len = tag_len_of(c)
	};
	int ok;

	if (out != in || !r.tag_len || inl <= c->base->common.alg->record_iv_len + r.tag_len)
		return kc_aead_by_base(c, out, outl, outsize, in, inl);
	memcpy(r.nonce, c->fixed, sizeof(r.nonce));
	ok = by_kernel_or_base(c, &r, out, outl, outsize, inl);
	explicit_bzero(&r, sizeof(r));
	return ok;
}
