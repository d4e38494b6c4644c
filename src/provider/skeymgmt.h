/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys as objects, from OpenSSL 3.5 on. It initialises a cipher only with a key of the cipher's own
 * provider, so we offer the default provider's key managers as ours: an object of ours holds one
 * of theirs, and the manager that made it.
 */
#ifndef KC_PROVIDER_SKEYMGMT_H
#define KC_PROVIDER_SKEYMGMT_H

#include <stdint.h>

#include "base/skeymgmt.h"

struct kc_skey {
	const struct kc_base_skeymgmt *manager;
	void *keydata; /* the manager's */
};

/* Lists what there is in @list, which holds KC_SKEYMGMT_COUNT entries and the end. */
void kc_ossl_list_skeymgmts(OSSL_ALGORITHM *list);

/*
 * Copies the key itself to @out, at most @size bytes, for the caller to wipe. Returns its length,
 * 0 where it is longer or its manager does not give it away. errno and the error queue are left
 * as they were.
 */
size_t kc_skey_raw(const struct kc_skey *skey, uint8_t *out, size_t size);

#endif
