/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two fake bases of an AEAD are in the same state. */
#include <string.h>

#include "request/aead_fake.h"

/* Clears leftovers that no longer mean anything. */
static void forget(struct fake *f)
{
	bool is_ccm = f->family == KC_CCM;

	memset(f->made + f->made_bytes, 0, sizeof(f->made) - f->made_bytes);
	if (!is_ccm && !f->in_record)
		memset(f->record_aad, 0, sizeof(f->record_aad));
	if (is_ccm ? !f->len_set : !f->used) {
		f->aad = f->text = 0;
		f->total = 0;
		f->used = false;
	}
	if (is_ccm && (!f->tag_set || f->dir == KC_ENCRYPT))
		f->tag_bytes = 0;
	if (is_ccm)
		memset(f->tag + f->tag_bytes, 0, sizeof(f->tag) - f->tag_bytes);
	if (!f->used && !is_ccm)
		f->lost = false;
}

bool fake_is_same(const struct fake *ours, const struct fake *plain, const uint8_t *made)
{
	struct fake one, other;

	memcpy(&one, ours, sizeof(one));
	memcpy(&other, plain, sizeof(other));
	if (made)
		memcpy(ours->family == KC_CCM ? one.made : one.tag, made, KC_MAX_TAG);
	one.made_bytes = other.made_bytes;
	forget(&one);
	forget(&other);
	return memcmp(&one, &other, sizeof(one)) == 0;
}
