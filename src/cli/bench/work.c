/* SPDX-License-Identifier: Apache-2.0 */
/* A program's use of each kind of algorithm. */
#include "cli/bench/work.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#define AAD_LEN	  13 /* bytes, as in a TLS record, like the next */
#define NONCE_LEN 12

static bool is_ccm(const struct kc_message *m)
{
	return m->alg->kind == KC_AEAD && m->alg->family == KC_CCM;
}

static int update(struct kc_work *w, const unsigned char *in, size_t len)
{
	int n = 0;

	if (w->digest)
		return EVP_DigestUpdate(w->digest, in, len);
	if (w->mac)
		return EVP_MAC_update(w->mac, in, len);
	if (!EVP_CipherUpdate(w->cipher, w->out + w->out_len, &n, in, (int)len))
		return 0;
	w->out_len += (size_t)n;
	return 1;
}

static int text(struct kc_work *w)
{
	const struct kc_message *m = w->message;
	int ok = 1;

	for (size_t done = 0; ok && done < m->len; done += m->piece)
		ok = update(w, m->in + done, kc_min(m->len - done, m->piece));
	return ok;
}

/* Begins a message with the same key. CCM needs the text's length before the text. */
static int start_cipher(struct kc_work *w)
{
	const struct kc_message *m = w->message;
	bool opens = m->alg->kind == KC_AEAD && m->dir == KC_DECRYPT;
	void *tag = (void *)(uintptr_t)m->tag;
	int n;

	if (!EVP_CipherInit_ex(w->cipher, NULL, NULL, NULL, m->iv, -1))
		return 0;
	if (opens && !EVP_CIPHER_CTX_ctrl(w->cipher, EVP_CTRL_AEAD_SET_TAG, KC_MAX_TAG, tag))
		return 0;
	if (is_ccm(m) && !EVP_CipherUpdate(w->cipher, NULL, &n, NULL, (int)m->len))
		return 0;
	if (!m->aad_len)
		return 1;
	return EVP_CipherUpdate(w->cipher, NULL, &n, m->aad, (int)m->aad_len);
}

/* CCM's update has reported whether the tag is right. */
static int finish_cipher(struct kc_work *w)
{
	const struct kc_message *m = w->message;
	int n = 0;
	bool is_over = is_ccm(m) && m->dir == KC_DECRYPT;

	if (!is_over && !EVP_CipherFinal_ex(w->cipher, w->out + w->out_len, &n))
		return 0;
	w->out_len += (size_t)n;
	if (m->alg->kind != KC_AEAD || m->dir == KC_DECRYPT)
		return 1;
	return EVP_CIPHER_CTX_ctrl(w->cipher, EVP_CTRL_AEAD_GET_TAG, KC_MAX_TAG, w->tag);
}

static int finish_digest(struct kc_work *w)
{
	unsigned n = 0;
	int ok = EVP_DigestFinal_ex(w->digest, w->out, &n);

	w->out_len = n;
	return ok;
}

static int start_message(struct kc_work *w)
{
	if (w->digest)
		return EVP_DigestInit_ex(w->digest, NULL, NULL);
	if (w->mac)
		return EVP_MAC_init(w->mac, NULL, 0, NULL);
	return start_cipher(w);
}

int kc_work_message(struct kc_work *w)
{
	w->out_len = 0;
	if (!start_message(w) || !text(w))
		return 0;
	if (w->digest)
		return finish_digest(w);
	if (w->mac)
		return EVP_MAC_final(w->mac, w->out, &w->out_len, KC_MAX_OUT);
	return finish_cipher(w);
}

int kc_work_update(struct kc_work *w)
{
	int n;

	return EVP_CipherUpdate(w->cipher, w->out, &n, w->message->in, (int)w->message->len);
}

/*
 * CCM needs the tag's length before the key. If a program once turns padding off, EVP repeats that
 * at each init; programs do not turn it off for AEADs.
 */
