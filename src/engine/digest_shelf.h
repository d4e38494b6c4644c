/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts of digests between two messages, with their sessions: for an edge whose own contexts
 * live for one message only. No secret is in them: a digest has no key.
 */
#ifndef KC_ENGINE_DIGEST_SHELF_H
#define KC_ENGINE_DIGEST_SHELF_H

#include "request/hash.h"

/* Of zeros it is empty. Thread-safe. */
struct kc_shelf {
	struct kc_hash *_Atomic at[KC_ALG_COUNT];
};

/*
 * One of @base with the candidates from @first on, for this thread alone until it is given back.
 * NULL: no memory.
 */
struct kc_hash *kc_shelf_take(struct kc_shelf *shelf, const struct kc_hash_base *base,
			      struct kc_candidate *first);

/* Forgets its message. NULL is fine. */
void kc_shelf_give(struct kc_shelf *shelf, struct kc_hash *h);

void kc_shelf_empty(struct kc_shelf *shelf);

#endif
