/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of every context: the base's context, and the gate between it and the kernel. */
#ifndef KC_REQUEST_CONTEXT_H
#define KC_REQUEST_CONTEXT_H

#include <stdlib.h>
#include <string.h>

#include "offload/gate.h"

struct kc_context {
	enum kc_dir dir; /* of a cipher or AEAD */
	/* Used by every request, like the beginning of the gate. */
	size_t threshold; /* bytes: shorter updates go straight to the base; see each kind */
	union {		  /* the base's */
		kc_update_fn *update;
		kc_hash_update_fn *hash_update;
	};
	void *base_ctx;
	const struct kc_base *base;
	struct kc_gate gate;
};

/*
 * Allocates a context of @size bytes. Sets this part of it, except for the threshold, and zeroes
 * the next @zeroed bytes. Takes over @base_ctx. NULL if @base_ctx is NULL or memory is short; then
 * it has freed @base_ctx.
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
	c->dir = KC_DECRYPT; /* until an init sets it */
	kc_gate_init(&c->gate, first);
	return c;
}

/*
 * Returns a copy of @size bytes, of which it sets @copied; the session stays with the original.
 * NULL if memory is short.
 */
static inline void *kc_context_copy(const void *ctx, size_t size, size_t copied)
{
	struct kc_context *c = malloc(size);

	if (!c)
		return NULL;
	memcpy(c, ctx, copied);
	kc_gate_copied(&c->gate);
	c->base_ctx = c->base->dupctx(c->base_ctx);
	if (c->base_ctx)
		return c;
	explicit_bzero(c, copied);
	free(c);
	return NULL;
}

/* Ends the gate and the base's context; frees no memory of @c itself. */
static inline void kc_context_end(struct kc_context *c)
{
	kc_gate_end(&c->gate);
	c->base->freectx(c->base_ctx);
}

/*
 * Ends the context, wipes it from @secrets to @end, offsets, and frees it. @ctx may be NULL.
 */
static inline void kc_context_free(void *ctx, size_t secrets, size_t end)
{
	if (!ctx)
		return;
	kc_context_end(ctx);
	explicit_bzero((uint8_t *)ctx + secrets, end - secrets);
	free(ctx);
}

#endif
