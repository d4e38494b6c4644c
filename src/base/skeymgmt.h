/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider's managers of symmetric keys (from 3.5 on): the makers of the key objects
 * that the base's ciphers can be initialised with.
 */
#ifndef KC_BASE_SKEYMGMT_H
#define KC_BASE_SKEYMGMT_H

#include "base/ossl_compat.h"

enum kc_skeymgmt_id { KC_SKEYMGMT_AES, KC_SKEYMGMT_GENERIC, KC_SKEYMGMT_COUNT };

struct kc_base_skeymgmt {
	const OSSL_ALGORITHM *theirs; /* names and description are as there */
	void *provctx;		      /* of the default provider */
	OSSL_FUNC_skeymgmt_free_fn *free;
	OSSL_FUNC_skeymgmt_import_fn *import;
	OSSL_FUNC_skeymgmt_export_fn *export;
	OSSL_FUNC_skeymgmt_imp_settable_params_fn *imp_settable_params; /* may be NULL */
};

/* NULL where the default provider has no such manager. Only while the base is open. */
const struct kc_base_skeymgmt *kc_base_skeymgmt(enum kc_skeymgmt_id id);

#endif
