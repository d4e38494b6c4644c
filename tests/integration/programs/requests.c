// SPDX-License-Identifier: Apache-2.0
/*
 * requests: makes requests through EVP of the application's default ciphers (OPENSSL_CONF says
 * which) and of the default provider's, and compares. A line of its input is one play:
 *
 *   CIPHER LENGTH REQUESTS CONTEXTS OFFSET
 *
 * CONTEXTS contexts, every second one decrypting, get REQUESTS updates of LENGTH bytes each, in
 * turns, from and to memory OFFSET bytes after a page's start. The answer is a line: "right", or
 * "wrong" with the context and request. One process plays all lines.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#define MAX_LENGTH   (1024 * 1024)
#define MAX_CONTEXTS 1000
#define PAGE	     4096

struct play {
	char cipher[64];
	unsigned length, requests, contexts, offset;
};

struct pair {
	EVP_CIPHER_CTX *ours, *theirs;
};

static unsigned char *in, *got, *want;

static EVP_CIPHER_CTX *start(const char *cipher, const char *properties, unsigned i)
{
	EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, cipher, properties);
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	unsigned char key[32], iv[16];

	for (unsigned k = 0; k < sizeof(key); k++)
		key[k] = (unsigned char)(7 * k + i + 1);
	memset(iv, (int)i, sizeof(iv));
	if (!c || !ctx || !EVP_CipherInit_ex2(ctx, c, key, iv, i % 2 == 0, NULL) ||
	    !EVP_CIPHER_CTX_set_padding(ctx, 0)) {
		ERR_print_errors_fp(stderr);
		exit(2);
	}
	EVP_CIPHER_free(c);
	return ctx;
}

static bool same(const struct pair *pair, const struct play *p)
{
	int got_len = 0, want_len = 0, len = (int)p->length;

	for (unsigned i = 0; i < p->length; i += 61)
		in[p->offset + i]++;
	/* What a failed call left must not pass for an answer. */
	memset(got + p->offset, 0, p->length);
	return EVP_CipherUpdate(pair->ours, got + p->offset, &got_len, in + p->offset, len) &&
	       EVP_CipherUpdate(pair->theirs, want, &want_len, in + p->offset, len) &&
	       got_len == want_len && memcmp(got + p->offset, want, (size_t)want_len) == 0;
}

static bool all_same(const struct pair *pairs, const struct play *p)
{
	for (unsigned r = 0; r < p->requests; r++) {
		for (unsigned i = 0; i < p->contexts; i++) {
			if (same(&pairs[i], p) && ERR_peek_error() == 0)
				continue;
			printf("wrong: context %u, request %u\n", i, r);
			return false;
		}
	}
	return true;
}

static bool play(const struct play *p)
{
	static struct pair pairs[MAX_CONTEXTS];
	bool ok;

	for (unsigned i = 0; i < p->contexts; i++) {
		pairs[i].ours = start(p->cipher, NULL, i);
		pairs[i].theirs = start(p->cipher, "provider=default", i);
	}
	ok = all_same(pairs, p);
	for (unsigned i = 0; i < p->contexts; i++) {
		EVP_CIPHER_CTX_free(pairs[i].ours);
		EVP_CIPHER_CTX_free(pairs[i].theirs);
	}
	return ok;
}

int main(void)
{
	struct play p;
	char line[256];
	bool ok = true;

	in = aligned_alloc(PAGE, MAX_LENGTH + PAGE);
	got = aligned_alloc(PAGE, MAX_LENGTH + PAGE);
	want = aligned_alloc(PAGE, MAX_LENGTH + PAGE);
	if (!in || !got || !want)
		return 2;
	memset(in, 0x5a, MAX_LENGTH + PAGE);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%63s %u %u %u %u", p.cipher, &p.length, &p.requests, &p.contexts,
			   &p.offset) != 5 ||
		    p.length > MAX_LENGTH || p.contexts > MAX_CONTEXTS || p.offset >= PAGE)
			return 2;
		if (play(&p))
			puts("right");
		else
			ok = false;
		fflush(stdout);
	}
	return ok ? 0 : 1;
}
