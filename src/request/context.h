/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of every context: the base's context, and the gate between it and the kernel. */
#ifndef KC_REQUEST_CONTEXT_H
#define KC_REQUEST_CONTEXT_H

#include <stdlib.h>
#include <string.h>

#include "offload/gate.h"

struct kc_context {
	enum kc_dir dir; /* of a cipher or AEAD */
	/* Touched by every request, with a part of the gate. */
	size_t threshold; /* bytes: a shorter update goes straight to the base; see each kind */
	union {		  /* the base's */
		kc_update_fn *update;
		kc_hash_update_fn *hash_update;
	};
	void *base_ctx;
	const struct kc_base *base;
	struct kc_gate gate;
};

/*
 * A context of @size bytes: this part of it is set, but for the threshold, and the next @zeroed
 * bytes are zero. Takes over @base_ctx. NULL if memory is short, after freeing @base_ctx, or if
 * @base_ctx is NULL.
 */
static inline void *kc_context_new(size_t size, size_t zeroed, const struct kc_base *base,
				   struct kc_candidate *first, void *base_ctx)
{
	/* Not calloc(), which has no fast path in glibc before 2.41. */
	struct kc_context *c = base_ctx ? malloc(size) : NULL;

	if (!c) {
		if (base_ctx)
			base->freectx(base_ctx);
		return NULL;
	}
	memset(c + 1, 0, zeroed);
	c->update = base->update;
	c->base_ctx = base_ctx;
	c->base = base;
	c->dir = KC_DECRYPT; /* until an init says so */
	kc_gate_init(&c->gate, first);
	return c;
}

/* A copy, whose session stays with the original; NULL if memory is short. */
static inline void *kc_context_copy(const void *ctx, size_t size)
{
	struct kc_context *c = malloc(size);

	if (!c)
		return NULL;
	memcpy(c, ctx, size);
	kc_gate_copied(&c->gate);
	c->base_ctx = c->base->dupctx(c->base_ctx);
	if (c->base_ctx)
		return c;
	explicit_bzero(c, size);
	free(c);
	return NULL;
}

/* Ends all but the memory. */
static inline void kc_context_end(struct kc_context *c)
{
	kc_gate_end(&c->gate);
	c->base->freectx(c->base_ctx);
}

/* Likewise, wipes @size bytes, and frees them. */
static inline void kc_context_free(void *ctx, size_t size)
{
	if (!ctx)
		return;
	kc_context_end(ctx);
	explicit_bzero(ctx, size);
	free(ctx);
}

#endif