static int begin_cipher(struct kc_work *w, OSSL_LIB_CTX *lib, const char *name,
			const char *properties)
{
	const struct kc_message *m = w->message;
	EVP_CIPHER *c = EVP_CIPHER_fetch(lib, name, properties);
	int encrypt = m->dir == KC_ENCRYPT, ok;

	w->cipher = EVP_CIPHER_CTX_new();
	ok = c && w->cipher && EVP_CipherInit_ex(w->cipher, c, NULL, NULL, NULL, encrypt);
	if (ok && is_ccm(m))
		ok = EVP_CIPHER_CTX_ctrl(w->cipher, EVP_CTRL_AEAD_SET_TAG, KC_MAX_TAG, NULL);
	if (ok && m->nonce_len)
		ok = EVP_CIPHER_CTX_ctrl(w->cipher, EVP_CTRL_AEAD_SET_IVLEN, m->nonce_len, NULL);
	if (ok)
		ok = EVP_CipherInit_ex(w->cipher, NULL, NULL, m->key, m->iv, encrypt);
	if (ok && !(EVP_CIPHER_get_flags(c) & EVP_CIPH_FLAG_AEAD_CIPHER))
		ok = EVP_CIPHER_CTX_set_padding(w->cipher, m->pads);
	EVP_CIPHER_free(c);
	return ok;
}

static int begin_digest(struct kc_work *w, OSSL_LIB_CTX *lib, const char *name,
			const char *properties)
{
	EVP_MD *md = EVP_MD_fetch(lib, name, properties);
	int ok;

	w->digest = EVP_MD_CTX_new();
	ok = md && w->digest && EVP_DigestInit_ex(w->digest, md, NULL);
	EVP_MD_free(md);
	return ok;
}

static int begin_mac(struct kc_work *w, OSSL_LIB_CTX *lib, const char *properties)
{
	const struct kc_alg *alg = w->message->alg;
	EVP_MAC *mac = EVP_MAC_fetch(lib, alg->mac, properties);
	char *inner = (char *)(uintptr_t)kc_alg_name(&kc_algs[alg->inner]);
	const char *key = alg->key_len ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(key, inner, 0),
		OSSL_PARAM_construct_end(),
	};

	if (!mac)
		return 0;
	w->mac = EVP_MAC_CTX_new(mac);
	EVP_MAC_free(mac);
	if (!w->mac)
		return 0;
	return EVP_MAC_init(w->mac, w->message->key, w->message->key_len, params);
}

int kc_work_begin(struct kc_work *w, const struct kc_message *message, OSSL_LIB_CTX *lib,
		  const char *properties, unsigned char *out)
{
	const char *name = kc_alg_name(message->alg);

	*w = (struct kc_work){ .message = message, .out = out };
	if (message->alg->kind == KC_DIGEST)
		return begin_digest(w, lib, name, properties);
	if (message->alg->kind == KC_MAC)
		return begin_mac(w, lib, properties);
	return begin_cipher(w, lib, name, properties);
}

/* XTS refuses a key of two equal halves. */
struct kc_message kc_message_of(const struct kc_alg *alg, enum kc_dir dir, size_t len,
				const unsigned char *in)
{
	struct kc_message m = {
		.alg = alg,
		.dir = dir,
		.len = len,
		.piece = len,
		.key_len = alg->key_len ? alg->key_len : 32,
		.key = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-",
		.in = in,
	};

	if (alg->kind == KC_AEAD)
		m.aad_len = AAD_LEN;
	if (is_ccm(&m))
		m.nonce_len = NONCE_LEN;
	return m;
}

void kc_work_end(struct kc_work *w)
{
	EVP_CIPHER_CTX_free(w->cipher);
	EVP_MD_CTX_free(w->digest);
	EVP_MAC_CTX_free(w->mac);
	*w = (struct kc_work){ .out = NULL };
}

int kc_message_seal(struct kc_message *m, unsigned char *in, OSSL_LIB_CTX *lib,
		    const char *properties)
{
	struct kc_work w;
	int ok;

	m->dir = KC_ENCRYPT;
	ok = kc_work_begin(&w, m, lib, properties, in) && kc_work_message(&w);
	m->dir = KC_DECRYPT;
	memcpy(m->tag, w.tag, sizeof(m->tag));
	kc_work_end(&w);
	return ok;
}
