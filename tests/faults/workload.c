/* SPDX-License-Identifier: Apache-2.0 */
/* A cipher's. */
#include "faults/checked.h"

#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#define SMALL 1024

static EVP_CIPHER_CTX *fresh(OSSL_LIB_CTX *lib, struct workload *w)
{
	EVP_CIPHER *cipher;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	checked_ready();
	cipher = EVP_CIPHER_fetch(lib, w->name, w->query);
	checked_must(cipher && c, "fetch");
	checked_must(!ERR_peek_error(), "fetching left an error");
	checked_ready();
	checked_done(EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, 1), "init without a key");
	EVP_CIPHER_free(cipher);
	return c;
}

static void start(EVP_CIPHER_CTX *c, const unsigned char *k, const unsigned char *i, int enc)
{
	checked_done(EVP_CipherInit_ex(c, NULL, NULL, k, i, enc), "init");
}

/* From @in to the transcript's end; @in NULL: in place there, what lies there already. */
static void update(struct workload *w, EVP_CIPHER_CTX *c, const unsigned char *in, int len)
{
	unsigned char *out = w->transcript + w->len;
	int n = 0;

	checked_done(EVP_CipherUpdate(c, out, &n, in ? in : out, len), "update");
	w->len += (size_t)n;
}

static void end(struct workload *w, EVP_CIPHER_CTX *c)
{
	int n = 0;

	checked_done(EVP_CipherFinal_ex(c, w->transcript + w->len, &n), "final");
	w->len += (size_t)n;
}

static void encrypt_and_decrypt(struct workload *w, EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *d)
{
	size_t from = w->len, len;

	start(a, checked_key, checked_iv, 1);
	update(w, a, checked_plain, SMALL);
	if (w->begun)
		w->begun();
	end(w, a);
	len = w->len - from;
	memcpy(w->transcript + w->len, w->transcript + from, len);
	start(d, checked_key, checked_iv, 0);
	update(w, d, NULL, (int)len);
	end(w, d);
}

static void start_again_and_copy(struct workload *w, EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *copy)
{
	start(a, NULL, checked_other_iv, 1);
	memcpy(w->transcript + w->len, checked_plain, CHECKED_LARGE);
	update(w, a, NULL, CHECKED_LARGE);
	checked_done(EVP_CIPHER_CTX_copy(copy, a), "copy");
	update(w, a, checked_plain, SMALL + 7);
	update(w, copy, checked_plain + 1, SMALL);
	update(w, a, checked_plain + 2, SMALL);
}

static void another_key(struct workload *w, EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *second)
{
	start(second, checked_other_key, checked_iv, 1);
	update(w, second, checked_plain, SMALL);
	start(a, checked_other_key, checked_other_iv, 1);
	update(w, a, checked_plain, SMALL);
	update(w, second, checked_plain, SMALL);
}

static void again(struct workload *w, void *ctx)
{
	start(ctx, NULL, checked_iv, 1);
	update(w, ctx, checked_plain, CHECKED_AGAIN);
}

static void let_go(EVP_CIPHER_CTX *c)
{
	EVP_CIPHER_CTX_free(c);
	checked_done(true, "");
}

const char *workload_cipher(OSSL_LIB_CTX *lib, struct workload *w)
{
	EVP_CIPHER_CTX *a, *d, *copy, *second;

	checked_begin(w);
	a = fresh(lib, w);
	d = fresh(lib, w);
	second = fresh(lib, w);
	copy = EVP_CIPHER_CTX_new();
	checked_ready();
	encrypt_and_decrypt(w, a, d);
	start_again_and_copy(w, a, copy);
	another_key(w, a, second);
	let_go(copy);
	checked_recover(w, again, a);
	let_go(a);
	let_go(d);
	let_go(second);
	return checked_end();
}
