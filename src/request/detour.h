/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a large request through the kernel and returns to the base's stream. */
#ifndef KC_REQUEST_DETOUR_H
#define KC_REQUEST_DETOUR_H

#include "request/cipher_context.h"

/*
 * Like the base's function @rest (update or oneshot), which does everything that the kernel does
 * not. Leaves errno as it was and adds no cancellation point.
 */
int kc_detour(struct kc_cipher *c, kc_update_fn *rest, unsigned char *out, size_t *outl,
	      size_t outsize, const unsigned char *in, size_t inl);

/* Is there a session for a request of @inl bytes, or is it worth opening one? */
bool kc_detour_session(struct kc_cipher *c, size_t inl);

/* Makes ->place right. 1, or 0 if the base does not reveal it. */
int kc_detour_place(struct kc_cipher *c);

/*
 * The kernel's part: whole blocks, @body bytes, starting from @iv. Returns the bytes done, up to a
 * failure; @iv is then the IV that follows them.
 */
size_t kc_detour_body(struct kc_cipher *c, uint8_t *iv, uint8_t *out, const uint8_t *in,
		      size_t body);

#endif
