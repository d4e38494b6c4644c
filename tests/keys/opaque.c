/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that knows nothing of kernel keys: encrypts standard input with a key that some
 * provider's key manager imports, once input comes. usage: opaque CIPHER MANAGER PROPERTIES IV
 * NAME=VALUE...
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#define MAX_PARAMS 4

static EVP_SKEY *import(const char *manager_name, const char *properties, char **texts)
{
	EVP_SKEYMGMT *manager = EVP_SKEYMGMT_fetch(NULL, manager_name, properties);
	OSSL_PARAM params[MAX_PARAMS + 1], *p = params;
	EVP_SKEY *key;

	if (!manager)
		return NULL;
	for (; *texts && p < params + MAX_PARAMS; texts++, p++) {
		char *value = strchr(*texts, '=');

		*value++ = '\0';
		if (!OSSL_PARAM_allocate_from_text(p,
						   EVP_SKEYMGMT_get0_imp_settable_params(manager),
						   *texts, value, strlen(value), NULL))
			return NULL;
	}
	*p = OSSL_PARAM_construct_end();
	key = EVP_SKEY_import(NULL, manager_name, properties, OSSL_SKEYMGMT_SELECT_ALL, params);
	while (p-- > params)
		OPENSSL_free(p->data);
	EVP_SKEYMGMT_free(manager);
	return key;
}

int main(int argc, char **argv)
{
	static unsigned char in[65536], out[sizeof(in) + 16], iv[16];
	EVP_SKEY *key = argc > 5 ? import(argv[2], argv[3], argv + 5) : NULL;
	EVP_CIPHER *cipher = key ? EVP_CIPHER_fetch(NULL, argv[1], argv[3]) : NULL;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	size_t iv_len = 0;
	ssize_t got;
	int n, ok;

	ok = cipher && OPENSSL_hexstr2buf_ex(iv, sizeof(iv), &iv_len, argv[4], 0) &&
	     EVP_CipherInit_SKEY(c, cipher, key, iv, iv_len, 1, NULL);
	while (ok && (got = read(STDIN_FILENO, in, sizeof(in))) > 0)
		ok = EVP_CipherUpdate(c, out, &n, in, (int)got) &&
		     write(STDOUT_FILENO, out, (size_t)n) == n;
	ok = ok && EVP_CipherFinal_ex(c, out, &n) && write(STDOUT_FILENO, out, (size_t)n) == n;
	if (!ok)
		ERR_print_errors_fp(stderr);
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_free(cipher);
	EVP_SKEY_free(key);
	return !ok;
}
