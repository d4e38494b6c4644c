/* SPDX-License-Identifier: Apache-2.0 */
/* Every call is checked the same way, so that the list of them reads as a program. */
#include "workload.h"

#include <errno.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#define SENTINEL 4321 /* no errno */
#define SMALL	 1024
#define LARGE	 80000 /* two requests */
#define AGAIN	 65536
#define PATIENCE 64 /* requests: 4 MiB, more than two failures hold off */

static const unsigned char key[16] = "0123456789abcde", other_key[16] = "another key 123";
static const unsigned char iv[16] = "fedcba987654321", other_iv[16] = "another iv 1234";

static unsigned char plain[LARGE];
static const char *wrong;

static void must(bool ok, const char *what)
{
	if (!ok && !wrong)
		wrong = what;
}

/* The end of every call: it succeeded, and left no trace. */
static void done(bool ok, const char *what)
{
	must(ok, what);
	must(errno == SENTINEL, "errno was changed");
	must(!ERR_peek_error(), "something is in the error queue");
	errno = SENTINEL;
}

static EVP_CIPHER_CTX *fresh(OSSL_LIB_CTX *lib, struct workload *w)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, w->cipher, w->query);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	must(cipher && c, "fetch");
	must(!ERR_peek_error(), "fetching left an error");
	errno = SENTINEL;
	done(EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, 1), "init without a key");
	EVP_CIPHER_free(cipher);
	errno = SENTINEL;
	return c;
}

static void start(EVP_CIPHER_CTX *c, const unsigned char *k, const unsigned char *i, int enc)
{
	done(EVP_CipherInit_ex(c, NULL, NULL, k, i, enc), "init");
}

/* From @in to the transcript's end; @in NULL: in place there, what lies there already. */
static void update(struct workload *w, EVP_CIPHER_CTX *c, const unsigned char *in, int len)
{
	unsigned char *out = w->transcript + w->len;
	int n = 0;

	done(EVP_CipherUpdate(c, out, &n, in ? in : out, len), "update");
	w->len += (size_t)n;
}

static void end(struct workload *w, EVP_CIPHER_CTX *c)
{
	int n = 0;

	done(EVP_CipherFinal_ex(c, w->transcript + w->len, &n), "final");
	w->len += (size_t)n;
}

static void encrypt_and_decrypt(struct workload *w, EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *d)
{
	size_t from = w->len, len;

	start(a, key, iv, 1);
	update(w, a, plain, SMALL);
	end(w, a);
	len = w->len - from;
	memcpy(w->transcript + w->len, w->transcript + from, len);
	start(d, key, iv, 0);
	update(w, d, NULL, (int)len);
	end(w, d);
}

static void start_again_and_copy(struct workload *w, EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *copy)
{
	start(a, NULL, other_iv, 1);
	memcpy(w->transcript + w->len, plain, LARGE);
	update(w, a, NULL, LARGE);
	done(EVP_CIPHER_CTX_copy(copy, a), "copy");
	update(w, a, plain, SMALL + 7);
	update(w, copy, plain + 1, SMALL);
	update(w, a, plain + 2, SMALL);
}

static void another_key(struct workload *w, EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *second)
{
	start(second, other_key, iv, 1);
	update(w, second, plain, SMALL);
	start(a, other_key, other_iv, 1);
	update(w, a, plain, SMALL);
	update(w, second, plain, SMALL);
}

/* The context lives on: it is right, and goes to the kernel again. */
static void recover(struct workload *w, EVP_CIPHER_CTX *a)
{
	static unsigned char first[AGAIN];
	size_t at = w->len;
	bool well = false;

	for (int i = 0; i < PATIENCE && !well; i++) {
		w->len = at;
		start(a, NULL, iv, 1);
		update(w, a, plain, AGAIN);
		if (i == 0)
			memcpy(first, w->transcript + at, AGAIN);
		must(memcmp(first, w->transcript + at, AGAIN) == 0, "a later output is another");
		well = !w->recovered || w->recovered();
	}
	must(well, "no request went to the kernel any more");
}

static void let_go(EVP_CIPHER_CTX *c)
{
	EVP_CIPHER_CTX_free(c);
	done(true, "");
}

const char *workload_play(OSSL_LIB_CTX *lib, struct workload *w)
{
	EVP_CIPHER_CTX *a, *d, *copy, *second;

	wrong = NULL;
	w->len = 0;
	for (size_t i = 0; i < LARGE; i++)
		plain[i] = (unsigned char)(i * 11 + i / 256);
	a = fresh(lib, w);
	d = fresh(lib, w);
	second = fresh(lib, w);
	copy = EVP_CIPHER_CTX_new();
	errno = SENTINEL;
	encrypt_and_decrypt(w, a, d);
	start_again_and_copy(w, a, copy);
	another_key(w, a, second);
	let_go(copy);
	recover(w, a);
	let_go(a);
	let_go(d);
	let_go(second);
	return wrong;
}
