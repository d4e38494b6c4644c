/* SPDX-License-Identifier: Apache-2.0 */
/* See steps.h. */
#include "keys/steps.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <openssl/err.h>

const unsigned char key_iv[16] = { "an IV of 16 byte" };
const unsigned char key_bytes[33] = "thirty-two bytes of a user's key";

bool said(const char *words)
{
	const char *data = NULL;
	bool found = false;

	while (ERR_get_error_all(NULL, NULL, NULL, &data, NULL))
		found |= strstr(data, words) != NULL;
	return found;
}

OSSL_PARAM text_param(const char *name, const char *value)
{
	return OSSL_PARAM_construct_utf8_string(name, (char *)(uintptr_t)value, 0);
}

EVP_SKEY *key_import(const OSSL_PARAM params[])
{
	ERR_clear_error();
	return EVP_SKEY_import(NULL, "KERNEL-KEY", KEYS, OSSL_SKEYMGMT_SELECT_ALL, params);
}

EVP_SKEY *key_generate(const OSSL_PARAM params[])
{
	ERR_clear_error();
	return EVP_SKEY_generate(NULL, "KERNEL-KEY", KEYS, params);
}

EVP_SKEY *user_key(const char *name, int32_t *serial)
{
	EVP_SKEY *skey;

	*serial = key_add("user", name, key_bytes, 32);
	assert_true(*serial > 0);
	skey = key_by_serial(NULL, *serial);
	assert_non_null(skey);
	return skey;
}

EVP_CIPHER_CTX *key_start(const char *cipher, EVP_SKEY *skey)
{
	LOCAL(EVP_CIPHER) *fetched = EVP_CIPHER_fetch(NULL, cipher, KEYS);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	size_t iv_len;

	assert_non_null(fetched);
	iv_len = (size_t)EVP_CIPHER_get_iv_length(fetched);
	ERR_clear_error();
	if (EVP_CipherInit_SKEY(c, fetched, skey, iv_len ? key_iv : NULL, iv_len, 1, NULL))
		return c;
	EVP_CIPHER_CTX_free(c);
	return NULL;
}

EVP_CIPHER_CTX *key_started(const char *cipher, EVP_SKEY *skey)
{
	EVP_CIPHER_CTX *c = key_start(cipher, skey);

	ERR_print_errors_fp(stderr);
	assert_non_null(c);
	return c;
}

void close_descriptors(void)
{
	int fd = open("/dev/zero", O_RDWR);

	for (int i = 3; i < 64; i++)
		if (i % 2 || dup2(fd, i) != i)
			close(i);
}
