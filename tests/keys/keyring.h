/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel keys for the tests, which do not make them through kcrypto. */
#ifndef KC_TESTS_KEYRING_H
#define KC_TESTS_KEYRING_H

#include <stdbool.h>
#include <stdint.h>

#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#define KEYS "provider=kcrypto-keys"

/* Called before the first fetch. */
void key_setup(void);

/* Loads the kcrypto-keys provider into @ctx, with these lines of its section or NULL. */
OSSL_PROVIDER *key_provider(OSSL_LIB_CTX *ctx, OSSL_PARAM *lines);

/* Whether there is an accelerator for CBC. There never is one for CTR. */
bool key_hardware(void);

/* Makes or changes a key in the user's keyring. Returns its serial number, or -1 and errno. */
int32_t key_add(const char *type, const char *name, const void *bytes, size_t len);

/* Returns the serial number of a key whose type does not tell its length. */
int32_t key_silent(void);

/*
 * Makes every call of the keyring fail with this error; 0: no longer. Returns false if this keyring
 * cannot do so.
 */
bool key_refuse(int error);

/* Revokes the key: nobody may use it any more. */
void key_revoke(int32_t serial);

static inline EVP_SKEY *key_by_name(OSSL_LIB_CTX *ctx, const char *name, size_t len)
{
	OSSL_PARAM params[3], *p = params;

	*p++ = OSSL_PARAM_construct_utf8_string("name", (char *)(uintptr_t)name, 0);
	if (len)
		*p++ = OSSL_PARAM_construct_size_t("key-length", &len);
	*p = OSSL_PARAM_construct_end();
	return EVP_SKEY_import(ctx, "KERNEL-KEY", KEYS, OSSL_SKEYMGMT_SELECT_ALL, params);
}

static inline EVP_SKEY *key_by_serial(OSSL_LIB_CTX *ctx, int32_t serial)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_int32("serial", &serial),
				OSSL_PARAM_construct_end() };

	return EVP_SKEY_import(ctx, "KERNEL-KEY", KEYS, OSSL_SKEYMGMT_SELECT_ALL, params);
}

#endif
