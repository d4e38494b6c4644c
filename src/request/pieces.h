/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A body that is longer than a request, in a mode whose pieces need nothing of each other's output:
 * several are in flight at a time.
 */
#ifndef KC_REQUEST_PIECES_H
#define KC_REQUEST_PIECES_H

#include "request/cipher.h"

/* Can the context's session have several in flight, in this direction? */
bool kc_pieces_fit(const struct kc_cipher *c);

/*
 * Lets the kernel do @body bytes of whole blocks from @iv on, in pieces of at most @limit. @iv
 * becomes the IV behind what has been done; returns the bytes of that. No more has been written
 * to @out, which may be @in. Stops behind the first piece if the driver has done that at once:
 * then one at a time is best.
 */
size_t kc_pieces_run(struct kc_cipher *c, uint8_t *iv, uint8_t *out, const uint8_t *in, size_t body,
		     size_t limit);

#endif
