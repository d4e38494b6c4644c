/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other functions in the tables, so that a process that counts nothing has nothing of it on its
 * way.
 */
#include "provider/counted.h"

#include "base/base.h"
#include "request/counted.h"

/* By code and not by a table, in which each address would be a relocation. */
static kc_function *counting(enum kc_kind kind, int id)
{
	bool is_update = id == OSSL_FUNC_CIPHER_UPDATE;

	switch (kind) {
	case KC_CIPHER:
		if (is_update || id == OSSL_FUNC_CIPHER_CIPHER)
			return (kc_function *)(is_update ? kc_counted_cipher_update :
							   kc_counted_cipher_oneshot);
		break;
	case KC_AEAD:
		if (is_update || id == OSSL_FUNC_CIPHER_CIPHER)
			return (kc_function *)(is_update ? kc_counted_aead_update :
							   kc_counted_aead_oneshot);
		break;
	case KC_DIGEST:
		if (id == OSSL_FUNC_DIGEST_UPDATE)
			return (kc_function *)kc_counted_hash_update;
		if (id == OSSL_FUNC_DIGEST_FINAL)
			return (kc_function *)kc_counted_hash_final;
		break;
	case KC_MAC:
		if (id == OSSL_FUNC_MAC_UPDATE)
			return (kc_function *)kc_counted_hash_update;
		if (id == OSSL_FUNC_MAC_FINAL)
			return (kc_function *)kc_counted_hash_final;
		break;
	case KC_KIND_COUNT:
		break;
	}
	return NULL;
}

void kc_table_count(OSSL_DISPATCH *table, enum kc_kind kind)
{
	for (; table->function_id; table++) {
		kc_function *f = counting(kind, table->function_id);

		if (f)
			table->function = f;
	}
}
