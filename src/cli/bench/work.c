/* SPDX-License-Identifier: Apache-2.0 */
/* A program's use of each kind of algorithm, over and over. */
#include "cli/bench/work.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "cli/tls/connection.h"

#define AAD_LEN 13 /* bytes, as in a TLS record */

/* Not secret; XTS refuses a key of two equal halves. */
static const unsigned char key[KC_MAX_KEY] =
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-+";
static const unsigned char iv[KC_MAX_IV];

static int as_stream(struct kc_work *w)
{
	int n;

	return EVP_CipherUpdate(w->cipher, w->out, &n, w->in, (int)w->size);
}

/* The key stays. */
static int restart(struct kc_work *w)
{
	return EVP_CipherInit_ex(w->cipher, NULL, NULL, NULL, iv, -1);
}

/* With ciphertext stealing, each message is one update. */
static int as_message(struct kc_work *w)
{
	return restart(w) && as_stream(w);
}

static int declare_length(struct kc_work *w)
{
	int n;

	return w->alg->family != KC_CCM ||
	       EVP_CipherUpdate(w->cipher, NULL, &n, NULL, (int)w->size);
}

static int sealed(struct kc_work *w)
{
	static const unsigned char aad[AAD_LEN];
	int n;

	return restart(w) && declare_length(w) &&
	       EVP_CipherUpdate(w->cipher, NULL, &n, aad, AAD_LEN) && as_stream(w) &&
	       EVP_CipherFinal_ex(w->cipher, w->out + w->size, &n);
}

/* CCM tells at the update whether the tag was right, and has no final. */
static int unsealed(struct kc_work *w)
{
	static const unsigned char aad[AAD_LEN];
	int n;

	return restart(w) &&
	       EVP_CIPHER_CTX_ctrl(w->cipher, EVP_CTRL_AEAD_SET_TAG, KC_MAX_TAG, w->tag) &&
	       declare_length(w) && EVP_CipherUpdate(w->cipher, NULL, &n, aad, AAD_LEN) &&
	       as_stream(w) &&
	       (w->alg->family == KC_CCM || EVP_CipherFinal_ex(w->cipher, w->out + w->size, &n));
}

static int hashed(struct kc_work *w)
{
	return EVP_DigestInit_ex(w->digest, w->md, NULL) &&
	       EVP_DigestUpdate(w->digest, w->in, w->size) &&
	       EVP_DigestFinal_ex(w->digest, w->out, NULL);
}

static int authenticated(struct kc_work *w)
{
	size_t n;

	return EVP_MAC_init(w->mac, NULL, 0, NULL) && EVP_MAC_update(w->mac, w->in, w->size) &&
	       EVP_MAC_final(w->mac, w->out, &n, KC_MAX_OUT);
}

static int set_key(struct kc_work *w, const EVP_CIPHER *c, int encrypt)
{
	bool is_ccm = w->alg->kind == KC_AEAD && w->alg->family == KC_CCM;

	return EVP_CipherInit_ex(w->cipher, c, NULL, NULL, NULL, encrypt) &&
	       (!is_ccm ||
		EVP_CIPHER_CTX_ctrl(w->cipher, EVP_CTRL_AEAD_SET_TAG, KC_MAX_TAG, NULL)) &&
	       EVP_CipherInit_ex(w->cipher, NULL, NULL, key, iv, encrypt) &&
	       EVP_CIPHER_CTX_set_padding(w->cipher, 0);
}

/* Makes a message to open, with the contender under test. */
static int begin_unsealing(struct kc_work *w, const EVP_CIPHER *c)
{
	int ok = set_key(w, c, 1) && sealed(w) &&
		 EVP_CIPHER_CTX_ctrl(w->cipher, EVP_CTRL_AEAD_GET_TAG, KC_MAX_TAG, w->tag);

	memcpy(w->in, w->out, w->size);
	return ok && set_key(w, c, 0);
}

static int begin_cipher(struct kc_work *w, OSSL_LIB_CTX *lib, const char *name,
			const char *properties)
{
	EVP_CIPHER *c = EVP_CIPHER_fetch(lib, name, properties);
	bool is_aead = w->alg->kind == KC_AEAD, encrypts = w->dir == KC_ENCRYPT;
	int ok;

	w->cipher = EVP_CIPHER_CTX_new();
	if (is_aead)
		w->once = encrypts ? sealed : unsealed;
	else
		w->once = w->alg->steals ? as_message : as_stream;
	ok = c && w->cipher &&
	     (is_aead && !encrypts ? begin_unsealing(w, c) : set_key(w, c, encrypts));
	EVP_CIPHER_free(c);
	return ok;
}

static int begin_digest(struct kc_work *w, OSSL_LIB_CTX *lib, const char *name,
			const char *properties)
{
	w->md = EVP_MD_fetch(lib, name, properties);
	w->digest = EVP_MD_CTX_new();
	w->once = hashed;
	return w->md && w->digest;
}

static int begin_mac(struct kc_work *w, OSSL_LIB_CTX *lib, const char *properties)
{
	EVP_MAC *mac = EVP_MAC_fetch(lib, w->alg->mac, properties);
	char *inner = (char *)(uintptr_t)w->alg->inner;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(
			w->alg->key_len ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST, inner, 0),
		OSSL_PARAM_construct_end(),
	};

	w->mac = mac ? EVP_MAC_CTX_new(mac) : NULL;
	EVP_MAC_free(mac);
	w->once = authenticated;
	return w->mac && EVP_MAC_init(w->mac, key, w->alg->key_len ? w->alg->key_len : 32, params);
}

static int passed(struct kc_work *w)
{
	return kc_tls_pass(w->tls, w->in, w->out, w->size);
}

static int begin(struct kc_work *w, const struct kc_alg *alg, enum kc_dir dir, size_t size)
{
	memset(w, 0, sizeof(*w));
	w->alg = alg;
	w->dir = dir;
	w->size = size;
	w->in = calloc(1, size);
	w->out = calloc(1, size + KC_MAX_OUT);
	return w->in && w->out;
}

int kc_work_begin_records(struct kc_work *w, OSSL_LIB_CTX *lib, const struct kc_alg *alg,
			  bool is_ktls, size_t size)
{
	const char *why;

	if (!begin(w, alg, KC_ENCRYPT, size))
		return 0;
	w->tls = kc_tls_open(lib, alg, is_ktls, &why);
	w->once = passed;
	return w->tls != NULL;
}

int kc_work_begin(struct kc_work *w, OSSL_LIB_CTX *lib, const char *properties,
		  const struct kc_alg *alg, enum kc_dir dir, size_t size)
{
	char name[KC_ALG_NAME_SIZE];

	if (!begin(w, alg, dir, size))
		return 0;
	kc_alg_name(alg, name, sizeof(name));
	if (alg->kind == KC_DIGEST)
		return begin_digest(w, lib, name, properties);
	if (alg->kind == KC_MAC)
		return begin_mac(w, lib, properties);
	return begin_cipher(w, lib, name, properties);
}

void kc_work_end(struct kc_work *w)
{
	EVP_CIPHER_CTX_free(w->cipher);
	EVP_MD_CTX_free(w->digest);
	EVP_MD_free(w->md);
	EVP_MAC_CTX_free(w->mac);
	kc_tls_close(w->tls);
	free(w->in);
	free(w->out);
	memset(w, 0, sizeof(*w));
}
