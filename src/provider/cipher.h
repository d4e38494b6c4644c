/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's cipher functions, shared by all rows; ctx is a struct kc_cipher. See rows.c. */
#ifndef KC_PROVIDER_CIPHER_H
#define KC_PROVIDER_CIPHER_H

#include <openssl/core_dispatch.h>

#include "core/alg.h"

/* A row's functions, ended by an id of 0; NULL for rows of another kind. */
extern const OSSL_DISPATCH *const kc_ossl_ciphers[KC_ALG_COUNT];

OSSL_FUNC_cipher_freectx_fn kc_ossl_freectx;
OSSL_FUNC_cipher_dupctx_fn kc_ossl_dupctx;
OSSL_FUNC_cipher_encrypt_init_fn kc_ossl_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn kc_ossl_decrypt_init;
OSSL_FUNC_cipher_get_ctx_params_fn kc_ossl_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn kc_ossl_set_ctx_params;

#endif
