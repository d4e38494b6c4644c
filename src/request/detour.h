/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a large request through the kernel and returns to the base's stream. */
#ifndef KC_REQUEST_DETOUR_H
#define KC_REQUEST_DETOUR_H

#include "request/cipher.h"

/*
 * Like the base's function @rest (update or oneshot), which does everything that the kernel does
 * not. Counts what the base is fed; after a failure, no detour follows. Leaves errno as it was and
 * adds no cancellation point.
 */
int kc_detour(struct kc_cipher *c, unsigned char *out, size_t *outl, size_t outsize,
	      const unsigned char *in, size_t inl, kc_update_fn *rest);

#endif
