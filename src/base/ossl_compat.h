/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions from later OpenSSL versions that the headers may lack. With them, one module, built
 * with any version, can use the features of the library that loads it. Whether a feature is there
 * is looked up in tables, not here.
 */
#ifndef KC_BASE_OSSL_COMPAT_H
#define KC_BASE_OSSL_COMPAT_H

#include <openssl/core_dispatch.h>

/* 3.5: symmetric keys as objects */
#ifndef OSSL_OP_SKEYMGMT
#define OSSL_OP_SKEYMGMT 15
#endif

#ifndef OSSL_FUNC_DIGEST_COPYCTX
#define OSSL_FUNC_DIGEST_COPYCTX 15

typedef void OSSL_FUNC_digest_copyctx_fn(void *outctx, void *inctx);
#endif

/* 4.0: the state of a digest as bytes */
#ifndef OSSL_FUNC_DIGEST_SERIALIZE
#define OSSL_FUNC_DIGEST_SERIALIZE   16
#define OSSL_FUNC_DIGEST_DESERIALIZE 17

typedef int OSSL_FUNC_digest_serialize_fn(void *dctx, unsigned char *out, size_t *outl);
typedef int OSSL_FUNC_digest_deserialize_fn(void *dctx, const unsigned char *in, size_t inl);
#endif

#endif
