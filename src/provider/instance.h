/* SPDX-License-Identifier: Apache-2.0 */
/* One instance of the provider: a library context of the application that loaded us. */
#ifndef KC_PROVIDER_PROVIDER_H
#define KC_PROVIDER_PROVIDER_H

#include <openssl/core_dispatch.h>
#include <openssl/types.h>

#include "policy/policy.h"

#define KC_MAX_OPERATIONS 3  /* ciphers, digests, MACs */
#define KC_MAX_FUNCTIONS  16 /* of a dispatch table, with its end */

/*
 * Made where something is offered, and not filled with zeros: most of its pages are never touched.
 */
struct kc_offers {
	struct kc_policy policy;
	OSSL_ALGORITHM list[KC_MAX_OPERATIONS][KC_ALG_COUNT + 1]; /* as in provider.c's table */
	OSSL_DISPATCH table[KC_ALG_COUNT][KC_MAX_FUNCTIONS];
};

struct kc_provider {
	const OSSL_CORE_HANDLE *handle;
	OSSL_FUNC_core_get_params_fn *get_params; /* of the section in openssl.cnf; may be NULL */
	/*
	 * The application's. Asked whether default is active in it, and, at the first context of a
	 * MAC, for that MAC, whose provider is then the one that looks for digests and ciphers.
	 */
	OSSL_LIB_CTX *app_ctx;
	_Atomic(EVP_MAC *) app_mac; /* keeps app_provctx; NULL until known */

	/* Under kc_process_lock(). */
	bool decided; /* what is offered does not change afterwards */
	bool base_open;
	bool gave_ciphers, keys_are_objects; /* which was first; see provider.c */
	struct kc_offers *offers;	     /* NULL: none */
};

#endif
