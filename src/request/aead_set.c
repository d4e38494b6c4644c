/* SPDX-License-Identifier: Apache-2.0 */
/* What an AEAD context is given: inits and parameters. Is a detour still possible? */
#include "request/aead.h"

#include <string.h>

/*
 * After some short messages in a row, a context expects more of them: it leaves them to the base
 * and records nothing, so that none of them can make a detour. It records again after a long text,
 * or after many messages.
 */
#define SHORT_RUN  4
#define UNRECORDED 1016

/* The base may have taken a part of a failed init: none of our copies is certain any more. */
static void drop_key(struct kc_aead *c)
{
	kc_gate_close(&c->gate);
	explicit_bzero(c->key, sizeof(c->key));
	c->key_dir = KC_NO_DIR;
}

static void take_key(struct kc_aead *c, const uint8_t *key)
{
	size_t len = c->base->alg->key_len;

	kc_gate_rekey(&c->gate, c->key, key, len);
	memcpy(c->key, key, len);
	c->key_dir = c->given_up ? KC_NO_DIR : c->dir;
	c->in_pieces = false;
	c->short_run = 0;
	/* CCM's lengths take effect when the key is set; later changes have none. */
	kc_aead_forget_lengths(c);
	if (!c->base->alg->stream)
		c->base->lengths(c->base, c->base_ctx, &c->lengths);
}

static void take_nonce(struct kc_aead *c, const uint8_t *nonce, size_t len)
{
	if (len != c->said_nonce_len)
		c->said_nonce_len = 0;
	if (len != c->lengths.nonce)
		return;
	memcpy(c->nonce, nonce, len);
	c->aad_len = 0;
	c->open = c->dir == c->key_dir && !c->tls && !c->in_pieces;
	if (!c->base->alg->record_iv_len) {
		memcpy(c->fixed, nonce, sizeof(c->fixed));
		c->fixed_set = true;
	}
}

/* From this message on. */
static void stop_recording(struct kc_aead *c)
{
	c->short_run = 0;
	c->unrecorded = UNRECORDED;
	kc_aead_leave_to_base(c);
	/* Unnoticed, all of these may change. */
	c->fixed_set = false;
	c->begun = true;
	c->tag_len = 0;
}

/*
 * Is this the next message, so that the base need not know of the last one? The init can't fail
 * before it has begun anew. CCM does so only after a whole message, of which no tag is left.
 */
static bool is_next(const struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
		    size_t iv_len)
{
	const struct kc_alg *alg = c->base->alg;
	unsigned ccm_end = c->dir == KC_DECRYPT ? KC_UNTOLD_TAG : KC_UNTOLD_END;
	bool is_over = alg->stream ? !(c->untold & KC_UNTOLD_RECORD) :
				     c->untold & KC_UNTOLD_TEXT && c->untold & ccm_end && !c->begun;

	return is_over && c->dir == c->key_dir && iv && iv_len == c->lengths.nonce &&
	       (!key || key_len == alg->key_len);
}

/* The last tag that was set stays in force, except that CCM's text has used it up. */
int kc_aead_starts(struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
		   size_t iv_len)
{
	if (c->untold == KC_UNTOLD_TAG && c->dir == c->key_dir)
		return 1;
	if (!is_next(c, key, key_len, iv, iv_len))
		return kc_aead_tell(c);
	kc_aead_drop_copy(c);
	if (c->untold & KC_UNTOLD_NEXT_TAG) {
		memcpy(c->tag, c->next_tag, c->tag_len);
		c->untold = KC_UNTOLD_TAG;
	} else if (c->base->alg->stream) {
		c->untold &= KC_UNTOLD_TAG;
	} else {
		c->untold = 0;
		c->tag_len = 0;
	}
	return 1;
}

void kc_aead_started(struct kc_aead *c, const uint8_t *key, size_t key_len, const uint8_t *iv,
		     size_t iv_len, bool ok)
{
	c->record = false;
	c->doubted = false;
	c->open = false;
	c->threshold = 0;
	c->unrecorded = 0;
	if (c->dir == KC_ENCRYPT)
		c->tag_len = 0;
	if (!ok)
		drop_key(c);
	else if (key && key_len == c->base->alg->key_len)
		take_key(c, key);
	if (iv)
		take_nonce(c, iv, iv_len);
	kc_gate_renew(&c->gate, c->dir);
	if (iv && iv_len == KC_RECORD_NONCE && c->short_run++ >= SHORT_RUN)
		stop_recording(c);
}

