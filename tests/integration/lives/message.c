/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CCM needs lengths before the key, and the text's length before the AAD; GCM's records need a
 * nonce first.
 */
#include "integration/lives/message.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

static int mode_of(const EVP_CIPHER_CTX *c)
{
	return EVP_CIPHER_CTX_get_mode(c);
}

bool message_is_ccm(const EVP_CIPHER_CTX *c)
{
	return mode_of(c) == EVP_CIPH_CCM_MODE;
}

static bool set(EVP_CIPHER_CTX *c, int what, int len, const unsigned char *data)
{
	return EVP_CIPHER_CTX_ctrl(c, what, len, (void *)(size_t)data) > 0;
}

static bool set_lengths(EVP_CIPHER_CTX *c, int enc)
{
	return EVP_CipherInit_ex(c, NULL, NULL, NULL, NULL, enc) &&
	       set(c, EVP_CTRL_AEAD_SET_IVLEN, MESSAGE_IV, NULL);
}

bool message_start(EVP_CIPHER_CTX *c, int enc, const unsigned char *key, const unsigned char *iv,
		   const unsigned char *tag)
{
	if (key && !set_lengths(c, enc))
		return false;
	if ((tag || (key && message_is_ccm(c))) && !set(c, EVP_CTRL_AEAD_SET_TAG, MESSAGE_TAG, tag))
		return false;
	return EVP_CipherInit_ex(c, NULL, NULL, key, iv, -1);
}

bool message_head(EVP_CIPHER_CTX *c, const unsigned char *aad, size_t aad_len, size_t len)
{
	int n = 0;

	if (message_is_ccm(c) && !EVP_CipherUpdate(c, NULL, &n, NULL, (int)len))
		return false;
	return !aad_len || EVP_CipherUpdate(c, NULL, &n, aad, (int)aad_len);
}

bool message_tag(EVP_CIPHER_CTX *c, unsigned char *tag)
{
	return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, MESSAGE_TAG, tag) > 0;
}

/* GCM gets a whole nonce, since it would generate the rest. */
bool records_start(EVP_CIPHER_CTX *c, int enc, const unsigned char *key, const unsigned char *iv)
{
	int mode = mode_of(c);

	if (!message_start(c, enc, key, mode ? NULL : iv, NULL))
		return false;
	if (mode && !set(c, EVP_CTRL_AEAD_SET_IV_FIXED, mode == EVP_CIPH_GCM_MODE ? -1 : 4, iv))
		return false;
	return mode != EVP_CIPH_CCM_MODE || EVP_CipherInit_ex(c, NULL, NULL, key, NULL, -1);
}

size_t record_carried(const EVP_CIPHER_CTX *c)
{
	return mode_of(c) ? RECORD_FIRST : 0;
}

/* When encrypting, libssl passes the length without the tag, which may be shorter for CCM. */
bool record_play(EVP_CIPHER_CTX *c, unsigned char number, unsigned char *at, size_t len)
{
	size_t tag = message_is_ccm(c) ? (size_t)EVP_CIPHER_CTX_get_tag_length(c) : MESSAGE_TAG;
	size_t said = EVP_CIPHER_CTX_is_encrypting(c) ? len - tag : len;
	unsigned char head[13] = { [7] = number,       23, 3, 3, (unsigned char)(said >> 8),
				   (unsigned char)said };
	int n = 0;

	return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, sizeof(head), head) == (int)tag &&
	       EVP_CipherUpdate(c, at, &n, at, (int)len);
}

bool mac_start(EVP_MAC_CTX *c, const char *mac, const char *inner, const unsigned char *key,
	       size_t len)
{
	const char *name = strcmp(mac, "CMAC") == 0 ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(name, (char *)(size_t)inner, 0),
		OSSL_PARAM_END,
	};

	return EVP_MAC_init(c, key, key ? len : 0, key ? params : NULL);
}

struct hash hash_new(const EVP_MD *digest, EVP_MAC *mac, const char *name, const char *inner)
{
	return (struct hash){ name, inner, digest, mac ? NULL : EVP_MD_CTX_new(),
			      mac ? EVP_MAC_CTX_new(mac) : NULL };
}

bool hash_start(const struct hash *h, const unsigned char *key, size_t len)
{
	return h->mac ? mac_start(h->mac, h->name, h->inner, key, len) :
			EVP_DigestInit_ex2(h->md, h->digest, NULL);
}

bool hash_update(const struct hash *h, const unsigned char *in, size_t len)
{
	return h->mac ? EVP_MAC_update(h->mac, in, len) : EVP_DigestUpdate(h->md, in, len);
}

size_t hash_final(const struct hash *h, unsigned char *out)
{
	unsigned n = 0;
	size_t len = 0;
	int ok = h->mac ? EVP_MAC_final(h->mac, out, &len, EVP_MAX_MD_SIZE) :
			  EVP_DigestFinal_ex(h->md, out, &n);

	return ok ? len + n : 0;
}

struct hash hash_copy(const struct hash *from)
{
	struct hash to = *from;

	to.md = from->mac ? NULL : EVP_MD_CTX_new();
	to.mac = from->mac ? EVP_MAC_CTX_dup(from->mac) : NULL;
	if (to.md && !EVP_MD_CTX_copy_ex(to.md, from->md))
		hash_free(&to);
	return to;
}

void hash_free(struct hash *h)
{
	EVP_MD_CTX_free(h->md);
	EVP_MAC_CTX_free(h->mac);
	h->md = NULL;
	h->mac = NULL;
}
