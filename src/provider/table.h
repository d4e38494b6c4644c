/* SPDX-License-Identifier: Apache-2.0 */
/* A dispatch table while it is being made, function by function. */
#ifndef KC_PROVIDER_TABLE_H
#define KC_PROVIDER_TABLE_H

#include "base/base.h"
#include "stats/stats.h"

struct kc_table {
	const struct kc_alg *alg;
	OSSL_DISPATCH *end;
};

/* Adds a function, unless the base lacks it: OpenSSL tests whether it is there. */
void kc_table_add(struct kc_table *table, int id, kc_function *function);

#define KC_TABLE_ADD(table, ID, type, f) kc_table_add(table, OSSL_FUNC_##ID, KC_FUNCTION(type, f))

/*
 * Adds a function, or @counted in its place if all requests are counted. Two functions, so that a
 * process that counts nothing runs no code for it.
 */
#define KC_TABLE_ADD_COUNTED(table, ID, type, f, counted)                                          \
	KC_TABLE_ADD(table, ID, type, kc_stats_is_on() ? (counted) : (f))

#endif
