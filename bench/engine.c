/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcrypto-bench-engine: the cost of a request through the engine, compared with OpenSSL alone and
 * with a bare sendmsg() and read() loop, next to OpenSSL's own engine afalg; and that of a request
 * through OpenSSL's own engine devcrypto. Works with any OpenSSL that has engines. Prints ratios of
 * paired runs next to their goals, without a verdict.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/engine.h>

#include "pairs.h"

static const unsigned char key[16] = "guards nothing.", iv[16];

/* AES-128-CBC by engine @e, or by OpenSSL alone (NULL), with @cipher's EVP_CIPHER. */
static struct job job_of(const EVP_CIPHER *cipher, ENGINE *e, int encrypt, size_t len)
{
	struct job j = { .ctx = EVP_CIPHER_CTX_new(), .len = len };

	must(EVP_CipherInit_ex(j.ctx, cipher, e, key, iv, encrypt) &&
		     EVP_CIPHER_CTX_set_padding(j.ctx, 0),
	     "no cipher");
	return j;
}

/* The engine is used only on request, so that it is not a part of OpenSSL alone. */
static ENGINE *load(const char *file, const char *id, const char *ciphers)
{
	ENGINE *e;

	ENGINE_load_dynamic();
	e = ENGINE_by_id("dynamic");
	must(e && ENGINE_ctrl_cmd_string(e, "SO_PATH", file, 0) &&
		     ENGINE_ctrl_cmd_string(e, "ID", id, 0) &&
		     ENGINE_ctrl_cmd_string(e, "LOAD", NULL, 0) && ENGINE_init(e) &&
		     ENGINE_ctrl_cmd_string(e, "USE_SOFTDRIVERS", "1", 0) &&
		     ENGINE_ctrl_cmd_string(e, "CIPHERS", ciphers, 0),
	     "the engine does not load");
	ENGINE_unregister_ciphers(e);
	return e;
}

static void below(const char *file, unsigned rounds)
{
	static const size_t sizes[] = { 16, 64, 256, 1024 };
	ENGINE *e = load(file, "kcrypto", "AES-128-CBC:1000000");
	/* OpenSSL's own cipher wrapped like an engine's: no engine is faster than this. */
	EVP_CIPHER *form = EVP_CIPHER_meth_dup(EVP_aes_128_cbc());

	must(form != NULL, "no memory");
	printf("below the threshold, AES-128-CBC, %s: its time alone in the engine's\n"
	       "(goal >= 0.90 at 16 bytes), and in that of its own cipher in an engine's form\n"
	       "  direction  bytes   alone ns   ours ns   ratio   own in this form\n",
	       OpenSSL_version(OPENSSL_VERSION));
	for (int encrypt = 1; encrypt >= 0; encrypt--) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct job a = job_of(EVP_aes_128_cbc(), NULL, encrypt, sizes[i]);
			struct job b = job_of(EVP_aes_128_cbc(), e, encrypt, sizes[i]);
			struct job c = job_of(form, NULL, encrypt, sizes[i]);
			struct pairs p = pairs_measure(job_run, &a, job_run, &b, rounds, 200);
			struct pairs q = pairs_measure(job_run, &a, job_run, &c, rounds, 200);

			printf("  %-9s %6zu %10.1f %9.1f %7.3f %18.3f\n",
			       encrypt ? "encrypt" : "decrypt", sizes[i], p.a_ns, p.b_ns,
			       1 / p.ratio, 1 / q.ratio);
			EVP_CIPHER_CTX_free(a.ctx);
			EVP_CIPHER_CTX_free(b.ctx);
			EVP_CIPHER_CTX_free(c.ctx);
		}
	}
	EVP_CIPHER_meth_free(form);
}

/* Returns the bare loop's time divided by the time by @e. */
static double by_kernel(ENGINE *e, const struct raw *raw, size_t len, unsigned rounds)
{
	struct job j = job_of(EVP_aes_128_cbc(), e, 1, len);
	struct pairs p = job_compare(j.ctx, raw, len, 0, rounds);

	EVP_CIPHER_CTX_free(j.ctx);
	return 1 / p.ratio;
}

static void kernel_path(const char *file, unsigned rounds)
{
	ENGINE *e = load(file, "kcrypto", "AES-128-CBC:0"), *theirs = ENGINE_by_id("afalg");
	struct raw raw;

	must(theirs && ENGINE_init(theirs), "OpenSSL's own engine afalg is not there");
	must(raw_open(&raw, "cbc(aes)", key) == 0, "no AF_ALG");
	puts("kernel path, AES-128-CBC encrypting: a bare loop's time in the engine's (goal >= 0.97)\n"
	     "   bytes     ours   OpenSSL's own engine");
	for (size_t i = 0; i < JOB_SIZES; i++)
		printf("  %6zu %8.3f %8.3f\n", job_sizes[i],
		       by_kernel(e, &raw, job_sizes[i], rounds),
		       by_kernel(theirs, &raw, job_sizes[i], rounds));
}

static void devcrypto(const char *file, unsigned rounds)
{
	ENGINE *e = load(file, "devcrypto", "AES-128-CBC");
	struct job j = job_of(EVP_aes_128_cbc(), e, 1, 0);
	struct raw raw;

	must(raw_open(&raw, "/dev/crypto", key) == 0, "no /dev/crypto");
	job_settle(j.ctx, &raw);
	flip_switch();
	puts("AES-128-CBC encrypting: a bare loop's time and the engine devcrypto's\n"
	     "   bytes    bare us   engine us");
	for (size_t i = 0; i < JOB_SIZES; i++) {
		struct pairs p = job_compare(j.ctx, &raw, job_sizes[i], 0, rounds);

		printf("  %6zu %9.2f %9.2f\n", job_sizes[i], p.a_ns / 1e3, p.b_ns / 1e3);
	}
	EVP_CIPHER_CTX_free(j.ctx);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 31;

	if (argc > 2 && strcmp(argv[2], "below") == 0) {
		below(argv[1], rounds);
	} else if (argc > 2 && strcmp(argv[2], "kernel") == 0) {
		kernel_path(argv[1], rounds);
	} else if (argc > 2 && strcmp(argv[2], "devcrypto") == 0) {
		devcrypto(argv[1], rounds);
	} else {
		fputs("usage: kcrypto-bench-engine FILE below|kernel|devcrypto [ROUNDS]\n"
		      "FILE: kcrypto-engine.so; below also does with the tests' one, which has a\n"
		      "backend inside, where there is no kernel for it; devcrypto: devcrypto.so\n",
		      stderr);
		return 2;
	}
	return 0;
}
