/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An instance of the provider, one per library context of an application that loads us, and the
 * dispatch tables of what it offers. The tables are made when a row is first offered: in constants,
 * each address would be a relocation, and every process that loads the module would pay for it.
 */
#ifndef KC_PROVIDER_ROWS_H
#define KC_PROVIDER_ROWS_H

#include "base/base.h"
#include "policy/policy.h"
#include "provider/table.h"
#include "request/counted.h"

#define KC_OPERATIONS	 (OSSL_OP_MAC + 1) /* OpenSSL's numbers; 1 to 3 are used */
#define KC_MAX_FUNCTIONS 16		   /* of a dispatch table, with its end */

/* Allocated if something is offered, and not zeroed: most of its pages are never touched. */
struct kc_offers {
	struct kc_policy policy;
	size_t n;
	const OSSL_ALGORITHM *list[KC_OPERATIONS]; /* element 0 is not set */
	OSSL_ALGORITHM entry[KC_ALG_COUNT + KC_OPERATIONS];
	OSSL_DISPATCH table[KC_ALG_COUNT][KC_MAX_FUNCTIONS];
};

struct kc_provider {
	const OSSL_CORE_HANDLE *handle;
	OSSL_FUNC_core_get_params_fn *get_params; /* for the section of openssl.cnf; may be NULL */
	OSSL_FUNC_provider_free_fn *release;	  /* drops a reference; may be NULL */
	OSSL_LIB_CTX *app_ctx; /* the application's, to find its default provider */

	/* Under kc_process_lock(), except mac_provctx, which is set with the offer. */
	bool decided;			     /* the offer is final */
	bool gave_ciphers, keys_are_objects; /* which of the two came first; see provider.c */
	struct kc_offers *offers;	     /* NULL: none */
	void *mac_provctx;		     /* for contexts of the base's MACs */
};

/* Makes the lists of what the policy offers. */
void kc_offers_list(struct kc_offers *offers);

/*
 * Each adds the functions of its kind, which all rows of the kind share. An id that is not among
 * them is not offered: passing on an unknown function would give the base a context of kcrypto.
 */
void kc_cipher_functions(struct kc_table *table);
void kc_aead_functions(struct kc_table *table);
void kc_digest_functions(struct kc_table *table);
void kc_mac_functions(struct kc_table *table);

/* Returns a MAC's context, whose row is not known before its key. NULL if memory is short. */
void *kc_mac_new(struct kc_provider *provider, enum kc_alg_id id);

#endif
