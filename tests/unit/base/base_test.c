/* SPDX-License-Identifier: Apache-2.0 */
/* What the core asks of an AEAD's base besides messages and records. */
#include "unit/fixture.h"

/* As in early OpenSSL 3.0. */
TEST(a_base_that_copies_no_context_is_asked_for_no_copy)
{
	const struct kc_base *base = kc_base_get(&kc_algs[KC_ALG_AES_128_CCM]);
	struct kc_base copies_nothing = *base;
	void *ctx = base->newctx(base);

	assert_non_null(ctx);
	copies_nothing.dupctx = NULL;
	assert_false(copies_nothing.has_tag(&copies_nothing, ctx));
	base->freectx(ctx);
}

const struct suite suite = { .set_up = open_base, .tear_down = close_base };
