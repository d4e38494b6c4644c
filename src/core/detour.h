/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a large request through the kernel and back into the base's stream. */
#ifndef KC_CORE_DETOUR_H
#define KC_CORE_DETOUR_H

#include "core/cipher.h"

/*
 * As the base's function @rest (update or oneshot), which does whatever the kernel does not.
 * Leaves errno as it was and adds no cancellation point.
 */
int kc_detour(struct kc_cipher *c, kc_update_fn *rest, unsigned char *out, size_t *outl,
	      size_t outsize, const unsigned char *in, size_t inl);

/*
 * Before anything that the base answers from its state: tells it where the stream is. 1, or 0
 * where the base fails.
 */
int kc_detour_catch_up(struct kc_cipher *c);

#endif
