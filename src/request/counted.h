/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second set of OpenSSL's provider functions, for a process that counts all its requests. They do
 * what the core's functions do, and record what software did, why, and how long it took. A process
 * that does not count uses the first set and pays nothing.
 */
#ifndef KC_REQUEST_COUNTED_H
#define KC_REQUEST_COUNTED_H

#include "request/context.h"

/* Calls @f, and counts what software did. */
int kc_counted(kc_update_fn *f, void *ctx, unsigned char *out, size_t *outl, size_t outsize,
	       const unsigned char *in, size_t inl);

/* Of ciphers and AEADs; then of digests and MACs. */
kc_update_fn kc_counted_update, kc_counted_oneshot;
kc_hash_update_fn kc_counted_hash_update;
kc_final_fn kc_counted_hash_final;

#endif
