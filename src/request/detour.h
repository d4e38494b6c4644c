/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a large request through the kernel and back into the base's stream. */
#ifndef KC_REQUEST_DETOUR_H
#define KC_REQUEST_DETOUR_H

#include "request/cipher_context.h"

/*
 * As the base's function @rest (update or oneshot), which does whatever the kernel does not.
 * Leaves errno as it was and adds no cancellation point.
 */
int kc_detour(struct kc_cipher *c, kc_update_fn *rest, unsigned char *out, size_t *outl,
	      size_t outsize, const unsigned char *in, size_t inl);

/* Is a session there for a request of @inl bytes, or worth to be opened? */
bool kc_detour_session(struct kc_cipher *c, size_t inl);

/* Has ->place right. 1, or 0 where the base does not tell. */
int kc_detour_place(struct kc_cipher *c);

/*
 * The kernel's part: whole blocks, @body bytes, from @iv on. Returns the bytes that are done, as
 * many as there were before a failure; @iv is the one behind them.
 */
size_t kc_detour_body(struct kc_cipher *c, uint8_t *iv, uint8_t *out, const uint8_t *in,
		      size_t body);

#endif
