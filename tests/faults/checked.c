/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the first failure. */
#include "faults/checked.h"

#include <errno.h>
#include <string.h>

#include <openssl/err.h>

#define SENTINEL 4321 /* no errno */
#define PATIENCE 70   /* requests: 4 MiB, more than two failures hold off */

const unsigned char checked_key[33] = "0123456789abcdef0123456789ABCDEF";
const unsigned char checked_other_key[33] = "another key 1234another key 5678";
const unsigned char checked_iv[17] = "fedcba987654321.";
const unsigned char checked_other_iv[17] = "another iv 1234.";
unsigned char checked_plain[CHECKED_LARGE];

static const char *wrong;

void checked_begin(struct workload *w)
{
	wrong = NULL;
	w->len = 0;
	for (size_t i = 0; i < CHECKED_LARGE; i++)
		checked_plain[i] = (unsigned char)(i * 11 + i / 256);
}

const char *checked_end(void)
{
	return wrong;
}

void checked_must(bool ok, const char *what)
{
	if (!ok && !wrong)
		wrong = what;
}

void checked_ready(void)
{
	ERR_clear_error();
	errno = SENTINEL;
}

void checked_done(bool ok, const char *what)
{
	checked_must(ok, what);
	checked_must(errno == SENTINEL, "errno was changed");
	checked_must(!ERR_peek_error(), "something is in the error queue");
	errno = SENTINEL;
}

bool checked_may_fail(bool ok)
{
	if (ok)
		checked_done(true, "");
	else
		checked_ready();
	return ok;
}

EVP_CIPHER_CTX *checked_cipher(OSSL_LIB_CTX *lib, struct workload *w)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	EVP_CIPHER *cipher;

	checked_ready();
	cipher = EVP_CIPHER_fetch(lib, w->name, w->query);
	checked_must(cipher && c, "fetch");
	checked_must(!ERR_peek_error(), "fetching left an error");
	checked_ready();
	checked_done(EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, 1), "init without a key");
	EVP_CIPHER_free(cipher);
	return c;
}

void checked_update(struct workload *w, EVP_CIPHER_CTX *c, const unsigned char *in, size_t len)
{
	unsigned char *out = w->transcript + w->len;
	int n = 0;

	checked_done(EVP_CipherUpdate(c, out, &n, in ? in : out, (int)len), "update");
	w->len += (size_t)n;
}

void checked_free(EVP_CIPHER_CTX *c)
{
	EVP_CIPHER_CTX_free(c);
	checked_done(true, "");
}

void checked_verdict(struct workload *w, bool ok)
{
	w->transcript[w->len++] = ok;
}

void checked_recover(struct workload *w, void (*again)(struct workload *w, void *ctx), void *ctx)
{
	static unsigned char first[CHECKED_AGAIN];
	size_t at = w->len;
	bool well = false;

	for (int i = 0; i < PATIENCE && !well; i++) {
		w->len = at;
		again(w, ctx);
		if (i == 0)
			memcpy(first, w->transcript + at, w->len - at);
		checked_must(memcmp(first, w->transcript + at, w->len - at) == 0,
			     "a later output is another");
		well = !w->recovered || w->recovered();
	}
	checked_must(well, "no request went to the kernel any more");
}
