/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dispatch tables. They are made when a row is first offered: in constants, each address would
 * be a relocation, for which every process pays that loads the module.
 */
#ifndef KC_PROVIDER_ROWS_H
#define KC_PROVIDER_ROWS_H

#include "base/base.h"
#include "provider/instance.h"
#include "request/counted.h"
#include "stats/stats.h"

/* A table that is being made. */
struct kc_table {
	const struct kc_alg *alg;
	OSSL_DISPATCH *end;
};

/* Makes the lists of what the policy offers. */
void kc_offers_list(struct kc_offers *offers);

/* Returns the operation's index in the lists; KC_MAX_OPERATIONS: we never have any. */
size_t kc_operation_number(int operation);

/* Adds a function, unless the base lacks it: OpenSSL looks whether it is there. */
void kc_table_add(struct kc_table *table, int id, kc_function *function);

#define KC_TABLE_ADD(table, ID, type, f) kc_table_add(table, OSSL_FUNC_##ID, KC_FUNCTION(type, f))

/*
 * Likewise; @counted in its place if all requests are counted. Two functions, so that a process
 * that counts nothing has nothing of it on its way.
 */
#define KC_TABLE_ADD_COUNTED(table, ID, type, f, counted)                                          \
	KC_TABLE_ADD(table, ID, type, kc_stats_is_on() ? (counted) : (f))

/*
 * The functions that each kind adds, the same for all its rows. An id that is not among them is not
 * offered: an unknown function passed on would give the base a context of ours.
 */
void kc_cipher_functions(struct kc_table *table);
void kc_aead_functions(struct kc_table *table);
void kc_digest_functions(struct kc_table *table);
void kc_mac_functions(struct kc_table *table);

/* A digest's or MAC's; none of the answers depends on the message. */
int kc_hash_get_ctx_params(void *ctx, OSSL_PARAM params[]);

/* A MAC's context: no row is known before its key. NULL if memory is short. */
void *kc_mac_new(struct kc_provider *provider, enum kc_alg_id id);

#endif
