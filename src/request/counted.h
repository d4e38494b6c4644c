/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second set of OpenSSL's provider functions, for a process that counts all its requests: besides
 * doing what the core's own do, they note what software did, why, and how long it took. While
 * nothing is counted they are not used, and cost nothing.
 */
#ifndef KC_REQUEST_COUNTED_H
#define KC_REQUEST_COUNTED_H

#include "request/context.h"

/* Counts what @f does with @ctx, which begins with a struct kc_context. */
int kc_counted(kc_update_fn *f, void *ctx, unsigned char *out, size_t *outl, size_t outsize,
	       const unsigned char *in, size_t inl);

/* A cipher's or AEAD's. */
kc_update_fn kc_counted_update, kc_counted_oneshot;
kc_hash_update_fn kc_counted_hash_update;
kc_final_fn kc_counted_hash_final;

#endif
