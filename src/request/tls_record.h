/* SPDX-License-Identifier: Apache-2.0 */
/* A TLS record in CBC mode; the kernel does most of it. */
#ifndef KC_REQUEST_TLS_RECORD_H
#define KC_REQUEST_TLS_RECORD_H

#include "request/cipher_context.h"

/*
 * Like the base's update of a context that has a TLS version: one call, one record, in place.
 * Leaves errno as it was and adds no cancellation point.
 */
int kc_tls_record(struct kc_cipher *c, unsigned char *out, size_t *outl, size_t outsize,
		  const unsigned char *in, size_t inl);

#endif
