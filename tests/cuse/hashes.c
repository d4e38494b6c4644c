/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes by libcrypto: started, continued and ended as the flags say. */
#include "cuse/hashes.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>

#include "kernel/devcrypto_abi.h"

const struct hash hashes[HASHES] = {
	{ CRYPTO_MD5, "md5", "MD5", 16, false },
	{ CRYPTO_SHA1, "sha1", "SHA1", 20, false },
	{ CRYPTO_SHA2_224, "sha224", "SHA224", 28, false },
	{ CRYPTO_SHA2_256, "sha256", "SHA256", 32, false },
	{ CRYPTO_SHA2_384, "sha384", "SHA384", 48, false },
	{ CRYPTO_SHA2_512, "sha512", "SHA512", 64, false },
	{ CRYPTO_RIPEMD160, "rmd160", "RIPEMD160", 20, false },
	{ CRYPTO_MD5_HMAC, "hmac(md5)", "MD5", 16, true },
	{ CRYPTO_SHA1_HMAC, "hmac(sha1)", "SHA1", 20, true },
	{ CRYPTO_SHA2_224_HMAC, "hmac(sha224)", "SHA224", 28, true },
	{ CRYPTO_SHA2_256_HMAC, "hmac(sha256)", "SHA256", 32, true },
	{ CRYPTO_SHA2_384_HMAC, "hmac(sha384)", "SHA384", 48, true },
	{ CRYPTO_SHA2_512_HMAC, "hmac(sha512)", "SHA512", 64, true },
	{ CRYPTO_RIPEMD160_HMAC, "hmac(rmd160)", "RIPEMD160", 20, true },
};

struct hash_state {
	const struct hash *hash;
	EVP_MD *md;
	EVP_MD_CTX *digest;
	EVP_MAC_CTX *hmac;
	bool has_begun;
};

static bool begin(struct hash_state *s)
{
	s->has_begun = s->hash->is_hmac ? EVP_MAC_init(s->hmac, NULL, 0, NULL) :
					  EVP_DigestInit_ex(s->digest, s->md, NULL);
	return s->has_begun;
}

static bool set_key(struct hash_state *s, const uint8_t *key, size_t key_len)
{
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("digest", (char *)(uintptr_t)s->hash->evp, 0),
		OSSL_PARAM_construct_end(),
	};

	s->hmac = mac ? EVP_MAC_CTX_new(mac) : NULL;
	EVP_MAC_free(mac);
	return s->hmac &&
	       EVP_MAC_init(s->hmac, key_len ? key : (const uint8_t *)"", key_len, params);
}

struct hash_state *hash_state_new(const struct hash *hash, const uint8_t *key, size_t key_len)
{
	struct hash_state *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->hash = hash;
	s->md = EVP_MD_fetch(NULL, hash->evp, NULL);
	s->digest = EVP_MD_CTX_new();
	if (s->md && s->digest && (!hash->is_hmac || set_key(s, key, key_len)) && begin(s))
		return s;
	hash_state_free(s);
	return NULL;
}

void hash_state_free(struct hash_state *s)
{
	if (!s)
		return;
	EVP_MD_CTX_free(s->digest);
	EVP_MAC_CTX_free(s->hmac);
	EVP_MD_free(s->md);
	free(s);
}

const struct hash *hash_state_hash(const struct hash_state *s)
{
	return s->hash;
}

bool hash_answers(unsigned flags, size_t len)
{
	return (flags & COP_FLAG_FINAL) || !(flags & COP_FLAG_UPDATE) || len == 0;
}

int hash_state_run(struct hash_state *s, unsigned flags, const uint8_t *in, size_t len,
		   uint8_t *out)
{
	size_t n = MAX_HASH;
	bool ok;

	if ((flags == 0 || (flags & COP_FLAG_RESET)) && !begin(s))
		return -EINVAL;
	if (!s->has_begun)
		return -EINVAL;
	ok = s->hash->is_hmac ? EVP_MAC_update(s->hmac, in, len) :
				EVP_DigestUpdate(s->digest, in, len);
	if (!ok)
		return -EINVAL;
	if (!hash_answers(flags, len))
		return 0;
	s->has_begun = false;
	ok = s->hash->is_hmac ? EVP_MAC_final(s->hmac, out, &n, MAX_HASH) :
				EVP_DigestFinal_ex(s->digest, out, NULL);
	return ok ? 1 : -EINVAL;
}
