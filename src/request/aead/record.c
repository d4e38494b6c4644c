/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS 1.2 records: an AAD, then one update in place. What may follow a record that the kernel did
 * is in row KC_PHASE_RECORDS of the table:
 *
 * - the next record's AAD: it replaces all that is left of the record, except that the base must
 *   not use its nonce again (skip_last);
 * - a question, a copy, an init, lengths, the fixed part: first the base is brought into the state
 *   in which the record would have left it (pass_record), or does the record from a copy;
 * - anything else: the same, and then the base does everything.
 *
 * Therefore only the record's AAD and the nonce that it carried are kept, unless the base needs its
 * input.
 */
#include <errno.h>
#include <string.h>

#include "request/aead/aead.h"

static size_t length_in(const uint8_t *aad)
{
	return (size_t)aad[11] << 8 | aad[12];
}

/* The AAD's length includes the tag only for decryption. */
bool kc_aead_pass_short_record(struct kc_aead *c, const uint8_t *aad, size_t len)
{
	if (kc_aead_act(c, KC_CALL_SHORT) != KC_PASS || c->aad_len || c->owes_tag)
		return false;
	if (!aad || len != KC_RECORD_AAD || length_in(aad) + c->lengths.tag >= c->gate.entry)
		return false;
	kc_aead_enter(c, KC_CALL_SHORT);
	return true;
}

/* Accepts an AAD only if its length has room for the record's parts that are not text. */
bool kc_aead_note_record(struct kc_aead *c, const uint8_t *aad, size_t len)
{
	size_t least = c->base->alg->record_iv_len + (c->dir == KC_DECRYPT ? c->lengths.tag : 0);

	if (!aad || len != KC_RECORD_AAD || length_in(aad) < least)
		return false;
	memcpy(c->record_aad, aad, KC_RECORD_AAD);
	return true;
}

static void forget_last(struct kc_aead *c)
{
	if (c->copy)
		kc_aead_drop_copy(c);
	c->aad_len = 0;
}

/* For a record of the base after one of the kernel. */
static bool skip_last(struct kc_aead *c)
{
	const struct kc_base *base = c->base;
	bool ok = true;

	if (c->aad_len && kc_aead_counts_records(c))
		ok = base->record_nonce(base, c->base_ctx, c->record_aad, NULL, true, c->nonce) &&
		     base->set_record_nonce(base, c->base_ctx, c->nonce);
	forget_last(c);
	return ok;
}

/* Returns the bytes of text of a record in place; 0: none, or AAD or buffers do not fit. */
static size_t text_in(const struct kc_aead *c, const unsigned char *out, size_t outsize,
		      const unsigned char *in, size_t inl)
{
	size_t said = length_in(c->record_aad);
	size_t tag_len = c->lengths.nonce == KC_RECORD_NONCE ? c->lengths.tag : 0;
	size_t more = c->base->alg->record_iv_len + tag_len;

	if (c->dir == KC_ENCRYPT)
		said += tag_len;
	if (out != in || outsize < inl || c->dir != c->key_dir)
		return 0;
	if (tag_len && inl == said && inl > more)
		return inl - more;
	return 0;
}

/* Has the kernel do a record: the nonce that it carries, text, tag. */
static int ask_kernel(struct kc_aead *c, uint8_t *record, size_t inl, size_t text,
		      const uint8_t nonce[KC_RECORD_NONCE])
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

	memcpy(aad, c->record_aad, sizeof(aad));
	aad[11] = (uint8_t)(text >> 8);
	aad[12] = (uint8_t)text;
	err = kc_aead_ask_kernel(c, &req, nonce, c->base->pass_record ? NULL : record, inl);
	if (err)
		return err;
	memcpy(c->aad, c->record_aad, sizeof(aad));
	c->aad_len = sizeof(aad);
	if (c->family->record_tag[c->dir])
		kc_aead_owe(c, req.tag);
	if (carried)
		memcpy(c->nonce, nonce, KC_RECORD_NONCE);
	if (c->dir == KC_ENCRYPT) {
		memcpy(record, nonce + KC_RECORD_NONCE - carried, carried);
		memcpy(at + text, tag, c->lengths.tag);
	}
	return 0;
}

/*
 * Does the record in place, with the nonce that the base would use. @follows: the kernel did the
 * last one. Returns as kc_aead_ask_kernel().
 */
static int try_record(struct kc_aead *c, uint8_t *record, size_t inl, size_t text, bool follows)
{
	uint8_t nonce[KC_RECORD_NONCE];
	int err = 1;

	memcpy(nonce, c->nonce, sizeof(nonce));
	if (c->base->record_nonce(c->base, c->base_ctx, c->record_aad,
				  c->dir == KC_DECRYPT ? record : NULL, follows, nonce))
		err = ask_kernel(c, record, inl, text, nonce);
	explicit_bzero(nonce, sizeof(nonce));
	return err;
}

/*
 * Has the base do the record from the unchanged input, so that a bad tag is always the base's
 * verdict. A record that fails to encrypt is more than that, so the context gives up.
 */
static int record_by_base(struct kc_aead *c, int err, unsigned char *out, size_t *outl,
			  size_t outsize, const unsigned char *in, size_t inl)
{
	int ok = kc_aead_tell_records(c);

	forget_last(c);
	if (!ok)
		return kc_aead_failed(c);
	kc_aead_enter(c, KC_CALL_TEXT);
	if (!kc_aead_update_base(c, c->update, out, outl, outsize, in, inl)) {
		if (c->dir == KC_DECRYPT)
			return 0;
		return kc_aead_failed(c);
	}
	if (err == -EBADMSG)
		kc_gate_mistaken(&c->gate);
	return 1;
}

int kc_aead_record(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize,
		   const unsigned char *in, size_t inl, bool is_long)
{
	bool follows = c->aad_len;
	size_t text = 0;
	int err = 1;

	kc_aead_come_in(c);
	/* A short record after one of the base is the base's, too, as most are. */
	if (is_long || follows)
		text = text_in(c, out, outsize, in, inl);
	if (text && c->copy)
		forget_last(c);
	if (text && is_long)
		err = try_record(c, out, inl, text, follows);
	if (err && text && !skip_last(c))
		return kc_aead_failed(c);
	if (err)
		return record_by_base(c, err, out, outl, outsize, in, inl);
	kc_aead_enter(c, KC_CALL_TEXT);
	*outl = c->dir == KC_ENCRYPT ? inl : text;
	return 1;
}
