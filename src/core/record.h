/* SPDX-License-Identifier: Apache-2.0 */
/* A record of TLS in CBC mode, of which the kernel does the most. */
#ifndef KC_CORE_RECORD_H
#define KC_CORE_RECORD_H

#include "core/cipher.h"

/* As the base's update of a context that has a TLS version: one call, one record, in place. */
int kc_record(struct kc_cipher *c, unsigned char *out, size_t *outl, size_t outsize,
	      const unsigned char *in, size_t inl);

#endif
