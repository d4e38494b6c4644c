/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel's key costs: requests of 16 KiB with one, and with a plain key that kcrypto sends
 * to the same driver, in turns. Prints the median ratio of the two for each mode. Both providers
 * are active, see keys_cost.cnf.
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

static const unsigned char key[32] = { 1 }, iv[16];
static unsigned char in[LEN], out[LEN + 16];

struct contender {
	EVP_CIPHER_CTX *cipher;
	EVP_MAC_CTX *mac; /* or this */
};

static void stop(void)
{
	ERR_print_errors_fp(stderr);
	exit(1);
}

static bool go_on(EVP_CIPHER_CTX *c)
{
	int n;

	return EVP_CipherUpdate(c, out, &n, in, LEN);
}

/* A message of its own. */
static bool seal(EVP_CIPHER_CTX *c)
{
	int n;

	return EVP_CipherInit_ex2(c, NULL, NULL, iv, 1, NULL) &&
	       EVP_CipherUpdate(c, NULL, &n, in, 13) && go_on(c) &&
	       EVP_CipherFinal_ex(c, out, &n) &&
	       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out) > 0;
}

static bool authenticate(EVP_MAC_CTX *m)
{
	size_t n;

	return EVP_MAC_init(m, NULL, 0, NULL) && EVP_MAC_update(m, in, LEN) &&
	       EVP_MAC_final(m, out, &n, 64);
}

static bool request(const struct contender *c)
{
	if (c->mac)
		return authenticate(c->mac);
	return EVP_CIPHER_CTX_get_mode(c->cipher) == EVP_CIPH_GCM_MODE ? seal(c->cipher) :
									 go_on(c->cipher);
}

static double cost(const struct contender *c)
{
	struct timespec from, to;
	bool ok = true;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < AT_ONCE; i++)
		ok &= request(c);
	clock_gettime(CLOCK_MONOTONIC, &to);
	if (!ok)
		stop();
	return (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
}

static int by_size(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : 1;
}

static void compare(const char *name, const struct contender *ours, const struct contender *plain)
{
	static double ratios[TURNS];

	cost(ours);
	cost(plain);
	for (size_t i = 0; i < TURNS; i++)
		ratios[i] = cost(ours) / cost(plain);
	qsort(ratios, TURNS, sizeof(ratios[0]), by_size);
	printf("%s: a request of 16 KiB with a kernel's key / with a plain one: %.3f\n", name,
	       ratios[TURNS / 2]);
}

static void compare_ciphers(const char *name, size_t iv_len, EVP_SKEY *skey)
{
	struct contender ours = { EVP_CIPHER_CTX_new(), NULL },
			 plain = { EVP_CIPHER_CTX_new(), NULL };
	EVP_CIPHER *keyed = EVP_CIPHER_fetch(NULL, name, KEYS);
	EVP_CIPHER *bulk = EVP_CIPHER_fetch(NULL, name, "provider=kcrypto");

	if (!bulk || !EVP_CipherInit_SKEY(ours.cipher, keyed, skey, iv, iv_len, 1, NULL) ||
	    !EVP_CipherInit_ex2(plain.cipher, bulk, key, iv, 1, NULL))
		stop();
	compare(name, &ours, &plain);
}

static void compare_macs(const char *digest, EVP_SKEY *skey)
{
	EVP_MAC *keyed = EVP_MAC_fetch(NULL, "HMAC", KEYS);
	EVP_MAC *bulk = EVP_MAC_fetch(NULL, "HMAC", "provider=kcrypto");
	struct contender ours = { NULL, EVP_MAC_CTX_new(keyed) },
			 plain = { NULL, EVP_MAC_CTX_new(bulk) };
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("digest", (char *)(uintptr_t)digest, 0),
		OSSL_PARAM_construct_end(),
	};

	if (!bulk || !EVP_MAC_init_SKEY(ours.mac, skey, params) ||
	    !EVP_MAC_init(plain.mac, key, sizeof(key), params))
		stop();
	compare(digest, &ours, &plain);
}

int main(void)
{
	EVP_SKEY *skey;

	key_setup();
	/* A program that asks for keys first gets no cipher of kcrypto's. */
	EVP_CIPHER_free(EVP_CIPHER_fetch(NULL, "AES-256-CTR", "provider=kcrypto"));
	if (key_add("logon", "kcrypto:cost", key, sizeof(key)) < 0)
		return 1;
	skey = key_by_name(NULL, "logon:kcrypto:cost", 0);
	if (!skey)
		stop();
	compare_ciphers("AES-256-CTR", 16, skey);
	compare_ciphers("AES-256-GCM", 12, skey);
	compare_macs("SHA256", skey);
	return 0;
}
