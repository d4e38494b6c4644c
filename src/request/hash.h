/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest's or MAC's context: the base's context, and a buffer. The kernel gets a whole message or
 * nothing. A message that fits in the buffer is held back from the base until its end, and then
 * goes to the kernel if it is long enough; the base does all others. So between two calls the
 * kernel holds nothing but a key.
 */
#ifndef KC_REQUEST_HASH_H
#define KC_REQUEST_HASH_H

#include "request/context.h"

enum kc_hash_state {
	KC_HASH_BASE,	  /* the base has the message, or there is none */
	KC_HASH_FRESH,	  /* it has begun, and has no input yet */
	KC_HASH_KEPT,	  /* the buffer has all of it, the base nothing */
	KC_HASH_ANSWERED, /* the same, and the kernel has answered */
	KC_HASH_LOST, /* the base refused a part of it: there is no digest until the next init */
};

struct kc_hash {
	struct kc_context; /* its threshold: after a shorter update the base does the message */
	enum kc_hash_state state;
	size_t first; /* bytes: a message whose first update is shorter is not worth a copy */
	uint64_t seen, seen_ns; /* of this message, for counted.c: bytes, and time */
	size_t used;		/* bytes in @buf */
	uint8_t *buf;		/* NULL, or one from session/buffers.h */

	/* Only for a MAC. */
	struct kc_candidate *const *rows; /* of all rows, as in struct kc_policy */
	const struct kc_base *next;	  /* of the row for the next key; NULL: none */
	bool alone;			  /* something was set that only the base does */
	size_t key_len;
	uint8_t key[KC_MAX_MAC_KEY];
};

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
void kc_hash_free(void *ctx);
kc_hash_update_fn kc_hash_update;
kc_final_fn kc_hash_final;

#endif
