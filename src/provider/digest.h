/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's digest functions, shared by all rows; ctx is a struct kc_hash. See digest_rows.c. */
#ifndef KC_PROVIDER_DIGEST_H
#define KC_PROVIDER_DIGEST_H

#include "base/ossl_compat.h"
#include "core/alg.h"

/* A row's functions, ended by an id of 0; NULL for rows of another kind. */
extern const OSSL_DISPATCH *const kc_ossl_digests[KC_ALG_COUNT];

/* Leaves in those what the base has. Before they are used, with the base open, under its lock. */
void kc_ossl_prepare_digests(void);

OSSL_FUNC_digest_freectx_fn kc_ossl_digest_freectx;
OSSL_FUNC_digest_dupctx_fn kc_ossl_digest_dupctx;
OSSL_FUNC_digest_init_fn kc_ossl_digest_init;
OSSL_FUNC_digest_get_ctx_params_fn kc_ossl_digest_get_ctx_params;
OSSL_FUNC_digest_set_ctx_params_fn kc_ossl_digest_set_ctx_params;
OSSL_FUNC_digest_copyctx_fn kc_ossl_digest_copyctx;
OSSL_FUNC_digest_serialize_fn kc_ossl_digest_serialize;
OSSL_FUNC_digest_deserialize_fn kc_ossl_digest_deserialize;

#endif
