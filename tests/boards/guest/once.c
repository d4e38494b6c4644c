/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/guest/once.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

static const unsigned char key[64] =
	"0123456789abcdefFEDCBA9876543210the other half of a key for XTS";
static const unsigned char iv[16] = "a nonce, or an I";
static const unsigned char aad[13] = "of a record.";

bool once_find(OSSL_LIB_CTX *ctx, const char *name, struct once *o)
{
	memset(o, 0, sizeof(*o));
	for (o->alg = kc_algs; o->alg < kc_algs + KC_ALG_COUNT; o->alg++)
		if (strcmp(kc_alg_name(o->alg), name) == 0)
			return row_fetch_both(ctx, o->alg, &o->of[0], &o->of[1]);
	return false;
}

void once_release(struct once *o)
{
	for (int i = 0; i < 4; i++)
		EVP_CIPHER_CTX_free(o->kept[i / 2][i % 2]);
	row_release(&o->of[0]);
	row_release(&o->of[1]);
}

static EVP_CIPHER_CTX *new_context(const struct once *o, int side, bool encrypts)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	EVP_CipherInit_ex2(c, o->of[side].cipher, key, NULL, encrypts, NULL);
	return c;
}

void once_keep(struct once *o)
{
	for (int i = 0; i < 4 && o->alg->kind == KC_CIPHER; i++)
		o->kept[i / 2][i % 2] = new_context(o, i / 2, i % 2);
}

static bool run_cipher(const struct once *o, int side, bool encrypts, const unsigned char *in,
		       size_t len, unsigned char *out)
{
	EVP_CIPHER_CTX *kept = o->kept[side][encrypts];
	EVP_CIPHER_CTX *c = kept ? kept : new_context(o, side, encrypts);
	int n = 0;
	bool ok = EVP_CipherInit_ex2(c, NULL, NULL, iv, encrypts, NULL) &&
		  EVP_CIPHER_CTX_set_padding(c, 0) && row_update(c, out, &n, in, (int)len);

	if (!kept)
		EVP_CIPHER_CTX_free(c);
	return ok;
}

static bool begin_aead(EVP_CIPHER_CTX *c, EVP_CIPHER *cipher, bool encrypts, int len,
		       const unsigned char *tag)
{
	bool is_ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
	int n;

	if (!EVP_CipherInit_ex(c, cipher, NULL, NULL, NULL, encrypts) ||
	    EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) <= 0)
		return false;
	if ((is_ccm || !encrypts) &&
	    EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16,
				encrypts ? NULL : (void *)(uintptr_t)tag) <= 0)
		return false;
	return EVP_CipherInit_ex(c, NULL, NULL, key, iv, encrypts) &&
	       (!is_ccm || EVP_CipherUpdate(c, NULL, &n, NULL, len)) &&
	       EVP_CipherUpdate(c, NULL, &n, aad, sizeof(aad));
}

static bool run_aead(EVP_CIPHER *cipher, bool encrypts, const unsigned char *in, size_t len,
		     unsigned char *out, const unsigned char *tag)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	bool has_final = encrypts || EVP_CIPHER_get_mode(cipher) != EVP_CIPH_CCM_MODE;
	unsigned char rest[16];
	int n = 0;
	bool ok = begin_aead(c, cipher, encrypts, (int)len, tag) &&
		  EVP_CipherUpdate(c, out, &n, in, (int)len) &&
		  (!has_final || EVP_CipherFinal_ex(c, rest, &n)) &&
		  (!encrypts || EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out + len) > 0);

	EVP_CIPHER_CTX_free(c);
	return ok;
}

static bool run_mac(const struct kc_alg *alg, EVP_MAC *mac, const unsigned char *in, size_t len,
		    unsigned char *out)
{
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(mac);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(
			alg->key_len ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST,
			(char *)(uintptr_t)kc_alg_name(&kc_algs[alg->inner]), 0),
		OSSL_PARAM_END,
	};
	size_t n;
	bool ok = EVP_MAC_init(c, key, alg->key_len ? alg->key_len : 20, params) &&
		  EVP_MAC_update(c, in, len) && EVP_MAC_final(c, out, &n, ONCE_TAIL);

	EVP_MAC_CTX_free(c);
	return ok;
}

bool once_run(const struct once *o, int side, bool encrypts, const unsigned char *in, size_t len,
	      unsigned char *out, const unsigned char *tag)
{
	const struct row_of *of = &o->of[side];
	bool ok;

	if (of->md)
		ok = EVP_Digest(in, len, out + len, NULL, of->md, NULL);
	else if (of->mac)
		ok = run_mac(o->alg, of->mac, in, len, out + len);
	else if (o->alg->kind == KC_AEAD)
		ok = run_aead(of->cipher, encrypts, in, len, out, tag);
	else
		ok = run_cipher(o, side, encrypts, in, len, out);
	ERR_clear_error();
	return ok;
}

double once_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static FILE *open_engine(const char *suffix, const char *how)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", getenv("KC_ENGINE") ? getenv("KC_ENGINE") : "",
		 suffix);
	f = fopen(path, how);
	if (!f) {
		perror(path);
		exit(2);
	}
	return f;
}

struct engine engine_read(void)
{
	FILE *f = open_engine("", "r");
	struct engine e;

	if (fscanf(f, "requests %llu bytes %llu faults %llu", &e.requests, &e.bytes, &e.faults) !=
	    3) {
		fprintf(stderr, "KC_ENGINE names no counters\n");
		exit(2);
	}
	fclose(f);
	return e;
}

void engine_fault(const char *word)
{
	FILE *f = open_engine(".fault", "w");

	fprintf(f, "%s\n", word);
	fclose(f);
}
