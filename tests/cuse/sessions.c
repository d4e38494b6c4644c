/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ciphers and sessions. One lock protects a file's list. It is held while waiting for a session's
 * own lock, so that no thread waits for a session that is being freed.
 */
#include "cuse/sessions.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "kernel/devcrypto_abi.h"

const struct cipher ciphers[CIPHERS] = {
	{ CRYPTO_AES_CBC, "cbc", "cbc(aes)", "cbc", "aes", "AES-%u-CBC", 16, 16, 16, 32, 8, 1 },
	{ CRYPTO_AES_CTR, "ctr", "ctr(aes)", "ctr", "aes", "AES-%u-CTR", 1, 16, 16, 32, 8, 1 },
	{ CRYPTO_AES_ECB, "ecb", "ecb(aes)", "ecb", "aes", "AES-%u-ECB", 16, 0, 16, 32, 8, 1 },
	{ CRYPTO_3DES_CBC, "3des", "cbc(des3_ede)", "cbc", "des3-ede", "DES-EDE3-CBC", 8, 8, 24, 24,
	  8, 1 },
	/* The module also takes two keys of 24 bytes, which libcrypto does not know. */
	{ CRYPTO_AES_XTS, "xts", "xts(aes)", "xts", "aes", "AES-%u-XTS", 16, 16, 32, 64, 32, 2 },
	{ CRYPTO_AES_CFB, "cfb", "cfb(aes)", "cfb", "aes", "AES-%u-CFB", 1, 16, 16, 32, 8, 1 },
	{ CRYPTO_AES_OFB, "ofb", "ofb(aes)", "ofb", "aes", "AES-%u-OFB", 1, 16, 16, 32, 8, 1 },
	{ CRYPTO_DES_CBC, "des", "cbc(des)", "cbc", "des", "DES-CBC", 8, 8, 8, 8, 8, 1 },
	{ CRYPTO_BLF_CBC, "blowfish", "cbc(blowfish)", "cbc", "blowfish", "BF-CBC", 8, 8, 4, 56, 1,
	  1 },
	{ CRYPTO_CAMELLIA_CBC, "camellia", "cbc(camellia)", "cbc", "camellia", "CAMELLIA-%u-CBC",
	  16, 16, 16, 32, 8, 1 },
	{ CRYPTO_AES_GCM, "gcm", "gcm(aes)", "gcm", "aes", "AES-%u-GCM", 1, 12, 16, 32, 8, 1, 16 },
};

const struct hash hashes[HASHES] = {
	{ CRYPTO_MD5, CRYPTO_MD5_HMAC, "md5", "MD5", 16 },
	{ CRYPTO_SHA1, CRYPTO_SHA1_HMAC, "sha1", "SHA1", 20 },
	{ CRYPTO_SHA2_224, CRYPTO_SHA2_224_HMAC, "sha224", "SHA224", 28 },
	{ CRYPTO_SHA2_256, CRYPTO_SHA2_256_HMAC, "sha256", "SHA256", 32 },
	{ CRYPTO_SHA2_384, CRYPTO_SHA2_384_HMAC, "sha384", "SHA384", 48 },
	{ CRYPTO_SHA2_512, CRYPTO_SHA2_512_HMAC, "sha512", "SHA512", 64 },
	{ CRYPTO_RIPEMD160, CRYPTO_RIPEMD160_HMAC, "rmd160", "RIPEMD160", 20 },
};

struct session {
	struct session *next; /* protected by the list's lock */
	pthread_mutex_t lock; /* protects all that follows */
	uint32_t sid;
	const struct cipher *cipher;
	EVP_CIPHER_CTX *ctx[2]; /* by COP_ENCRYPT, COP_DECRYPT */
	uint8_t iv[MAX_IV];
	const struct hash *hash;
	bool is_hmac;
	uint8_t key[CRYPTO_HMAC_MAX_KEY_LEN]; /* of the HMAC */
	size_t key_len;
	unsigned tag_len;
};

struct sessions {
	pthread_mutex_t lock;
	struct session *first;
};

