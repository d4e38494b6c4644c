/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain asserts would end in the middle of a thread or a child, so a failure is reported and ends
 * the process.
 */
#include "integration/lives/live.h"

#include <string.h>

#include "local.h"
#include "integration/lives/must.h"

OSSL_LIB_CTX *live_lib;
const unsigned char live_key[33] = "0123456789abcdefghijklmnopqrstuv",
		    live_iv[17] = "fedcba9876543210";

unsigned char live_in[LIVE_LEN], live_want[2][LIVE_LEN];

EVP_CIPHER_CTX *live_context_of(OSSL_LIB_CTX *lib, const char *name, const char *query)
{
	LOCAL(EVP_CIPHER) *cipher = EVP_CIPHER_fetch(lib, name, query);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	must(cipher && c && EVP_EncryptInit_ex(c, cipher, NULL, live_key, live_iv), "context");
	return c;
}

bool live_encrypt(EVP_CIPHER_CTX *c, unsigned char *out)
{
	int n = 0;

	return EVP_EncryptInit_ex(c, NULL, NULL, NULL, live_iv) &&
	       EVP_EncryptUpdate(c, out, &n, live_in, LIVE_LEN) && n == LIVE_LEN;
}

void live_prepare(void)
{
	LOCAL(OSSL_LIB_CTX) *lib = OSSL_LIB_CTX_new();

	for (size_t i = 0; i < LIVE_LEN; i++)
		live_in[i] = (unsigned char)(i * 11 + i / 256);
	for (int i = 0; i < 2; i++) {
		LOCAL(EVP_CIPHER_CTX) *c =
			live_context_of(lib, i ? "AES-256-CBC" : "AES-128-CBC", "provider=default");

		must(live_encrypt(c, live_want[i]), "software");
	}
}

void live_load(const char *config)
{
	live_lib = OSSL_LIB_CTX_new();
	if (config)
		must(OSSL_LIB_CTX_load_config(live_lib, config), config);
}

EVP_CIPHER_CTX *live_context(const char *query)
{
	return live_context_of(live_lib, "AES-128-CBC", query);
}

bool live_is_right(EVP_CIPHER_CTX *c)
{
	unsigned char out[LIVE_LEN] = { 0 };

	return live_encrypt(c, out) &&
	       memcmp(out, live_want[EVP_CIPHER_CTX_get_key_length(c) == 32], LIVE_LEN) == 0;
}

void live_make(EVP_CIPHER_CTX **c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		c[i] = live_context("provider=kcrypto");
		must(live_is_right(c[i]), "wrong bytes");
	}
}

void live_free(EVP_CIPHER_CTX **c, size_t n)
{
	while (n)
		EVP_CIPHER_CTX_free(c[--n]);
}
