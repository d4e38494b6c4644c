/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel's key costs: requests of 16 KiB with one, and with a plain key that kcrypto sends
 * to the same driver, in turns. Prints the median ratio of the two. Both providers are active, see
 * keys_cost.cnf.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/err.h>

#include "keys/keyring.h"

#define LEN	16384
#define TURNS	301
#define AT_ONCE 40 /* requests */

static unsigned char in[LEN], out[LEN + 16];

static double cost(EVP_CIPHER_CTX *c)
{
	struct timespec from, to;
	int n, ok = 1;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < AT_ONCE; i++)
		ok &= EVP_CipherUpdate(c, out, &n, in, LEN);
	clock_gettime(CLOCK_MONOTONIC, &to);
	if (!ok) {
		ERR_print_errors_fp(stderr);
		exit(1);
	}
	return (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
}

static int by_size(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : 1;
}

int main(void)
{
	static const unsigned char key[32] = { 1 }, iv[16];
	static double ratios[TURNS];
	EVP_CIPHER_CTX *ours = EVP_CIPHER_CTX_new(), *plain = EVP_CIPHER_CTX_new();
	EVP_CIPHER *keyed = EVP_CIPHER_fetch(NULL, "AES-256-CTR", KEYS);
	EVP_CIPHER *bulk = EVP_CIPHER_fetch(NULL, "AES-256-CTR", "provider=kcrypto");
	EVP_SKEY *skey;

	key_setup();
	if (key_add("logon", "kcrypto:cost", key, sizeof(key)) < 0)
		return 1;
	skey = key_by_name(NULL, "logon:kcrypto:cost", 0);
	if (!bulk || !EVP_CipherInit_SKEY(ours, keyed, skey, iv, 16, 1, NULL) ||
	    !EVP_CipherInit_ex2(plain, bulk, key, iv, 1, NULL)) {
		ERR_print_errors_fp(stderr);
		return 1;
	}
	cost(ours);
	cost(plain);
	for (size_t i = 0; i < TURNS; i++)
		ratios[i] = cost(ours) / cost(plain);
	qsort(ratios, TURNS, sizeof(ratios[0]), by_size);
	printf("a request of 16 KiB with a kernel's key / with a plain one: %.3f\n",
	       ratios[TURNS / 2]);
	return 0;
}