struct sessions *sessions_new(void)
{
	struct sessions *all = calloc(1, sizeof(*all));

	if (all)
		pthread_mutex_init(&all->lock, NULL);
	return all;
}

/* The session is no longer in the list. */
static void session_free(struct session *s)
{
	pthread_mutex_lock(&s->lock);
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_destroy(&s->lock);
	EVP_CIPHER_CTX_free(s->ctx[COP_ENCRYPT]);
	EVP_CIPHER_CTX_free(s->ctx[COP_DECRYPT]);
	free(s);
}

unsigned sessions_free(struct sessions *all)
{
	unsigned n = 0;

	for (struct session *s = all->first, *next; s; s = next, n++) {
		next = s->next;
		session_free(s);
	}
	pthread_mutex_destroy(&all->lock);
	free(all);
	return n;
}

static EVP_CIPHER_CTX *keyed(const struct cipher *cipher, const uint8_t *key, size_t key_len,
			     bool encrypt)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	EVP_CIPHER *evp;
	char name[32];

	snprintf(name, sizeof(name), cipher->evp, (unsigned)key_len / cipher->keys * 8);
	evp = EVP_CIPHER_fetch(NULL, name, NULL);
	if (!evp || !ctx || !EVP_CipherInit_ex2(ctx, evp, NULL, NULL, encrypt, NULL) ||
	    !EVP_CIPHER_CTX_set_key_length(ctx, (int)key_len) ||
	    !EVP_CipherInit_ex2(ctx, NULL, key, NULL, encrypt, NULL) ||
	    !EVP_CIPHER_CTX_set_padding(ctx, 0)) {
		EVP_CIPHER_CTX_free(ctx);
		ctx = NULL;
	}
	EVP_CIPHER_free(evp);
	return ctx;
}

static struct session *session_new(void)
{
	struct session *s = calloc(1, sizeof(*s));

	if (s)
		pthread_mutex_init(&s->lock, NULL);
	return s;
}

/* The list's lock is held. If there is no such session, returns the list's end. */
static struct session **find(struct sessions *all, uint32_t sid)
{
	struct session **at = &all->first;

	while (*at && (*at)->sid != sid)
		at = &(*at)->next;
	return at;
}

/* Adds a session to the list, or frees it if it could not be set up. */
static int add(struct sessions *all, struct session *s, bool is_well, uint32_t *sid)
{
	if (!is_well) {
		session_free(s);
		return -ENOMEM;
	}
	pthread_mutex_lock(&all->lock);
	do
		if (getrandom(&s->sid, sizeof(s->sid), 0) != sizeof(s->sid))
			abort();
	while (*find(all, s->sid));
	s->next = all->first;
	all->first = s;
	pthread_mutex_unlock(&all->lock);
	*sid = s->sid;
	return 0;
}

int sessions_open(struct sessions *all, const struct cipher *cipher, const uint8_t *key,
		  size_t key_len, uint32_t *sid)
{
	struct session *s;

	if (key_len < cipher->min_key || key_len > cipher->max_key ||
	    (key_len - cipher->min_key) % cipher->steps)
		return -EINVAL;
	s = session_new();
	if (!s)
		return -ENOMEM;
	s->cipher = cipher;
	s->tag_len = cipher->tag_len;
	s->ctx[COP_ENCRYPT] = keyed(cipher, key, key_len, true);
	s->ctx[COP_DECRYPT] = keyed(cipher, key, key_len, false);
	/* The module accepts two equal keys of XTS; libcrypto only decrypts with them. */
	return add(all, s, (s->ctx[COP_ENCRYPT] || cipher->keys == 2) && s->ctx[COP_DECRYPT], sid);
}

int sessions_open_hash(struct sessions *all, const struct hash *hash, bool is_hmac,
		       const uint8_t *key, size_t key_len, uint32_t *sid)
{
	struct session *s = session_new();

	if (!s)
		return -ENOMEM;
	s->hash = hash;
	s->is_hmac = is_hmac;
	s->key_len = key_len;
	memcpy(s->key, key, key_len);
	return add(all, s, true, sid);
}

