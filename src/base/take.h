/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Within src/base: how the files of each kind fill their rows from the default provider's tables.
 */
#ifndef KC_BASE_TAKE_H
#define KC_BASE_TAKE_H

#include <openssl/core_dispatch.h>

#include "base/base.h"

/* Where a function of theirs goes. */
struct kc_base_place {
	int id;
	bool is_optional;
	size_t offset; /* bytes, from the start of the row */
};

/* Copies what @theirs has to its places in @row. False if one is missing that is not optional. */
bool kc_base_take(void *row, const struct kc_base_place *places, size_t n,
		  const OSSL_DISPATCH *theirs);

/*
 * Fills the row of @alg, whose names the default provider writes as in @theirs. False, and nothing
 * filled, where a function is missing.
 */
bool kc_base_take_cipher(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs, void *provctx);
bool kc_base_take_digest(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs, void *provctx);
bool kc_base_take_mac(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs, void *provctx);

/* As that, for an AEAD. */
bool kc_base_take_aead(const struct kc_alg *alg, const OSSL_ALGORITHM *theirs, void *provctx);

#endif
