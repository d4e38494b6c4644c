/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For an OpenSSL without deprecated functions: functions that old programs use, implemented by the
 * parameters that they read.
 */
#ifndef KC_TESTS_DIFF_IV_FUNCTIONS_H
#define KC_TESTS_DIFF_IV_FUNCTIONS_H

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

static inline void *iv_by_param(EVP_CIPHER_CTX *ctx, const char *name)
{
	void *at = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_ptr(name, &at, EVP_MAX_IV_LENGTH),
		OSSL_PARAM_construct_end(),
	};

	return EVP_CIPHER_CTX_get_params(ctx, params) > 0 ? at : NULL;
}

#ifdef OPENSSL_NO_DEPRECATED_3_0
#define EVP_CIPHER_CTX_original_iv(ctx)                                                            \
	((const unsigned char *)iv_by_param(ctx, OSSL_CIPHER_PARAM_IV))
#define EVP_CIPHER_CTX_iv(ctx) ((const unsigned char *)EVP_CIPHER_CTX_iv_noconst(ctx))
#define EVP_CIPHER_CTX_iv_noconst(ctx)                                                             \
	((unsigned char *)iv_by_param(ctx, OSSL_CIPHER_PARAM_UPDATED_IV))
#endif

#endif
