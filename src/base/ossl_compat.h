/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions from later OpenSSL versions that the headers may lack. With them, a module built with
 * any version can use the features of the library that loads it. Dispatch tables tell at run time
 * whether a feature is there.
 */
#ifndef KC_BASE_OSSL_COMPAT_H
#define KC_BASE_OSSL_COMPAT_H

#include <openssl/core_dispatch.h>

/* 3.5: symmetric keys as objects */
#ifndef OSSL_OP_SKEYMGMT
#define OSSL_OP_SKEYMGMT 15

#define OSSL_FUNC_CIPHER_ENCRYPT_SKEY_INIT 19
#define OSSL_FUNC_CIPHER_DECRYPT_SKEY_INIT 20

#define OSSL_FUNC_MAC_INIT_SKEY 13

#define OSSL_SKEYMGMT_SELECT_SECRET_KEY 0x02

#define OSSL_FUNC_SKEYMGMT_FREE		       1
#define OSSL_FUNC_SKEYMGMT_IMPORT	       2
#define OSSL_FUNC_SKEYMGMT_EXPORT	       3
#define OSSL_FUNC_SKEYMGMT_GENERATE	       4
#define OSSL_FUNC_SKEYMGMT_GET_KEY_ID	       5
#define OSSL_FUNC_SKEYMGMT_IMP_SETTABLE_PARAMS 6
#define OSSL_FUNC_SKEYMGMT_GEN_SETTABLE_PARAMS 7

typedef int OSSL_FUNC_cipher_encrypt_skey_init_fn(void *cctx, void *skeydata,
						  const unsigned char *iv, size_t ivlen,
						  const OSSL_PARAM params[]);
typedef OSSL_FUNC_cipher_encrypt_skey_init_fn OSSL_FUNC_cipher_decrypt_skey_init_fn;
typedef int OSSL_FUNC_mac_init_skey_fn(void *mctx, void *key, const OSSL_PARAM params[]);
typedef void OSSL_FUNC_skeymgmt_free_fn(void *keydata);
typedef void *OSSL_FUNC_skeymgmt_import_fn(void *provctx, int selection, const OSSL_PARAM params[]);
typedef int OSSL_FUNC_skeymgmt_export_fn(void *keydata, int selection, OSSL_CALLBACK *param_cb,
					 void *cbarg);
typedef void *OSSL_FUNC_skeymgmt_generate_fn(void *provctx, const OSSL_PARAM params[]);
typedef const char *OSSL_FUNC_skeymgmt_get_key_id_fn(void *keydata);
typedef const OSSL_PARAM *OSSL_FUNC_skeymgmt_imp_settable_params_fn(void *provctx);
typedef const OSSL_PARAM *OSSL_FUNC_skeymgmt_gen_settable_params_fn(void *provctx);
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

/* 4.0: such a key in a store, OSSL_OBJECT_SKEY */
#define KC_OBJECT_SKEY 5

#endif
