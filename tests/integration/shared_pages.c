// SPDX-License-Identifier: Apache-2.0
/*
 * shared_pages: requests of one thread, while another forks, and a third writes to all memory near
 * by: what shares a page with the output, and with the context, in which the tag may be. A page
 * that a device was given for its answer must not be left to a child.
 *
 *   shared_pages KIND ALGORITHM LENGTH REQUESTS
 *
 * KIND is cipher, mac or digest. Requests use the application's default implementation (from
 * OPENSSL_CONF) and are compared with the default provider's. Prints how many are wrong.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "integration/must.h"

#define MAX_LENGTH 65536
#define MAX_PAGE   65536
#define MAX_BESIDE 64 /* bytes: a tag, a digest, a MAC */
#define OFFSET	   100
#define NEAR	   64 /* bytes that are written to on each side */
#define CHILDREN   4  /* at a time */
#define CHILD_US   4000
#define PAUSE_US   200 /* for the others, on a machine with one processor */

static _Alignas(MAX_PAGE) unsigned char in[MAX_LENGTH], memory[MAX_LENGTH + MAX_PAGE];
static unsigned char *const out = memory + OFFSET;
static unsigned char beside[MAX_BESIDE];
static size_t length;
static const char *algorithm;
static unsigned char *near_context[2]; /* one made before it, one after */
static atomic_bool over;

static void *write_near(void *unused)
{
	volatile unsigned char *const places[] = { out - NEAR, out + length, near_context[0],
						   near_context[1] };

	while (!over) {
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			for (size_t k = 0; k < NEAR; k++)
				places[i][k]++;
		usleep(PAUSE_US);
	}
	return unused;
}

static void *fork_on(void *unused)
{
	unsigned children = 0;

	while (!over) {
		pid_t pid = fork();

		must(pid >= 0, "fork");
		if (pid == 0) {
			usleep(CHILD_US);
			_exit(0);
		}
		usleep(PAUSE_US);
		if (++children >= CHILDREN && wait(NULL) > 0)
			children--;
	}
	while (wait(NULL) > 0)
		;
	return unused;
}

static EVP_CIPHER_CTX *cipher_context(const char *properties)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, algorithm, properties);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	static const unsigned char key[64] = "a key that guards nothing here";

	must(cipher && c && EVP_EncryptInit_ex2(c, cipher, key, NULL, NULL), "context");
	EVP_CIPHER_free(cipher);
	return c;
}

static void *mac_context(const char *properties)
{
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", properties);
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(mac);

	EVP_MAC_free(mac);
	return c;
}

static void *digest_context(const char *properties)
{
	EVP_MD *md = EVP_MD_fetch(NULL, algorithm, properties);
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	must(md && EVP_DigestInit_ex(c, md, NULL), "context");
	EVP_MD_free(md);
	return c;
}

static void *context(const char *kind, const char *properties)
{
	if (*kind == 'm')
		return mac_context(properties);
	return *kind == 'd' ? digest_context(properties) : cipher_context(properties);
}

static bool cbc_encrypts(EVP_CIPHER_CTX *c)
{
	static const unsigned char iv[16] = "an IV";
	bool has_tag =
		EVP_CIPHER_get_flags(EVP_CIPHER_CTX_get0_cipher(c)) & EVP_CIPH_FLAG_AEAD_CIPHER;
	int n = 0, aad = 0;

	return EVP_EncryptInit_ex2(c, NULL, NULL, iv, NULL) &&
	       (!has_tag || EVP_EncryptUpdate(c, NULL, &aad, iv, 13)) &&
	       EVP_EncryptUpdate(c, out, &n, in, (int)length) && (size_t)n == length &&
	       (!has_tag || (EVP_EncryptFinal_ex(c, beside, &n) &&
			     EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, beside) > 0));
}

static bool authenticate(EVP_MAC_CTX *c)
{
	char name[16] = "";
	OSSL_PARAM params[] = { OSSL_PARAM_utf8_string("digest", name, 0), OSSL_PARAM_END };
	size_t n;

	snprintf(name, sizeof(name), "%s", algorithm);
	params[0].data_size = strlen(name);
	return EVP_MAC_init(c, (const unsigned char *)"a MAC's key", 11, params) &&
	       EVP_MAC_update(c, in, length) && EVP_MAC_final(c, beside, &n, sizeof(beside));
}

static bool digest(EVP_MD_CTX *c)
{
	return EVP_DigestInit_ex(c, NULL, NULL) && EVP_DigestUpdate(c, in, length) &&
	       EVP_DigestFinal_ex(c, beside, NULL);
}

static void request(const char *kind, void *c)
{
	memset(out, 0, length);
	memset(beside, 0, sizeof(beside));
	if (*kind == 'm')
		must(authenticate(c), "MAC");
	else
		must(*kind == 'd' ? digest(c) : cbc_encrypts(c), algorithm);
}

int main(int argc, char **argv)
{
	static unsigned char want[MAX_LENGTH], want_beside[MAX_BESIDE];
	unsigned long wrong = 0, requests;
	pthread_t threads[2];
	void *c;

	if (argc != 5)
		return 2;
	algorithm = argv[2];
	length = strtoul(argv[3], NULL, 10);
	requests = strtoul(argv[4], NULL, 10);
	must(length <= MAX_LENGTH - NEAR, "length");
	memset(in, 0x5a, sizeof(in));
	request(argv[1], context(argv[1], "provider=default"));
	memcpy(want, out, length);
	memcpy(want_beside, beside, sizeof(beside));
	near_context[0] = malloc(NEAR);
	c = context(argv[1], NULL);
	near_context[1] = malloc(NEAR);
	request(argv[1], c); /* the driver's trial is in here */
	must(!pthread_create(&threads[0], NULL, write_near, NULL) &&
		     !pthread_create(&threads[1], NULL, fork_on, NULL),
	     "pthread_create");
	for (unsigned long i = 0; i < requests; i++) {
		request(argv[1], c);
		wrong += memcmp(out, want, length) != 0 ||
			 memcmp(beside, want_beside, sizeof(beside)) != 0;
	}
	over = true;
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%lu wrong\n", wrong);
	return wrong != 0;
}