/*
 * For the next text of this direction; or, after a message that is over, for the next message.
 * CCM's is over when its text is, which uses the tag up.
 */
bool kc_aead_tag_waits(struct kc_aead *c, const uint8_t *tag, size_t len)
{
	bool is_stream = c->base->alg->stream;
	unsigned over = is_stream ? KC_UNTOLD_END : KC_UNTOLD_TAG;

	if (!tag || !len || c->dir != KC_DECRYPT || c->dir != c->key_dir || c->tls ||
	    len != c->lengths.tag)
		return false;
	if (c->untold & KC_UNTOLD_TEXT) {
		if (!(c->untold & over) || len != c->tag_len)
			return false;
		memcpy(c->next_tag, tag, len);
		c->untold |= KC_UNTOLD_NEXT_TAG;
		return true;
	}
	/* CCM would keep a length that was declared before. */
	if (!is_stream && c->untold & ~KC_UNTOLD_TAG)
		return false;
	memcpy(c->tag, tag, len);
	c->tag_len = (unsigned)len;
	c->untold |= KC_UNTOLD_TAG;
	c->threshold = 0;
	c->doubted = false; /* the kernel judged another tag */
	return true;
}

/* Only if there is room for what else than text is in the record, according to its AAD. */
bool kc_aead_record_waits(struct kc_aead *c, const uint8_t *aad, size_t len)
{
	size_t least = c->base->alg->record_iv_len + (c->dir == KC_DECRYPT ? c->lengths.tag : 0);

	if (!(c->untold & KC_UNTOLD_RECORD) || !aad || len != KC_RECORD_AAD ||
	    ((size_t)aad[11] << 8 | aad[12]) < least)
		return false;
	memcpy(c->record_aad, aad, KC_RECORD_AAD);
	c->record = true;
	c->untold |= KC_UNTOLD_NEXT_AAD;
	return true;
}

/* The base has it already. CCM's length of tags only takes effect when the key is set. */
static void take_tag(struct kc_aead *c, const uint8_t *tag, size_t len)
{
	c->begun |= tag != NULL;
	c->tag_len = 0;
	if (tag && len <= sizeof(c->tag)) {
		memcpy(c->tag, tag, len);
		c->tag_len = (unsigned)len;
	}
	if (c->base->alg->stream && len != KC_MAX_TAG)
		kc_aead_give_up(c);
	else if (len != c->lengths.tag)
		kc_aead_forget_lengths(c);
}

static void take_setting(struct kc_aead *c, enum kc_set what, const uint8_t *data, size_t len)
{
	if (what == KC_SET_TAG)
		take_tag(c, data, len);
	if (what == KC_SET_FIXED) {
		c->fixed_set = true;
		if (len == sizeof(c->fixed))
			memcpy(c->fixed, data, sizeof(c->fixed));
	}
	if (what == KC_SET_RECORD && len == sizeof(c->record_aad)) {
		memcpy(c->record_aad, data, sizeof(c->record_aad));
		c->record = true;
	}
}

void kc_aead_changed(struct kc_aead *c, enum kc_set what, const uint8_t *data, size_t len, bool ok,
		     bool with_key)
{
	if (what == KC_SET_OTHER) {
		kc_aead_give_up(c);
		return;
	}
	kc_aead_leave_to_base(c);
	c->threshold = 0;
	c->tls |= what == KC_SET_RECORD;
	c->said_nonce_len = 0;
	c->short_run = 0;
	c->unrecorded = 0;
	/* The key took the lengths as they were before. */
	if (with_key || what == KC_SET_NONCE_LEN || !ok)
		kc_aead_forget_lengths(c);
	if (ok) {
		take_setting(c, what, data, len);
		return;
	}
	c->begun = true;
	c->tag_len = 0;
	c->fixed_set = false;
}
