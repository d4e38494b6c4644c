/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto-bench: the cost of a request through us, against the default provider and against a bare
 * sendmsg() and read() loop. Prints ratios of paired runs next to their goals, without a verdict.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "below.h"
#include "pairs.h"
#include "raw.h"

#define LARGEST 65536

struct job {
	EVP_CIPHER_CTX *ctx;
	struct raw raw;
	size_t len;
	int encrypt;
	unsigned char *out; /* in, or another buffer */
};

static const unsigned char key[32] = "a key that guards nothing here";
static _Alignas(4096) unsigned char in[LARGEST], apart[LARGEST + 16];
static OSSL_LIB_CTX *lib;

static void die(const char *what)
{
	fprintf(stderr, "kcrypto-bench: %s\n", what);
	ERR_print_errors_fp(stderr);
	exit(1);
}

static int update(void *arg)
{
	struct job *j = arg;
	int n;

	return EVP_CipherUpdate(j->ctx, j->out, &n, in, (int)j->len);
}

static int raw_update(void *arg)
{
	struct job *j = arg;

	return raw_run(&j->raw, j->encrypt, j->out, in, j->len);
}

static struct job job(const char *cipher, const char *provider, int encrypt, size_t len)
{
	struct job j = {
		.ctx = EVP_CIPHER_CTX_new(), .len = len, .encrypt = encrypt, .out = apart
	};
	EVP_CIPHER *c = EVP_CIPHER_fetch(lib, cipher, provider);
	static const unsigned char iv[16];

	if (!c || !EVP_CipherInit_ex(j.ctx, c, NULL, key, iv, encrypt) ||
	    !EVP_CIPHER_CTX_set_padding(j.ctx, 0))
		die("the provider does not offer this cipher here");
	EVP_CIPHER_free(c);
	return j;
}

static void kernel_path(const char *driver, unsigned rounds)
{
	static const size_t sizes[] = { 1024, 4096, 16384, 65536 };

	puts("kernel path, AES-128-CBC encrypting: a bare loop's time in ours\n"
	     "(goal >= 0.98, by /dev/crypto 0.97; in place, where the input must outlive a failure, shown beside)\n"
	     "   bytes    raw us   ours us   ratio   in place");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct job b = job("AES-128-CBC", "provider=kcrypto", 1, sizes[i]), a = b;
		struct pairs apart_p, place_p;

		if (raw_open(&a.raw, driver, key, 16) != 0)
			die("the bare loop can't open the driver");
		/* A warm-up: an emulator must translate the code first. */
		pairs_measure(raw_update, &a, update, &b, 3, 20000);
		apart_p = pairs_measure(raw_update, &a, update, &b, rounds, 20000);
		a.out = b.out = in;
		place_p = pairs_measure(raw_update, &a, update, &b, rounds, 20000);
		printf("  %6zu %9.1f %9.1f %7.3f %10.3f\n", sizes[i], apart_p.a_ns / 1e3,
		       apart_p.b_ns / 1e3, 1 / apart_p.ratio, 1 / place_p.ratio);
		EVP_CIPHER_CTX_free(b.ctx);
	}
}

struct fresh {
	EVP_CIPHER *cipher;
	unsigned long made;
};

/* A context like a TLS library's, for a connection that ends after one record. */
static int fresh_context(void *arg)
{
	struct fresh *f = arg;
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	static const unsigned char iv[16];
	int n, ok = EVP_EncryptInit_ex(ctx, f->cipher, NULL, key, iv) &&
		    EVP_EncryptUpdate(ctx, apart, &n, in, 16384);

	EVP_CIPHER_CTX_free(ctx);
	f->made++;
	return ok;
}

static void contexts(unsigned rounds)
{
	struct fresh a = { .cipher = EVP_CIPHER_fetch(lib, "AES-256-CBC", "provider=default") };
	struct fresh b = { .cipher = EVP_CIPHER_fetch(lib, "AES-256-CBC", "provider=kcrypto") };
	struct pairs p;

	if (!a.cipher || !b.cipher)
		die("the provider does not offer this cipher here");
	pairs_measure(fresh_context, &a, fresh_context, &b, 3, 20000); /* includes the trial */
	a.made = b.made = 0;
	p = pairs_measure(fresh_context, &a, fresh_context, &b, rounds, 20000);
	printf("fresh contexts with one record of 16 KiB each, AES-256-CBC, thresholds measured:\n"
	       "default provider's time in ours (goal >= 0.97)\n"
	       "  %lu of ours, %lu of its   %.1f us   %.1f us   %.3f\n",
	       b.made, a.made, p.b_ns / 1e3, p.a_ns / 1e3, 1 / p.ratio);
	EVP_CIPHER_free(a.cipher);
	EVP_CIPHER_free(b.cipher);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 31;

	if (argc < 3) {
		fputs("usage: kcrypto-bench CONFIG below|count|kernel|contexts [ROUNDS"
		      " [DRIVER]]\n",
		      stderr);
		return 2;
	}
	lib = OSSL_LIB_CTX_new();
	if (!OSSL_LIB_CTX_load_config(lib, argv[1]))
		die("the configuration can't be loaded");
	if (strcmp(argv[2], "below") == 0)
		below(lib, rounds);
	else if (strcmp(argv[2], "count") == 0)
		below_count(lib);
	else if (strcmp(argv[2], "kernel") == 0)
		kernel_path(argc > 4 ? argv[4] : "cbc(aes)", rounds);
	else if (strcmp(argv[2], "contexts") == 0)
		contexts(rounds);
	else
		die("no such measurement");
	OSSL_LIB_CTX_free(lib);
	return 0;
}
