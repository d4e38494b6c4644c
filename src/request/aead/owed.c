/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tag that the base would have if it, and not the kernel, had done the last text or record. An
 * application may ask for it out of turn, and a decryption without a tag is compared with it, so it
 * is kept until the base takes it or makes another one.
 */
#include "request/aead/aead.h"

#include <string.h>

#define CARRIED 8 /* bytes of the nonce, in a record of CCM */

__attribute__((cold)) void kc_aead_pay(struct kc_aead *c, bool is_set)
{
	const struct kc_base *base = c->base;

	if (!base->leave_tag || !base->leave_tag(base, c->base_ctx, c->dir, c->made, is_set))
		return;
	c->owes_tag = false;
	kc_aead_look(c);
}

void kc_aead_owe(struct kc_aead *c, const uint8_t *tag)
{
	memset(c->made, 0, sizeof(c->made)); /* an application may ask for more bytes */
	kc_copy_short(c->made, tag, c->lengths.tag);
	c->owes_tag = true;
}

__attribute__((cold)) void kc_aead_owe_nothing(struct kc_aead *c)
{
	c->owes_tag = false;
	kc_aead_look(c);
}

bool kc_aead_stays_owed(const struct kc_aead *c)
{
	if (c->family->tag_stays)
		return c->dir == KC_DECRYPT;
	return c->dir == KC_ENCRYPT && c->base->has_tag(c->base, c->base_ctx);
}

/* True if the base now has another tag than @was, of GCM or ChaCha20-Poly1305. */
static bool has_another(const struct kc_aead *c, const uint8_t was[KC_MAX_TAG])
{
	uint8_t is[KC_MAX_TAG] = { 0 };

	c->base->get_tag(c->base, c->base_ctx, is, sizeof(is));
	return memcmp(was, is, sizeof(is)) != 0;
}

/*
 * True if CCM's base has made another tag in an update with the result @ok. A text that fails may
 * have one, and a record that fails has one, if it is long enough.
 */
static bool has_made(const struct kc_aead *c, int ok, const unsigned char *out,
		     const unsigned char *in, size_t inl)
{
	if (!in || ok)
		return in;
	if (c->phase >= KC_PHASE_CCM_NEW)
		return out;
	return in == out && inl >= CARRIED + c->lengths.tag;
}

/* GCM owes no tag between records, nor for good. */
__attribute__((cold)) int kc_aead_update_owing(struct kc_aead *c, kc_update_fn *update,
					       unsigned char *out, size_t *outl, size_t outsize,
					       const unsigned char *in, size_t inl)
{
	bool is_ccm = !c->family->tag_stays, seals = !is_ccm && c->dir == KC_ENCRYPT;
	bool is_compared = seals && c->phase == KC_PHASE_BASE_FOR_EVER;
	uint8_t was[KC_MAX_TAG] = { 0 };
	bool is_made = false;
	int ok;

	if (is_compared)
		c->base->get_tag(c->base, c->base_ctx, was, sizeof(was));
	ok = update(c->base_ctx, out, outl, outsize, in, inl);
	if (is_compared)
		is_made = has_another(c, was);
	else if (is_ccm)
		is_made = has_made(c, ok, out, in, inl);
	else if (seals && c->phase < KC_PHASE_NEW)
		is_made = ok && inl;
	if (is_made)
		kc_aead_owe_nothing(c);
	return ok;
}
