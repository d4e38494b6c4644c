/* SPDX-License-Identifier: Apache-2.0 */
/* Within src/base: a digest's requests, and its state between two blocks. */
#ifndef KC_BASE_MIDSTATE_H
#define KC_BASE_MIDSTATE_H

#include "core/base.h"

/* What a digest's row gets for the members of these names; its start() must be there. */
int kc_digest_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		    const struct kc_req *req);
/* The row's midstate(); 0: this base does not tell its state. */
int kc_digest_midstate(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part);
/* The row's advance(); 0: this base takes no state. */
int kc_digest_advance(const struct kc_base *base, void *ctx, const uint8_t *words, uint64_t bytes);

/*
 * The last two without a question: by the base's state() (midstate_struct.c), or, from
 * OpenSSL 4.0 on, by the serialized form (midstate_serial.c).
 */
int kc_state_get(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part);
/* Makes @words the state after so many @bytes, of a context that has just started. 1 or 0. */
int kc_state_put(const struct kc_base *base, void *ctx, const uint8_t *words, uint64_t bytes);

/* Bytes of a digest's words, of which there are sixteen in a block. */
static inline size_t kc_word_len(const struct kc_alg *alg)
{
	return alg->block_len / 16;
}

#endif
