/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's cipher functions for AEADs with keys of the keyring. ctx is a struct kc_keyed_aead. */
#include "keys/aead.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "session/buffers.h"

void *kc_keyed_aead_new(struct kc_keys *keys, const struct kc_alg *alg)
{
	struct kc_keyed_aead *a = calloc(1, sizeof(*a));

	if (a)
		kc_keyed_init(&a->keyed, keys, alg);
	return a;
}

static void free_aead(void *ctx)
{
	struct kc_keyed_aead *a = ctx;

	if (!a)
		return;
	kc_keyed_aead_restart(a);
	kc_keyed_end(&a->keyed);
	explicit_bzero(a, sizeof(*a));
	free(a);
}

/* The copy gets a session of its own. */
static void *dup_aead(void *ctx)
{
	struct kc_keyed_aead *from = ctx, *a = malloc(sizeof(*a));

	if (!a)
		return NULL;
	memcpy(a, from, sizeof(*a));
	kc_keyed_copied(&a->keyed);
	if (!from->text)
		return a;
	a->text = kc_buffer_take();
	if (a->text) {
		memcpy(a->text, from->text, a->text_len);
		return a;
	}
	free_aead(a);
	return NULL;
}

/* The default provider compares tags of every length; the kernel only of these. */
static int take_given_tag(struct kc_keyed_aead *a, const OSSL_PARAM *p)
{
	uint8_t tag[KC_MAX_TAG];
	void *to = tag;
	size_t len = 0;

	if (a->dir == KC_ENCRYPT || !OSSL_PARAM_get_octet_string(p, &to, sizeof(tag), &len))
		return kc_refuse(PROV_R_INVALID_TAG, "a tag can be set only for decryption");
	if (len != 4 && len != 8 && len < 12)
		return kc_refuse(PROV_R_INVALID_TAG,
				 "the kernel compares tags of 4, 8 and 12 to 16 bytes");
	memcpy(a->tag, tag, len);
	a->tag_len = len;
	a->is_whole = false;
	return 1;
}

static int set_aead_params(void *ctx, const OSSL_PARAM params[])
{
	struct kc_keyed_aead *a = ctx;
	const OSSL_PARAM *p;
	size_t len;

	if (!params)
		return 1;
	p = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_KEYLEN);
	if (p && (!OSSL_PARAM_get_size_t(p, &len) || len != a->keyed.alg->key_len))
		return kc_refuse(PROV_R_INVALID_KEY_LENGTH, "the cipher has one key length");
	p = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_IVLEN);
	if (p && (!OSSL_PARAM_get_size_t(p, &len) || len != sizeof(a->iv)))
		return kc_refuse(PROV_R_INVALID_IV_LENGTH, "the kernel takes 12 bytes");
	if (OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD) ||
	    OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED))
		return kc_refuse(PROV_R_NOT_SUPPORTED, "TLS does not use keys of the kernel");
	p = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TAG);
	if (!p)
		return 1;
	return take_given_tag(a, p);
}

/* A message that has begun can neither change its direction nor continue with another key. */
static int init_aead(struct kc_keyed_aead *a, enum kc_dir dir, const struct kc_kernel_key *key,
		     const unsigned char *iv, size_t iv_len, const OSSL_PARAM params[])
{
	bool has_begun = a->aad_len || a->text_len;

	if (iv && iv_len != sizeof(a->iv))
		return kc_refuse(PROV_R_INVALID_IV_LENGTH, "the kernel takes 12 bytes");
	if (iv) {
		kc_keyed_aead_restart(a);
		memcpy(a->iv, iv, iv_len);
		a->has_iv = true;
	} else if (has_begun && (key || dir != a->dir)) {
		a->broken = true;
	}
	a->dir = dir;
	if (key && !kc_keyed_take(&a->keyed, key))
		return 0;
	return set_aead_params(a, params);
}

static int answer_iv(struct kc_keyed_aead *a, OSSL_PARAM params[], const char *key)
{
	if (!OSSL_PARAM_locate(params, key))
		return 1;
	if (!a->has_iv)
		return 0;
	return kc_answer_iv(params, key, a->iv, sizeof(a->iv));
}

/* Answers as many bytes of the tag as are asked for. */
static int answer_tag(const struct kc_keyed_aead *a, OSSL_PARAM params[])
{
	OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TAG);
	bool has_tag = a->dir == KC_ENCRYPT && a->tag_len;

	if (!p)
		return 1;
	if (!has_tag || !p->data_size || p->data_size > sizeof(a->tag))
		return kc_refuse(PROV_R_INVALID_TAG,
				 "there is a tag only after the final of an encryption");
	return OSSL_PARAM_set_octet_string(p, a->tag, p->data_size);
}

static int get_aead_params(void *ctx, OSSL_PARAM params[])
{
	struct kc_keyed_aead *a = ctx;
	const struct kc_number numbers[] = {
		{ OSSL_CIPHER_PARAM_KEYLEN, a->keyed.alg->key_len },
		{ OSSL_CIPHER_PARAM_IVLEN, sizeof(a->iv) },
		{ OSSL_CIPHER_PARAM_AEAD_TAGLEN, a->tag_len ? a->tag_len : sizeof(a->tag) },
		{ NULL, 0 },
	};

	if (!kc_answer_numbers(params, numbers))
		return kc_refuse(PROV_R_FAILED_TO_SET_PARAMETER, "a length is a number");
	if (!answer_iv(a, params, OSSL_CIPHER_PARAM_IV))
		return 0;
	if (!answer_iv(a, params, OSSL_CIPHER_PARAM_UPDATED_IV))
		return 0;
	return answer_tag(a, params);
}

KC_LIST_CTX_PARAMS(gettable_aead_params, OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
		   OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
		   OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),
		   OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
		   OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
		   OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0))

KC_LIST_CTX_PARAMS(settable_aead_params, OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
		   OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
		   OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0))

KC_CIPHER_TABLE(kc_keyed_aead_functions, aead, kc_keyed_aead_update, kc_keyed_aead_final,
		kc_keyed_aead_oneshot);
