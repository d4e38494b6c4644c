/* SPDX-License-Identifier: Apache-2.0 */
/* Within src/base: what the families of AEADs do differently, and what they do it with. */
#ifndef KC_BASE_AEAD_H
#define KC_BASE_AEAD_H

#include "base/base.h"

/* See struct kc_aead_base. */
struct kc_aead_family {
	bool takes_tags;
	int (*close)(const struct kc_aead_base *base, void *ctx, enum kc_dir dir,
		     const uint8_t *tag, size_t tag_len);
	int (*record_nonce)(const struct kc_aead_base *base, void *ctx, struct kc_record *record);
	int (*record_done)(const struct kc_aead_base *base, void *ctx,
			   const struct kc_record *record);
};

extern const struct kc_aead_family kc_aead_families[KC_FAMILY_COUNT];

/* The other direction, or the same: neither key nor IV change. 1 or 0, as all of these. */
int kc_aead_turn(const struct kc_aead_base *base, void *ctx, enum kc_dir dir);

/* A parameter that is an octet string. @len of get: in the room, out the length, bytes. */
int kc_aead_set_bytes(const struct kc_aead_base *base, void *ctx, const char *key,
		      const uint8_t *bytes, size_t len);
int kc_aead_get_bytes(const struct kc_aead_base *base, void *ctx, const char *key, uint8_t *bytes,
		      size_t *len);

#endif