int sessions_close(struct sessions *all, uint32_t sid)
{
	struct session **at, *s;

	pthread_mutex_lock(&all->lock);
	at = find(all, sid);
	s = *at;
	if (s) {
		*at = s->next;
		session_free(s);
	}
	pthread_mutex_unlock(&all->lock);
	return s ? 0 : -ENOENT;
}

struct session *session_lock(struct sessions *all, uint32_t sid)
{
	struct session *s;

	pthread_mutex_lock(&all->lock);
	s = *find(all, sid);
	if (s)
		pthread_mutex_lock(&s->lock);
	pthread_mutex_unlock(&all->lock);
	return s;
}

void session_unlock(struct session *s)
{
	pthread_mutex_unlock(&s->lock);
}

const struct cipher *session_cipher(const struct session *s)
{
	return s->cipher;
}

const struct hash *session_hash(const struct session *s)
{
	return s->hash;
}

bool session_is_hmac(const struct session *s)
{
	return s->is_hmac;
}

int session_run_hash(const struct session *s, const uint8_t *in, size_t len, uint8_t *out)
{
	bool ok = s->is_hmac ? EVP_Q_mac(NULL, "HMAC", NULL, s->hash->evp, NULL, s->key, s->key_len,
					 in, len, out, MAX_HASH, NULL) != NULL :
			       EVP_Q_digest(NULL, s->hash->evp, NULL, in, len, out, NULL);

	return ok ? 0 : -EIO;
}

static int run_once(struct session *s, int op, const uint8_t *in, uint8_t *out, size_t len)
{
	unsigned iv_len = s->cipher->iv_len;
	EVP_CIPHER_CTX *ctx = s->ctx[op];
	int n = 0;

	if (!ctx || !EVP_CipherInit_ex2(ctx, NULL, NULL, iv_len ? s->iv : NULL, -1, NULL) ||
	    !EVP_CipherUpdate(ctx, out, &n, in, (int)len) || (size_t)n != len)
		return -EIO;
	if (iv_len && !EVP_CIPHER_CTX_get_updated_iv(ctx, s->iv, iv_len))
		return -EIO;
	return 0;
}

int session_run(struct session *s, int op, const uint8_t *iv, const uint8_t *in, uint8_t *out,
		size_t len, bool by_page)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (iv)
		memcpy(s->iv, iv, s->cipher->iv_len);
	for (size_t done = 0, n; done < len; done += n) {
		n = by_page && len - done > page ? page : len - done;
		if (run_once(s, op, in + done, out + done, n) != 0)
			return -EIO;
	}
	return 0;
}

void sessions_prepare(void)
{
	/*
	 * The environment's openssl.cnf may select this device, and its module directory may hold
	 * kcrypto's module.
	 */
	unsetenv("OPENSSL_MODULES");
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	OSSL_PROVIDER_load(NULL, "default");
	OSSL_PROVIDER_load(NULL, "legacy");
}

int session_tag_len(struct session *s, unsigned len)
{
	if (len > s->tag_len)
		return -EINVAL;
	if (len)
		s->tag_len = len;
	return (int)s->tag_len;
}

int session_auth(struct session *s, int op, const uint8_t *iv, const uint8_t *aad, size_t aad_len,
		 uint8_t *text, size_t len)
{
	EVP_CIPHER_CTX *ctx = s->ctx[op];
	int n = 0, ok = EVP_CipherInit_ex2(ctx, NULL, NULL, iv, -1, NULL);

	if (aad_len)
		ok = ok && EVP_CipherUpdate(ctx, NULL, &n, aad, (int)aad_len);
	if (len)
		ok = ok && EVP_CipherUpdate(ctx, text, &n, text, (int)len);
	if (op == COP_DECRYPT)
		ok = ok && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)s->tag_len,
					       text + len) > 0;
	if (!ok)
		return -EIO;
	if (!EVP_CipherFinal_ex(ctx, text + len, &n))
		return op == COP_DECRYPT ? -EBADMSG : -EIO;
	if (op == COP_ENCRYPT &&
	    EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)s->tag_len, text + len) <= 0)
		return -EIO;
	return 0;
}
