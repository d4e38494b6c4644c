/* SPDX-License-Identifier: Apache-2.0 */
/* For src/base alone: a digest's requests by software, and its state between two blocks. */
#ifndef KC_BASE_MIDSTATE_H
#define KC_BASE_MIDSTATE_H

#include "core/base.h"

/* The row's whole(); needs start(). 1 or 0. */
int kc_digest_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		    const struct kc_req *req);
/* The row's midstate(); 0 if this base does not reveal its state. */
int kc_digest_midstate(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part);
/* The row's advance(); 0 if this base accepts no state. */
int kc_digest_advance(const struct kc_base *base, void *ctx, const uint8_t *words, uint64_t bytes);

/*
 * Gets the state without testing whether it can be trusted: by the base's state()
 * (midstate_struct.c) or, from OpenSSL 4.0 on, by the serialized form (midstate_serial.c). 1 or 0.
 */
int kc_state_get(const struct kc_base *base, void *ctx, uint8_t *words, unsigned *part);
/* Makes @words the state of a context that has just started, @bytes further on. 1 or 0. */
int kc_state_put(const struct kc_base *base, void *ctx, const uint8_t *words, uint64_t bytes);

/* Returns the bytes of a digest's word; sixteen words make a block. */
static inline size_t kc_word_len(const struct kc_alg *alg)
{
	return alg->block_len / 16;
}

#endif
