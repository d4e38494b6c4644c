/* SPDX-License-Identifier: Apache-2.0 */
/* Within the AEADs: the ways of a message and of a TLS record through the kernel. */
#ifndef KC_CORE_AEAD_DETOUR_H
#define KC_CORE_AEAD_DETOUR_H

#include "core/aead.h"

/* Sets the length of an update from which on it is worth a closer look. */
void kc_aead_set_threshold(struct kc_aead *c);

/* As the base's update, which does whatever the kernel does not. */
kc_update_fn kc_aead_message, kc_aead_record, kc_aead_by_base;

/* The message that is pending is over. */
int kc_aead_finish(struct kc_aead *c, unsigned char *out, size_t *outl, size_t outsize);

/* The base failed: what it holds is not what it was. Returns 0. */
int kc_aead_failed(struct kc_aead *c);

/*
 * Where the base takes no tags: of what the kernel encrypted, this is the one to be shown. Not CCM's, which
 * shows one only once, of the message before.
 */
void kc_aead_hide_tag(struct kc_aead *c, const uint8_t *tag);

/* The pending text is not needed any more. */
void kc_aead_drop(struct kc_aead *c);

/* Is there a session that takes a text of @len bytes and makes tags of @tag_len? */
bool kc_aead_ready(struct kc_aead *c, unsigned tag_len, size_t len);

/*
 * One request, in parts of which the caller leaves iv to us: it follows from @nonce. As
 * kc_route_run(); compared with the base's answer where that is configured.
 */
int kc_aead_run(struct kc_aead *c, struct kc_req *req, unsigned tag_len, const uint8_t *nonce,
		size_t nonce_len);

/* CCM: the lengths as they are now, if they are those of the key; else 0 for both. */
struct kc_lengths kc_aead_lengths(struct kc_aead *c);

#endif
