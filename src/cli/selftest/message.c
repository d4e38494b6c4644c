/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of every kind of algorithm: lengths near the edges, in pieces, from any address. */
#include "cli/selftest/message.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#define SOFTWARE "provider!=kcrypto"

/* SplitMix64. */
uint64_t kc_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static size_t below(uint64_t *random, size_t n)
{
	return (size_t)(kc_random(random) % n);
}

static void fill(uint64_t *random, unsigned char *buf, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (unsigned char)kc_random(random);
}

/* Short, of a few pages, and around the largest request, a third each. */
static size_t some_length(uint64_t *random)
{
	switch (below(random, 3)) {
	case 0:
		return below(random, 300);
	case 1:
		return below(random, 3 * 4096);
	default:
		return KC_MESSAGE_MAX - below(random, 12000);
	}
}

/* XTS and ciphertext stealing take a message in one update, of a block at least. */
static bool is_whole(const struct kc_alg *alg)
{
	return alg->steals || alg->iv_rule == KC_IV_WHOLE || alg->family == KC_CCM;
}

static size_t fit_length(const struct kc_message *m, size_t len)
{
	const struct kc_alg *alg = m->alg;

	if (alg->kind != KC_CIPHER)
		return len ? len : 1;
	if (alg->steals || alg->iv_rule == KC_IV_WHOLE)
		return len < alg->block_len ? alg->block_len : len;
	return alg->stream || m->pads ? len : len / alg->block_len * alg->block_len;
}

static bool encrypt_first(struct kc_message *m, uint64_t *random, OSSL_LIB_CTX *software)
{
	static struct kc_outcome sealed;

	m->dir = KC_ENCRYPT;
	kc_message_run(m, software, SOFTWARE, &sealed);
	m->dir = KC_DECRYPT;
	memcpy(m->in + m->in_offset, sealed.out, m->len);
	memcpy(m->tag, sealed.tag, sizeof(m->tag));
	m->tag[below(random, sizeof(m->tag))] ^= (unsigned char)(below(random, 8) == 0);
	return sealed.ok;
}

bool kc_message_make(struct kc_message *m, const struct kc_alg *alg, bool is_plain,
		     uint64_t *random, OSSL_LIB_CTX *software)
{
	bool has_directions = alg->kind == KC_CIPHER || alg->kind == KC_AEAD;
	bool decrypts = has_directions && !is_plain && below(random, 2);

	m->alg = alg;
	m->dir = decrypts ? KC_DECRYPT : KC_ENCRYPT;
	m->pads = m->dir == KC_ENCRYPT && below(random, 2);
	m->len = fit_length(m, is_plain ? 4096 : some_length(random));
	m->piece =
		is_plain || is_whole(alg) || below(random, 4) ? m->len : 1 + below(random, 20000);
	m->in_offset = below(random, KC_MAX_BLOCK);
	m->key_len = alg->key_len ? alg->key_len : 1 + below(random, KC_MAX_KEY);
	m->aad_len = alg->kind == KC_AEAD ? below(random, KC_MAX_AAD) : 0;
	fill(random, m->key, sizeof(m->key));
	fill(random, m->iv, sizeof(m->iv));
	fill(random, m->aad, sizeof(m->aad));
	fill(random, m->in + m->in_offset, m->len);
	return alg->kind != KC_AEAD || m->dir == KC_ENCRYPT || encrypt_first(m, random, software);
}

/* Feeds the text piece by piece to an EVP update function. */
static int feed_cipher(const struct kc_message *m, EVP_CIPHER_CTX *ctx, struct kc_outcome *o)
{
	for (size_t done = 0, n; done < m->len; done += n) {
		int outl = 0;

		n = m->len - done < m->piece ? m->len - done : m->piece;
		if (!EVP_CipherUpdate(ctx, o->out + o->len, &outl, m->in + m->in_offset + done,
				      (int)n))
			return 0;
		o->len += (size_t)outl;
	}
	return 1;
}

static int start_cipher(const struct kc_message *m, EVP_CIPHER_CTX *ctx, const EVP_CIPHER *c)
{
	return EVP_CipherInit_ex(ctx, c, NULL, m->key, m->iv, m->dir == KC_ENCRYPT) &&
	       EVP_CIPHER_CTX_set_padding(ctx, m->pads);
}

