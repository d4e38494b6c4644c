/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest's message that has become long. The base has it up to the end of a block, and the buffer
 * of the context has what follows. Each time that the buffer is full, the kernel is asked for its
 * blocks: from the midstate that the base has to the one that it gets. If that fails, the base does
 * them instead. So there is nothing in the kernel that a copy, a fork or a failure could lose.
 */
#ifndef KC_REQUEST_STREAM_H
#define KC_REQUEST_STREAM_H

#include "request/message.h"

/* Who might do the blocks of this context's digest; NULL: the base alone. */
struct kc_candidate *kc_stream_candidate(const struct kc_hash *h);

/* Begins, with what the buffer holds. False: there will be no stream, and nothing has changed. */
bool kc_stream_begin(struct kc_hash *h);

/*
 * Adds to it, up to where the base is better at the rest: *@done bytes. 1, or 0 if the base fails.
 */
int kc_stream_update(struct kc_hash *h, const unsigned char *in, size_t len, size_t *done);

/* At the end of the message: leaves less than a block in the buffer. 1, or 0 if the base fails. */
int kc_stream_flush(struct kc_hash *h);

/* The gate is again that of whole messages. */
void kc_stream_end(struct kc_hash *h);

#endif
