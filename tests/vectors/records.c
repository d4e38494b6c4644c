/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application: reads test records, computes each through EVP with the providers of its
 * openssl.cnf, and prints "ID VERDICT": right, or the step that failed or differed.
 *
 *   ID cipher|aead|digest|mac DIRECTIONS NAME INNER KEY IV AAD IN OUT TAG
 *
 * DIRECTIONS: e, d or ed. INNER: a MAC's digest or cipher; for a cipher, "pad" means padding. The
 * rest is hexadecimal, "-" for nothing. IN is the plaintext, OUT the ciphertext, the digest or the
 * MAC.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>

#define FIELDS	11
#define TAG_MAX 16

struct bytes {
	unsigned char *v;
	size_t n;
};

struct record {
	const char *id, *kind, *directions, *name, *inner;
	struct bytes key, iv, aad, in, out, tag;
};

static struct bytes from_hex(const char *hex)
{
	struct bytes b = { malloc(strlen(hex) / 2 + 1), 0 };
	unsigned byte;

	if (!b.v)
		abort();
	for (; sscanf(hex, "%2x", &byte) == 1 && hex[1]; hex += 2)
		b.v[b.n++] = (unsigned char)byte;
	return b;
}

static bool same(const unsigned char *got, size_t n, struct bytes want)
{
	return n == want.n && memcmp(got, want.v, n) == 0;
}

/* NULL: fine; else the step that failed. */
static const char *set_up(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, const struct record *r,
			  bool is_aead, bool enc)
{
	bool is_ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
	void *tag = enc ? NULL : r->tag.v;

	if (!EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, enc, NULL))
		return "init";
	if (is_aead && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)r->iv.n, NULL) <= 0)
		return "iv-length";
	if (is_aead && (is_ccm || !enc) &&
	    EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)r->tag.n, tag) <= 0)
		return "tag-length";
	if ((int)r->key.n != EVP_CIPHER_CTX_get_key_length(ctx) &&
	    EVP_CIPHER_CTX_set_key_length(ctx, (int)r->key.n) <= 0)
		return "key-length";
	if (!is_aead && (int)r->iv.n != EVP_CIPHER_CTX_get_iv_length(ctx))
		return "iv-length";
	if (!EVP_CipherInit_ex2(ctx, NULL, r->key.v, r->iv.n ? r->iv.v : NULL, enc, NULL))
		return "key";
	if (!is_aead && !EVP_CIPHER_CTX_set_padding(ctx, strcmp(r->inner, "pad") == 0))
		return "padding";
	return NULL;
}

static const char *feed(EVP_CIPHER_CTX *ctx, const struct record *r, bool is_aead, bool enc,
			unsigned char *got)
{
	struct bytes in = enc ? r->in : r->out, want = enc ? r->out : r->in;
	bool is_ccm = EVP_CIPHER_CTX_get_mode(ctx) == EVP_CIPH_CCM_MODE;
	unsigned char tag[TAG_MAX];
	int n = 0, more = 0;

	if (is_ccm && !EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)in.n))
		return "length";
	if (r->aad.n && !EVP_CipherUpdate(ctx, NULL, &n, r->aad.v, (int)r->aad.n))
		return "aad";
	n = 0;
	if ((in.n || is_ccm) && !EVP_CipherUpdate(ctx, got, &n, in.v, (int)in.n))
		return "update";
	if (!(is_ccm && !enc) && !EVP_CipherFinal_ex(ctx, got + n, &more))
		return "final";
	if (!same(got, (size_t)n + (size_t)more, want))
		return "differs";
	if (is_aead && enc &&
	    EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)r->tag.n, tag) <= 0)
		return "tag";
	return is_aead && enc && !same(tag, r->tag.n, r->tag) ? "tag-differs" : NULL;
}

static const char *crypt_once(const struct record *r, const EVP_CIPHER *cipher, bool enc)
{
	bool is_aead = strcmp(r->kind, "aead") == 0;
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	unsigned char *got = malloc(r->in.n + r->out.n + 2 * EVP_MAX_BLOCK_LENGTH);
	const char *bad;

	if (!ctx || !got || r->tag.n > TAG_MAX)
		abort();
	bad = set_up(ctx, cipher, r, is_aead, enc);
	if (!bad)
		bad = feed(ctx, r, is_aead, enc, got);
	EVP_CIPHER_CTX_free(ctx);
	free(got);
	return bad;
}

static const char *play_cipher(const struct record *r)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, r->name, NULL);
	const char *bad = cipher ? NULL : "absent";

	for (const char *d = r->directions; !bad && *d; d++)
		bad = crypt_once(r, cipher, *d == 'e');
	EVP_CIPHER_free(cipher);
	return bad;
}

static const char *play_digest(const struct record *r)
{
	EVP_MD *md = EVP_MD_fetch(NULL, r->name, NULL);
	unsigned char got[EVP_MAX_MD_SIZE];
	unsigned n = 0;
	const char *bad = md ? NULL : "absent";

	if (!bad && !EVP_Digest(r->in.v, r->in.n, got, &n, md, NULL))
		bad = "digest";
	if (!bad && !same(got, n, r->out))
		bad = "differs";
	EVP_MD_free(md);
	return bad;
}

/* A shorter MAC is the beginning of the whole one. */
static const char *play_mac(const struct record *r)
{
	const char *inner =
		strcmp(r->name, "HMAC") == 0 ? OSSL_MAC_PARAM_DIGEST : OSSL_MAC_PARAM_CIPHER;
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string(inner, (char *)r->inner, 0),
				OSSL_PARAM_construct_end() };
	EVP_MAC *mac = EVP_MAC_fetch(NULL, r->name, NULL);
	EVP_MAC_CTX *ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
	unsigned char got[EVP_MAX_MD_SIZE];
	const char *bad = ctx ? NULL : "absent";
	size_t n = 0;

	if (!bad && !EVP_MAC_init(ctx, r->key.v, r->key.n, params))
		bad = "key";
	if (!bad && !EVP_MAC_update(ctx, r->in.v, r->in.n))
		bad = "update";
	if (!bad && !EVP_MAC_final(ctx, got, &n, sizeof(got)))
		bad = "final";
	if (!bad && (n < r->out.n || !same(got, r->out.n, r->out)))
		bad = "differs";
	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(mac);
	return bad;
}

static void play(char *const *f)
{
	struct record r = { f[0], f[1], f[2], f[3], f[4] };
	struct bytes *all[] = { &r.key, &r.iv, &r.aad, &r.in, &r.out, &r.tag };
	const char *bad;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		*all[i] = from_hex(f[5 + i]);
	if (strcmp(r.kind, "digest") == 0)
		bad = play_digest(&r);
	else
		bad = strcmp(r.kind, "mac") == 0 ? play_mac(&r) : play_cipher(&r);
	printf("%s %s\n", r.id, bad ? bad : "right");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]->v);
}

int main(void)
{
	char *line = NULL, *field[FIELDS], *rest;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		size_t n = 0;

		for (char *p = strtok_r(line, " \n", &rest); p && n < FIELDS;
		     p = strtok_r(NULL, " \n", &rest))
			field[n++] = p;
		if (n != FIELDS) {
			fprintf(stderr, "records: %zu fields and not %d\n", n, FIELDS);
			return 1;
		}
		play(field);
	}
	free(line);
	return fflush(stdout) == 0 ? 0 : 1;
}
