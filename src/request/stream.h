/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest's long message. The base has it up to the end of a block, and the context's buffer has
 * what follows. When the buffer is full, the kernel is asked for its blocks, from the base's
 * midstate to a new one, which the base gets. If that fails, the base does these blocks. So the
 * kernel holds nothing that a copy, a fork or a failure could lose.
 */
#ifndef KC_REQUEST_STREAM_H
#define KC_REQUEST_STREAM_H

#include "request/message.h"

/* Returns the candidate for blocks of this context's digest; NULL: only the base does them. */
struct kc_candidate *kc_stream_candidate(const struct kc_hash *h);

/* Begins a stream with what the buffer holds. False: no stream is possible; nothing has changed. */
bool kc_stream_begin(struct kc_hash *h);

/*
 * Adds input, until the base is better at the rest: *@done bytes. Returns 1, or 0 if the base
 * fails.
 */
int kc_stream_update(struct kc_hash *h, const unsigned char *in, size_t len, size_t *done);

/* Ends the message: leaves less than a block in the buffer. Returns 1, or 0 if the base fails. */
int kc_stream_flush(struct kc_hash *h);

/* Makes the gate that of whole messages again. */
void kc_stream_end(struct kc_hash *h);

#endif
