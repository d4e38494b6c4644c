/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time of the whole machine, including interrupts and the kernel's threads, for TLS records. */
#include "records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/ssl.h>

#define RECORD	 16384
#define TURN_SEC 2
#define TURNS	 16

static unsigned char buf[RECORD + 64], right[RECORD];

/* Jiffies in which the machine was neither idle nor stolen from. */
static unsigned long long busy(void)
{
	FILE *f = fopen("/proc/stat", "re");
	unsigned long long user = 0, nice = 0, system = 0, idle, iowait, irq = 0, softirq = 0;

	if (!f || fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
			 &iowait, &irq, &softirq) != 7)
		return 0;
	fclose(f);
	return user + nice + system + irq + softirq;
}

static EVP_CIPHER_CTX *end_of(OSSL_LIB_CTX *lib, const char *provider, int encrypt)
{
	static const unsigned char key[16] = "no secret at all", iv[16];
	unsigned version = TLS1_2_VERSION;
	size_t mac = 0; /* encrypt-then-MAC: libssl does it */
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
		OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac),
		OSSL_PARAM_construct_end(),
	};
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, "AES-128-CBC", provider);

	if (!cipher || !EVP_CipherInit_ex(c, cipher, NULL, key, iv, encrypt) ||
	    !EVP_CIPHER_CTX_set_params(c, params))
		return NULL;
	EVP_CIPHER_free(cipher);
	return c;
}

static int both_ways(EVP_CIPHER_CTX *enc, EVP_CIPHER_CTX *dec)
{
	int n, m;

	memcpy(buf, right, RECORD);
	return EVP_CipherUpdate(enc, buf, &n, buf, RECORD) && n == RECORD + 16 &&
	       EVP_CipherUpdate(dec, buf, &m, buf, n) && m == RECORD - 16 &&
	       memcmp(buf + 16, right + 16, (size_t)m) == 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The machine's busy seconds per GB each way; 0 if a record fails. */
static double cost(EVP_CIPHER_CTX *enc, EVP_CIPHER_CTX *dec)
{
	unsigned long long before = busy(), n = 0;
	double end = now() + TURN_SEC;

	for (; now() < end; n++)
		if (!both_ways(enc, dec))
			return 0;
	return (double)(busy() - before) / 100 / ((double)n * RECORD) * 1e9;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int records(OSSL_LIB_CTX *lib)
{
	EVP_CIPHER_CTX *soft[2] = { end_of(lib, "provider=default", 0),
				    end_of(lib, "provider=default", 1) };
	EVP_CIPHER_CTX *ours[2] = { end_of(lib, "provider=kcrypto", 0),
				    end_of(lib, "provider=kcrypto", 1) };
	double ratio[TURNS], a = 0, b = 0;

	for (size_t i = 0; i < RECORD; i++)
		right[i] = (unsigned char)(i * 5 + i / 256);
	if (!soft[0] || !soft[1] || !ours[0] || !ours[1] || !cost(ours[1], ours[0]))
		return 0;
	for (int i = 0; i < TURNS; i++) {
		a = cost(soft[1], soft[0]);
		b = cost(ours[1], ours[0]);
		if (!a || !b)
			return 0;
		ratio[i] = b / a;
	}
	qsort(ratio, TURNS, sizeof(ratio[0]), by_size);
	printf("TLS 1.2 records of 16 KiB, AES-128-CBC, encrypt-then-MAC, both directions: CPU time of\n"
	       "the machine for a GB each way, ours in the default provider's (goal <= 0.5), %d turns\n"
	       "  %.1f s   %.1f s   %.2f (%.2f to %.2f)\n",
	       TURNS, b, a, ratio[TURNS / 2], ratio[0], ratio[TURNS - 1]);
	for (int i = 0; i < 2; i++) {
		EVP_CIPHER_CTX_free(soft[i]);
		EVP_CIPHER_CTX_free(ours[i]);
	}
	return 1;
}
