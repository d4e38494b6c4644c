/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions through which a large request passes while its session is open: a module compiled
 * with -finstrument-functions reports each. Prints their addresses in the module, one per line,
 * after the name of the case. usage: crossed CONFIG, by bench/crossed
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#define LEN  65536
#define WARM 10 /* requests until nothing more is learned */

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static const char *name; /* NULL: calls are not printed */
static unsigned char in[LEN], out[LEN + 32], tag[16];

void __cyg_profile_func_enter(void *function, void *caller)
{
	Dl_info info;

	(void)caller;
	if (name && dladdr(function, &info))
		printf("%s %#lx\n", name,
		       (unsigned long)((char *)function - (char *)info.dli_fbase));
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function;
	(void)caller;
}

static void must(int ok)
{
	if (ok > 0)
		return;
	ERR_print_errors_fp(stderr);
	exit(1);
}

static EVP_CIPHER_CTX *context(OSSL_LIB_CTX *lib, const char *algorithm, int encrypt)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, algorithm, "provider=kcrypto");
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	must(cipher && EVP_CipherInit_ex2(c, cipher, in, in, encrypt, NULL));
	EVP_CIPHER_free(cipher);
	return c;
}

/* The first update after an init, when nothing is held back. */
static void cbc(EVP_CIPHER_CTX *c, const char *as)
{
	int n;

	must(EVP_CipherInit_ex2(c, NULL, NULL, in, -1, NULL));
	name = as;
	must(EVP_CipherUpdate(c, out, &n, in, LEN));
	name = NULL;
}

/* As libssl does it: nonce, header, text, end and tag. */
static void record(EVP_CIPHER_CTX *c, const char *as)
{
	int n;

	name = as;
	must(EVP_CipherInit_ex2(c, NULL, NULL, in, -1, NULL));
	must(EVP_CipherUpdate(c, NULL, &n, in, 5));
	must(EVP_CipherUpdate(c, out, &n, in, LEN / 4));
	must(EVP_CipherFinal_ex(c, out + n, &n));
	must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, sizeof(tag), tag));
	name = NULL;
}

static void trace(OSSL_LIB_CTX *lib, const char *as, const char *algorithm, int encrypt,
		  void (*request)(EVP_CIPHER_CTX *c, const char *as))
{
	EVP_CIPHER_CTX *c = context(lib, algorithm, encrypt);

	for (int i = 0; i < WARM; i++)
		request(c, NULL);
	request(c, as);
	EVP_CIPHER_CTX_free(c);
}

int main(int argc, char **argv)
{
	OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();

	must(argc == 2 && OSSL_LIB_CTX_load_config(lib, argv[1]));
	trace(lib, "cbc", "AES-128-CBC", 0, cbc);
	trace(lib, "gcm", "AES-128-GCM", 1, record);
	OSSL_LIB_CTX_free(lib);
	return 0;
}
