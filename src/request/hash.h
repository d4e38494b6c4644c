/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest's or MAC's context: the base's context, and a buffer. A message that fits in the buffer
 * is held back from the base until its end, and then goes to the kernel as a whole if it is long
 * enough. One that is longer is the base's, or a stream (request/stream.h). So between two calls
 * the kernel holds nothing but a key.
 */
#ifndef KC_REQUEST_HASH_H
#define KC_REQUEST_HASH_H

#include "request/message.h"

/*
 * Takes over @base_ctx, a context of @base. @first: the row's, or NULL if no row is known yet. NULL
 * if memory is short, after freeing @base_ctx, or if @base_ctx is NULL.
 */
struct kc_hash *kc_hash_new(const struct kc_base *base, struct kc_candidate *first, void *base_ctx);

/* Sets a MAC's row and key. A NULL base: none that the kernel could do. */
void kc_hash_set_key(struct kc_hash *h, const struct kc_base *base, struct kc_candidate *first,
		     const uint8_t *key, size_t len);

/* Returns the buffer, if a message is kept. */
void kc_hash_give(struct kc_hash *h);

/*
 * To call after an init of the base: starts a new message. @possible: may the kernel do it? Most
 * messages are short, so questions that can wait for a long one do.
 */
static inline void kc_hash_started(struct kc_hash *h, bool possible)
{
	bool is_fresh = possible && h->gate.first;

	if (h->buf)
		kc_hash_give(h);
	h->seen = 0;
	h->seen_ns = 0;
	h->state = is_fresh ? KC_HASH_FRESH : KC_HASH_BASE;
	h->threshold = is_fresh ? h->first : SIZE_MAX;
}

/*
 * To call before the base answers from its state, or changes it in mid-stream: gives the base the
 * input it has not had, and leaves the message to it. 1, or 0 if the base fails.
 */
int kc_hash_catch_up(struct kc_hash *h);

/* Makes @to, of the same row, a copy of @from, as its base's context already is. */
void kc_hash_copy(struct kc_hash *to, const struct kc_hash *from);

/* OpenSSL's provider functions; @ctx is a struct kc_hash. */
void *kc_hash_dup(void *ctx);
/* Wipes and frees the context. */
void kc_hash_free(void *ctx);
kc_hash_update_fn kc_hash_update;
kc_final_fn kc_hash_final;

#endif
