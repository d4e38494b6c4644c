/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dispatch tables. They are made when a row is first offered: as constants, each address in
 * them would be a relocation, which every process pays for that loads the module.
 */
#ifndef KC_PROVIDER_ROWS_H
#define KC_PROVIDER_ROWS_H

#include "base/base.h"
#include "provider/instance.h"

/* One that is being made. */
struct kc_table {
	const struct kc_alg *alg;
	OSSL_DISPATCH *end;
};

/* Makes the table of a row that the base has, at @table, of KC_MAX_FUNCTIONS. */
void kc_table_make(OSSL_DISPATCH *table, const struct kc_alg *alg);

/*
 * From now on the functions of @table that do requests count them. Other functions, so that a
 * process that counts nothing has nothing of it on its way.
 */
void kc_table_count(OSSL_DISPATCH *table);

/* OpenSSL's operation that the row belongs to. */
int kc_row_operation(const struct kc_alg *alg);

/* Adds a function, unless the base lacks it: OpenSSL asks whether it is there. */
void kc_table_add(struct kc_table *table, int id, kc_function *function);

/* The type is checked, which the generic pointer of a dispatch table hides. */
#define KC_TABLE_ADD(table, ID, type, f)                                                           \
	kc_table_add(table, OSSL_FUNC_##ID, (kc_function *)(1 ? (f) : (OSSL_FUNC_##type##_fn *)0))

/*
 * What each kind adds: the functions that are the same for all its rows. An id that is not among
 * them is not offered: passed on unknown, it would hand the base a context of ours.
 */
void kc_cipher_functions(struct kc_table *table);
void kc_aead_functions(struct kc_table *table);
void kc_digest_functions(struct kc_table *table);
void kc_mac_functions(struct kc_table *table);

/* The first of the candidates that the row has here. */
static inline struct kc_candidate *kc_first_candidate(const struct kc_provider *provider,
						      const struct kc_alg *alg)
{
	return provider->offers->policy.row[alg - kc_algs];
}

/* A context of each kind. NULL where memory is short. */
void *kc_cipher_context(struct kc_provider *provider, const struct kc_alg *alg);
void *kc_aead_context(struct kc_provider *provider, const struct kc_alg *alg);
void *kc_digest_context(struct kc_provider *provider, const struct kc_alg *alg);
void *kc_mac_context(struct kc_provider *provider, const struct kc_alg *alg);

#endif
