/* SPDX-License-Identifier: Apache-2.0 */
/* How each kind of algorithm fills a row with functions of the default or the legacy provider. */
#ifndef KC_BASE_KINDS_H
#define KC_BASE_KINDS_H

#include <stdbool.h>

#include "base/ossl_compat.h"
#include "core/alg.h"

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
