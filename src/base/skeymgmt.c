/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the functions of the default provider's key managers. */
#include "base/skeymgmt.h"

#include <string.h>

#include <openssl/core_names.h>

#include "base/take.h"

static struct kc_base_skeymgmt managers[KC_SKEYMGMT_COUNT];

static const char *const names[KC_SKEYMGMT_COUNT] = {
	[KC_SKEYMGMT_AES] = OSSL_SKEY_TYPE_AES,
	[KC_SKEYMGMT_GENERIC] = OSSL_SKEY_TYPE_GENERIC,
};

static const struct kc_base_place places[] = {
	{ OSSL_FUNC_SKEYMGMT_FREE, false, offsetof(struct kc_base_skeymgmt, free) },
	{ OSSL_FUNC_SKEYMGMT_IMPORT, false, offsetof(struct kc_base_skeymgmt, import) },
	{ OSSL_FUNC_SKEYMGMT_EXPORT, false, offsetof(struct kc_base_skeymgmt, export) },
	{ OSSL_FUNC_SKEYMGMT_IMP_SETTABLE_PARAMS, true,
	  offsetof(struct kc_base_skeymgmt, imp_settable_params) },
};

static void take(struct kc_base_skeymgmt *m, const char *name, const OSSL_ALGORITHM *theirs,
		 void *provctx)
{
	memset(m, 0, sizeof(*m));
	while (theirs && theirs->algorithm_names && !kc_names_share(name, theirs->algorithm_names))
		theirs++;
	if (!theirs || !theirs->algorithm_names ||
	    !kc_base_take(m, places, sizeof(places) / sizeof(places[0]), theirs->implementation))
		return;
	m->theirs = theirs;
	m->provctx = provctx;
}

void kc_base_take_skeymgmts(const OSSL_ALGORITHM *theirs, void *provctx)
{
	for (size_t i = 0; i < KC_SKEYMGMT_COUNT; i++)
		take(&managers[i], names[i], theirs, provctx);
}

const struct kc_base_skeymgmt *kc_base_skeymgmt(enum kc_skeymgmt_id id)
{
	return managers[id].theirs ? &managers[id] : NULL;
}
