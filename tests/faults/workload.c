/* SPDX-License-Identifier: Apache-2.0 */
/* A cipher's workload. */
#include "faults/checked.h"

#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

#define SMALL 1024

static void start(EVP_CIPHER_CTX *c, const unsigned char *k, const unsigned char *i, int enc)
{
	checked_done(EVP_CipherInit_ex(c, NULL, NULL, k, i, enc), "init");
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
	checked_update(w, a, checked_plain, SMALL);
	if (w->begun)
		w->begun();
	end(w, a);
	len = w->len - from;
	memcpy(w->transcript + w->len, w->transcript + from, len);
	start(d, checked_key, checked_iv, 0);
	checked_update(w, d, NULL, len);
	end(w, d);
}

static void start_again_and_copy(struct workload *w, EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *copy)
{
	start(a, NULL, checked_other_iv, 1);
	memcpy(w->transcript + w->len, checked_plain, CHECKED_LARGE);
	checked_update(w, a, NULL, CHECKED_LARGE);
	checked_done(EVP_CIPHER_CTX_copy(copy, a), "copy");
	checked_update(w, a, checked_plain, SMALL + 7);
	checked_update(w, copy, checked_plain + 1, SMALL);
	checked_update(w, a, checked_plain + 2, SMALL);
}

static void another_key(struct workload *w, EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *second)
{
	start(second, checked_other_key, checked_iv, 1);
	checked_update(w, second, checked_plain, SMALL);
	start(a, checked_other_key, checked_other_iv, 1);
	checked_update(w, a, checked_plain, SMALL);
	checked_update(w, second, checked_plain, SMALL);
}

static void again(struct workload *w, void *ctx)
{
	start(ctx, NULL, checked_iv, 1);
	checked_update(w, ctx, checked_plain, CHECKED_AGAIN);
}

const char *workload_cipher(OSSL_LIB_CTX *lib, struct workload *w)
{
	EVP_CIPHER_CTX *a, *d, *copy, *second;

	checked_begin(w);
	a = checked_cipher(lib, w);
	d = checked_cipher(lib, w);
	second = checked_cipher(lib, w);
	copy = EVP_CIPHER_CTX_new();
	checked_ready();
	encrypt_and_decrypt(w, a, d);
	start_again_and_copy(w, a, copy);
	another_key(w, a, second);
	checked_free(copy);
	checked_recover(w, again, a);
	checked_free(a);
	checked_free(d);
	checked_free(second);
	return checked_end();
}
