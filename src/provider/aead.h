/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's cipher functions of the AEADs, shared by all rows; ctx is a struct kc_aead. See aeads.c. */
#ifndef KC_PROVIDER_AEAD_H
#define KC_PROVIDER_AEAD_H

#include <openssl/core_dispatch.h>

#include "core/alg.h"

/* A row's functions, ended by an id of 0; NULL for rows of another kind. */
extern const OSSL_DISPATCH *const kc_ossl_aeads[KC_ALG_COUNT];

/* Leaves out what the base does not have, once it is open; under its lock. */
void kc_ossl_aeads_fit(void);

OSSL_FUNC_cipher_freectx_fn kc_ossl_aead_freectx;
OSSL_FUNC_cipher_dupctx_fn kc_ossl_aead_dupctx;
OSSL_FUNC_cipher_encrypt_init_fn kc_ossl_aead_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn kc_ossl_aead_decrypt_init;
OSSL_FUNC_cipher_get_ctx_params_fn kc_ossl_aead_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn kc_ossl_aead_set_ctx_params;

#endif
