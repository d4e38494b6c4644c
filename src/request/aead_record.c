/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS 1.2 records: a call each, in place. The input of the last one is kept, as a message's is: the
 * base does it if anything but the next record follows.
 */
#include <errno.h>
#include <string.h>

#include "request/aead.h"

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
 * Works in place; text and tag follow the part of the nonce that the record carries. Uses the nonce
 * that the base would. Returns what kc_aead_ask() does.
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
	err = kc_aead_ask(c, &req, record, inl, KC_UNTOLD_RECORD);
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
int kc_aead_record(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
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
	ok = kc_aead_by_base(c, out, outl, outsize, in, inl);
	if (ok && err == -EBADMSG)
		kc_gate_mistaken(&c->gate);
	return ok;
}
