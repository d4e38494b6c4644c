/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest's or MAC's context: the base's context, and a buffer. A message that fits in the buffer
 * is held back from the base until its end, and then goes to the kernel as a whole if it is long
 * enough. The base does a longer one, or it becomes a stream (request/stream.h). Between two calls
 * the kernel therefore holds nothing but a key.
 */
#ifndef KC_REQUEST_HASH_H
#define KC_REQUEST_HASH_H

#include "request/message.h"

/*
 * Returns a new context, which takes over @base_ctx, a context of @base. @first: the row's first
 * candidate, or NULL if the row is not known yet. NULL if @base_ctx is NULL or memory is short;
 * then it has freed @base_ctx.
 */
struct kc_hash *kc_hash_new(const struct kc_base *base, struct kc_candidate *first, void *base_ctx);

/* Sets a MAC's row and key. A NULL @base: the kernel can't do this one. */
void kc_hash_set_key(struct kc_hash *h, const struct kc_base *base, struct kc_candidate *first,
		     const uint8_t *key, size_t len);

/* Returns the buffer, and drops the message in it. */
void kc_hash_give(struct kc_hash *h);

/*
 * Starts a new message; call it after an init of the base. @possible: the kernel may do it. Most
 * messages are short, so all other questions wait for a long update.
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
 * Call it before the base answers from its state or changes it within a message: gives the base the
 * input that it has not had, and leaves the message to it. Returns 1, or 0 if the base fails.
 */
int kc_hash_catch_up(struct kc_hash *h);

/* Makes @to, of the same row, a copy of @from; the base's contexts have been copied already. */
void kc_hash_copy(struct kc_hash *to, const struct kc_hash *from);

/* OpenSSL's provider functions; @ctx is a struct kc_hash. */
void *kc_hash_dup(void *ctx);
/* Wipes and frees the context. */
void kc_hash_free(void *ctx);
kc_hash_update_fn kc_hash_update;
kc_final_fn kc_hash_final;

#endif
