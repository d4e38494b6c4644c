/* SPDX-License-Identifier: Apache-2.0 */
/* One place for each row: what is given back where there is one already ends. */
#include "engine/digest_shelf.h"

#include <stdatomic.h>

struct kc_hash *kc_shelf_take(struct kc_shelf *shelf, const struct kc_hash_base *base,
			      struct kc_candidate *first)
{
	struct kc_hash *h = atomic_exchange(&shelf->at[base->common.alg - kc_algs], NULL);

	if (h && h->gate.first == first)
		return h;
	kc_hash_free(h);
	return kc_hash_new(base, first, base->common.newctx(&base->common));
}

void kc_shelf_give(struct kc_shelf *shelf, struct kc_hash *h)
{
	if (!h)
		return;
	kc_hash_started(h, false);
	kc_hash_free(atomic_exchange(&shelf->at[h->base->common.alg - kc_algs], h));
}

void kc_shelf_empty(struct kc_shelf *shelf)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		kc_hash_free(atomic_exchange(&shelf->at[i], NULL));
}
