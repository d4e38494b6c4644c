/* SPDX-License-Identifier: Apache-2.0 */
/* One instance of the provider: a library context of the application that loaded us. */
#ifndef KC_PROVIDER_PROVIDER_H
#define KC_PROVIDER_PROVIDER_H

#include <openssl/core_dispatch.h>
#include <openssl/types.h>

#include "policy/policy.h"

#define KC_MAX_OPERATIONS 3  /* ciphers, digests, MACs */
#define KC_MAX_FUNCTIONS  16 /* of a dispatch table, including its end */

/* One algorithm, as OpenSSL sees it. */
struct kc_offer {
	char name[KC_ALG_NAME_SIZE];
	OSSL_DISPATCH table[KC_MAX_FUNCTIONS];
};

/* Made if something is offered, and not zeroed: most of its pages are never touched. */
struct kc_offers {
	struct kc_policy policy;
	size_t n;
	const OSSL_ALGORITHM *list[KC_MAX_OPERATIONS]; /* by kc_operation_number() */
	OSSL_ALGORITHM entry[KC_ALG_COUNT + KC_MAX_OPERATIONS];
	struct kc_offer offer[KC_ALG_COUNT];
};

struct kc_provider {
	const OSSL_CORE_HANDLE *handle;
	OSSL_FUNC_core_get_params_fn *get_params; /* for the section of openssl.cnf; may be NULL */
	/*
	 * The application's. We ask it whether its default provider is active and, at a MAC's first
	 * context, for that MAC: the provider that has it then looks for digests and ciphers.
	 */
	OSSL_LIB_CTX *app_ctx;
	bool has_our_libcrypto;	    /* see kc_base_is_its(); without it, nothing is offered */
	_Atomic(EVP_MAC *) app_mac; /* keeps app_provctx alive; NULL until known */

	/* Under kc_process_lock(). */
	bool decided;			     /* the offer does not change after that */
	bool gave_ciphers, keys_are_objects; /* which came first; see provider.c */
	struct kc_offers *offers;	     /* NULL: none */
};

#endif