/* CCM wants the tag or its length before the key. */
static int start_aead(const struct kc_message *m, EVP_CIPHER_CTX *ctx, const EVP_CIPHER *c)
{
	void *tag = m->dir == KC_DECRYPT ? (void *)(uintptr_t)m->tag : NULL;
	bool is_ccm = m->alg->family == KC_CCM;
	int n;

	return EVP_CipherInit_ex(ctx, c, NULL, NULL, NULL, m->dir == KC_ENCRYPT) &&
	       ((!tag && !is_ccm) ||
		EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, KC_MAX_TAG, tag)) &&
	       EVP_CipherInit_ex(ctx, NULL, NULL, m->key, m->iv, -1) &&
	       (!is_ccm || EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)m->len)) &&
	       (!m->aad_len || EVP_CipherUpdate(ctx, NULL, &n, m->aad, (int)m->aad_len));
}

static int finish(const struct kc_message *m, EVP_CIPHER_CTX *ctx, struct kc_outcome *o)
{
	bool is_aead = m->alg->kind == KC_AEAD;
	int n = 0;

	/* CCM's update has said whether the tag is right. */
	if (m->alg->family != KC_CCM || m->dir == KC_ENCRYPT) {
		if (!EVP_CipherFinal_ex(ctx, o->out + o->len, &n))
			return 0;
		o->len += (size_t)n;
	}
	return !is_aead || m->dir == KC_DECRYPT ||
	       EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, KC_MAX_TAG, o->tag);
}

static int run_cipher(const struct kc_message *m, OSSL_LIB_CTX *lib, const char *name,
		      const char *properties, struct kc_outcome *o)
{
	EVP_CIPHER *c = EVP_CIPHER_fetch(lib, name, properties);
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int ok = c && ctx &&
		 (m->alg->kind == KC_AEAD ? start_aead(m, ctx, c) : start_cipher(m, ctx, c)) &&
		 feed_cipher(m, ctx, o) && finish(m, ctx, o);

	EVP_CIPHER_CTX_free(ctx);
	EVP_CIPHER_free(c);
	return ok;
}

static int run_digest(const struct kc_message *m, OSSL_LIB_CTX *lib, const char *name,
		      const char *properties, struct kc_outcome *o)
{
	EVP_MD *md = EVP_MD_fetch(lib, name, properties);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	int ok = md && ctx && EVP_DigestInit_ex(ctx, md, NULL);
	unsigned n = 0;

	for (size_t done = 0; ok && done < m->len; done += m->piece)
		ok = EVP_DigestUpdate(ctx, m->in + m->in_offset + done,
				      m->len - done < m->piece ? m->len - done : m->piece);
	ok = ok && EVP_DigestFinal_ex(ctx, o->out, &n);
	o->len = n;
	EVP_MD_CTX_free(ctx);
	EVP_MD_free(md);
	return ok;
}

static int run_mac(const struct kc_message *m, OSSL_LIB_CTX *lib, const char *properties,
		   struct kc_outcome *o)
{
	char *inner = (char *)(uintptr_t)m->alg->inner;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(
			m->alg->key_len ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST, inner, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *mac = EVP_MAC_fetch(lib, m->alg->mac, properties);
	EVP_MAC_CTX *ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
	int ok = ctx && EVP_MAC_init(ctx, m->key, m->key_len, params);

	for (size_t done = 0; ok && done < m->len; done += m->piece)
		ok = EVP_MAC_update(ctx, m->in + m->in_offset + done,
				    m->len - done < m->piece ? m->len - done : m->piece);
	ok = ok && EVP_MAC_final(ctx, o->out, &o->len, sizeof(o->out));
	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(mac);
	return ok;
}

void kc_message_run(const struct kc_message *m, OSSL_LIB_CTX *lib, const char *properties,
		    struct kc_outcome *o)
{
	char name[KC_ALG_NAME_SIZE];

	memset(o, 0, sizeof(*o));
	kc_alg_name(m->alg, name, sizeof(name));
	if (m->alg->kind == KC_DIGEST)
		o->ok = run_digest(m, lib, name, properties, o);
	else if (m->alg->kind == KC_MAC)
		o->ok = run_mac(m, lib, properties, o);
	else
		o->ok = run_cipher(m, lib, name, properties, o);
	o->ok = o->ok > 0;
}

bool kc_outcome_is_same(const struct kc_outcome *a, const struct kc_outcome *b)
{
	return a->ok == b->ok && a->len == b->len && memcmp(a->out, b->out, a->len) == 0 &&
	       memcmp(a->tag, b->tag, sizeof(a->tag)) == 0;
}
