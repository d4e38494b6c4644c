/* SPDX-License-Identifier: Apache-2.0 */
/* How a large request is divided between the base and the kernel, and the IV behind each part. */
#ifndef KC_REQUEST_SPLIT_H
#define KC_REQUEST_SPLIT_H

#include "request/cipher_context.h"

/* All in bytes. */
struct kc_split {
	bool unpad;	 /* decrypting with padding: the base holds the last block back */
	size_t head;	 /* input for the base first */
	size_t head_out; /* what comes out of that */
	size_t body;	 /* whole blocks for the kernel */
	size_t total_out;
};

/* @whole: a one-shot, which holds nothing back. */
struct kc_split kc_split_make(const struct kc_cipher *c, bool whole, size_t inl);

/* The kernel reads all input before it writes: the same place is fine, a shifted one is not. */
bool kc_split_overlap_fits(const struct kc_split *p, const uint8_t *out, const uint8_t *in,
			   size_t inl);

/*
 * The IV of KC_IV_ADD_BLOCKS_LE @ahead bytes from here: counted from our own, as the base tells
 * none.
 */
void kc_place_count(const struct kc_cipher *c, size_t ahead, uint8_t *iv);

/* How much of @left bytes of whole blocks one request from @iv on may take. 0: none fits. */
size_t kc_split_request(const struct kc_alg *alg, const uint8_t *iv, size_t left, size_t limit);

/* The IV behind a request. Both have to be called: before it, as it may overwrite its input. */
void kc_next_iv_before(const struct kc_alg *alg, const struct kc_req *req, uint8_t *next);
void kc_next_iv_after(const struct kc_alg *alg, const struct kc_req *req, uint8_t *next);

#endif
