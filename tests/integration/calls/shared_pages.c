// SPDX-License-Identifier: Apache-2.0
/*
 * shared_pages: one thread makes requests, another forks, and a third writes to all memory near by:
 * to whatever shares a page with the output, and with the context, which may hold the tag. A page
 * that a device writes its answer to must not be left to a child.
 *
 *   shared_pages ALGORITHM LENGTH REQUESTS
 *
 * Requests use the application's default implementation (from OPENSSL_CONF) and are compared with
 * the default provider's. Prints how many are wrong.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diff/row.h"
#include "integration/lives/message.h"
#include "integration/lives/must.h"

#define MAX_LENGTH 65536
#define MAX_PAGE   65536
#define MAX_BESIDE 64 /* bytes: a tag, a digest, a MAC */
#define OFFSET	   100
#define NEAR	   64 /* bytes on each side that the third thread writes */
#define CHILDREN   4  /* at the same time */
#define CHILD_US   4000
#define PAUSE_US   200 /* lets the other threads run on a machine with one processor */

static _Alignas(MAX_PAGE) unsigned char in[MAX_LENGTH], memory[MAX_LENGTH + MAX_PAGE];
static unsigned char *const out = memory + OFFSET;
static unsigned char beside[MAX_BESIDE];
static size_t length;
static unsigned char *near_context[2]; /* one allocated before the context, one after */
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

/* One of the two kinds of context. */
struct context {
	EVP_CIPHER_CTX *cipher;
	struct hash hash;
	bool is_aead;
};

static const unsigned char key[64] = "a key that guards nothing here", iv[16] = "an IV";

static struct context context(const struct kc_alg *alg, const char *properties)
{
	struct context c = { .is_aead = alg->kind == KC_AEAD };
	struct row_of of;

	must(row_fetch(NULL, alg, properties, &of), alg->names);
	if (of.cipher)
		c.cipher = EVP_CIPHER_CTX_new();
	else
		c.hash = hash_new(of.md, of.mac, alg->mac, kc_alg_name(&kc_algs[alg->inner]));
	must(!of.cipher || EVP_EncryptInit_ex2(c.cipher, of.cipher, key, NULL, NULL), "key");
	return c;
}

static bool encrypts(const struct context *c)
{
	int n = 0, rest = 0;

	return EVP_EncryptInit_ex2(c->cipher, NULL, NULL, iv, NULL) &&
	       (!c->is_aead || message_head(c->cipher, iv, 13, length)) &&
	       EVP_EncryptUpdate(c->cipher, out, &n, in, (int)length) && (size_t)n == length &&
	       (!c->is_aead ||
		(EVP_EncryptFinal_ex(c->cipher, beside, &rest) && message_tag(c->cipher, beside)));
}

static void request(const struct context *c)
{
	memset(out, 0, length);
	memset(beside, 0, sizeof(beside));
	must(c->cipher ? encrypts(c) :
			 hash_start(&c->hash, key, sizeof(key)) &&
				 hash_update(&c->hash, in, length) && hash_final(&c->hash, beside),
	     "request");
}

int main(int argc, char **argv)
{
	static unsigned char want[MAX_LENGTH], want_beside[MAX_BESIDE];
	unsigned long wrong = 0, requests;
	pthread_t threads[2];
	const struct kc_alg *alg = argc == 4 ? kc_alg_find(argv[1]) : NULL;
	struct context c;

	if (!alg)
		return 2;
	length = strtoul(argv[2], NULL, 10);
	requests = strtoul(argv[3], NULL, 10);
	must(length <= MAX_LENGTH - NEAR, "length");
	memset(in, 0x5a, sizeof(in));
	c = context(alg, "provider=default");
	request(&c);
	memcpy(want, out, length);
	memcpy(want_beside, beside, sizeof(beside));
	near_context[0] = malloc(NEAR);
	c = context(alg, NULL);
	near_context[1] = malloc(NEAR);
	request(&c); /* includes the driver's trial */
	must(!pthread_create(&threads[0], NULL, write_near, NULL) &&
		     !pthread_create(&threads[1], NULL, fork_on, NULL),
	     "pthread_create");
	for (unsigned long i = 0; i < requests; i++) {
		request(&c);
		wrong += memcmp(out, want, length) != 0 ||
			 memcmp(beside, want_beside, sizeof(beside)) != 0;
	}
	over = true;
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%lu wrong\n", wrong);
	return wrong != 0;
}
