/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of each family of AEADs, for what no cell of the table can express. */
#include "request/aead/aead.h"

/* GCM and ChaCha20-Poly1305: the kernel takes only nonces of 12 bytes and tags of 16. */
static enum kc_call set_fixed_length(const struct kc_aead *c, bool of_tag, size_t len)
{
	if (!of_tag && len == c->lengths.nonce)
		return KC_CALL_IDLE;
	return KC_CALL_ODD;
}

/* CCM. If a tag is noted, its length must be the key's. */
static enum kc_call set_any_length(const struct kc_aead *c, bool of_tag, size_t len)
{
	if (len == (of_tag ? c->lengths.tag : c->lengths.nonce))
		return KC_CALL_IDLE;
	if (c->tag_len && (c->phase != KC_PHASE_CCM_NEW || (of_tag && len != c->tag_len)))
		return KC_CALL_ODD;
	return KC_CALL_LENGTHS;
}

/* Lengths take effect when the key is set; later changes have none. */
static int ask_lengths(struct kc_aead *c)
{
	return c->base->lengths(c->base, c->base_ctx, &c->lengths);
}

static int tell_final(struct kc_aead *c)
{
	size_t n = 0;

	if (c->key_dir == KC_ENCRYPT) /* the base makes the tag itself */
		c->owes_tag = false;
	return c->base->final(c->base_ctx, c->copy, &n, c->copy_len);
}

static int tell_tag_was_asked(struct kc_aead *c)
{
	if (c->key_dir == KC_DECRYPT)
		return 1;
	return c->base->get_tag(c->base, c->base_ctx, c->text_tag, c->lengths.tag);
}

static bool has_any_tag(const struct kc_aead *c, size_t len)
{
	(void)c;
	return len && len <= KC_MAX_TAG;
}

static bool has_whole_tag(const struct kc_aead *c, size_t len)
{
	return len && len == c->lengths.tag;
}

/* The base's final decides, unless another text comes before. */
static void doubt_until_final(struct kc_aead *c, bool ok)
{
	(void)ok;
	c->doubted = true;
	c->threshold = 0;
}

static void doubt_no_more(struct kc_aead *c, bool ok)
{
	if (ok)
		kc_gate_mistaken(&c->gate);
}

#define STREAM                                                                                     \
	.first = KC_PHASE_NEW, .base = KC_PHASE_BASE, .text = { KC_CALL_TEXT, KC_CALL_TEXT },      \
	.declare = KC_CALL_ODD, .tag_stays = true, .begins_anew = true,                            \
	.set_length = set_fixed_length, .tell_end = tell_final, .has_tag = has_any_tag,            \
	.doubt = doubt_until_final

const struct kc_aead_family kc_aead_families[KC_FAMILY_COUNT] = {
	[KC_GCM] = { STREAM, .tells_tag_len = true },
	[KC_CHACHA20_POLY1305] = { STREAM, .record_tag = { [KC_ENCRYPT] = true },
				   .nonce_is_fixed = true },
	[KC_CCM] = { .first = KC_PHASE_CCM_NEW,
		     .base = KC_PHASE_CCM_BASE,
		     .text = { [KC_DECRYPT] = KC_CALL_WHOLE, [KC_ENCRYPT] = KC_CALL_TEXT },
		     .declare = KC_CALL_DECLARE,
		     .record_tag = { true, true },
		     .set_length = set_any_length,
		     .take_lengths = ask_lengths,
		     .tell_end = tell_tag_was_asked,
		     .has_tag = has_whole_tag,
		     .doubt = doubt_no_more },
};
