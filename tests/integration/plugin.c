/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that alone in its process uses libcrypto, and us with it. */
#include <string.h>

#include <openssl/evp.h>

#define LEN 8192

extern void diff_setup(OSSL_LIB_CTX *ctx);
int plugin_run(const char *config);

static int encrypt(OSSL_LIB_CTX *lib, const char *provider, unsigned char *out)
{
	static const unsigned char key[16] = "0123456789abcde", iv[16] = "fedcba987654321", in[LEN];
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, "AES-128-CBC", provider);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n = 0, ok;

	ok = cipher && c && EVP_EncryptInit_ex(c, cipher, NULL, key, iv) &&
	     EVP_EncryptUpdate(c, out, &n, in, LEN) && n == LEN;
	EVP_CIPHER_CTX_free(c);
	EVP_CIPHER_free(cipher);
	return ok;
}

/* 1: all is well. */
__attribute__((visibility("default"))) int plugin_run(const char *config)
{
	static unsigned char ours[LEN], theirs[LEN];
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
	int ok;

	diff_setup(lib);
	ok = OSSL_LIB_CTX_load_config(lib, config) && encrypt(lib, "provider=kcrypto", ours) &&
	     encrypt(lib, "provider=default", theirs) && memcmp(ours, theirs, LEN) == 0;
	OSSL_LIB_CTX_free(lib);
	return ok;
}
