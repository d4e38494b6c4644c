/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of OpenSSL, and descriptors, that are freed at the end of the block that declares them:
 * LOCAL(EVP_MAC) *mac = ..., LOCAL_FD fd = ...
 */
#ifndef KC_TESTS_LOCAL_H
#define KC_TESTS_LOCAL_H

#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/provider.h>

#define LOCAL(type) __attribute__((cleanup(end_##type))) type

#define ENDS_BY(type, function)                                                                    \
	static inline void end_##type(type **object)                                               \
	{                                                                                          \
		function(*object);                                                                 \
	}

ENDS_BY(EVP_CIPHER, EVP_CIPHER_free)
ENDS_BY(EVP_CIPHER_CTX, EVP_CIPHER_CTX_free)
ENDS_BY(EVP_MAC, EVP_MAC_free)
ENDS_BY(EVP_MAC_CTX, EVP_MAC_CTX_free)
ENDS_BY(EVP_MD, EVP_MD_free)
ENDS_BY(EVP_MD_CTX, EVP_MD_CTX_free)
ENDS_BY(OSSL_LIB_CTX, OSSL_LIB_CTX_free)
ENDS_BY(OSSL_PROVIDER, OSSL_PROVIDER_unload)
#if OPENSSL_VERSION_NUMBER >= 0x30500000L
ENDS_BY(EVP_SKEY, EVP_SKEY_free)
#endif

#define LOCAL_FD __attribute__((cleanup(end_fd))) int

static inline void end_fd(const int *fd)
{
	close(*fd);
}

#endif
