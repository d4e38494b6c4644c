/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From which length an engine pays. usage: gain CONFIG ALGORITHM: prints, for several lengths, the
 * time of a request by software and by what CONFIG offers, which has to send every request to the
 * kernel. Where each instruction takes a nanosecond (tests/vm/qemu --count skip), each run prints
 * the same times.
 */
#include <stdio.h>
#include <stdlib.h>

#include "boards/guest/once.h"
#include "integration/lives/loaded.h"

#define PAGE  4096
#define MOST  131072
#define TIMES 3

static double best(EVP_CIPHER *cipher, unsigned char *out, const unsigned char *in, size_t len)
{
	static const unsigned char key[64] = "a key that all requests have", iv[16] = "";
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	double least = 1e9, took;
	int n;

	EVP_CipherInit_ex2(c, cipher, key, iv, 1, NULL);
	for (int i = 0; i <= TIMES; i++) {
		took = once_now();
		EVP_CipherUpdate(c, out, &n, in, (int)len);
		took = once_now() - took;
		if (i && took < least) /* the first one opens the session */
			least = took;
	}
	EVP_CIPHER_CTX_free(c);
	return least;
}

int main(int argc, char **argv)
{
	static const size_t lengths[] = { 512,	1024,  1536,  2048,  3072,  4096,  6144,
					  8192, 12288, 16384, 32768, 65536, 131072 };
	unsigned char *in = aligned_alloc(PAGE, MOST + PAGE),
		      *out = aligned_alloc(PAGE, MOST + PAGE);
	OSSL_LIB_CTX *ctx;
	struct once o;

	stats_file_make();
	ctx = argc == 3 ? library_with(argv[1]) : NULL;
	if (!ctx || !once_find(ctx, argv[2], &o))
		return 2;
	for (size_t i = 0; i < MOST; i++)
		in[i] = out[i] = (unsigned char)i;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		double soft = best(o.of[1].cipher, out, in, lengths[i]);
		double hard = best(o.of[0].cipher, out, in, lengths[i]);

		printf("%zu bytes: software %.0f ns, kernel %.0f ns, %.2f times\n", lengths[i],
		       soft * 1e9, hard * 1e9, soft / hard);
		fflush(stdout);
	}
	once_release(&o);
	OSSL_LIB_CTX_free(ctx);
	return 0;
}
