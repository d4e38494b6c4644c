/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a base is brought behind what the kernel did. Where it has to take a step of its own for that,
 * it gets an empty message or record, whose tag is of no meaning, and must be seen by nobody: it
 * has the nonce of another.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>

#include "base/aead.h"

#define GCM_IV_MAX  128 /* bytes, of the base */
#define FIXED_PART  4	/* bytes, of GCM's and CCM's records */
#define CARRIED	    8	/* the same: the rest of the nonce */
#define TLS_TAG	    16
#define LEAST_FIELD TLS_TAG

static int set_tag(const struct kc_aead_base *base, void *ctx, const uint8_t *tag, size_t len)
{
	return kc_aead_set_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TAG, tag, len);
}

/* Encrypting, the base's final never fails. */
static int close_chacha(const struct kc_aead_base *base, void *ctx, enum kc_dir dir,
			const uint8_t *tag, size_t tag_len)
{
	unsigned char nothing[16];
	size_t n = 0;

	if (dir == KC_ENCRYPT)
		return base->final(ctx, nothing, &n, sizeof(nothing));
	return kc_aead_turn(base, ctx, KC_ENCRYPT) &&
	       base->final(ctx, nothing, &n, sizeof(nothing)) &&
	       kc_aead_turn(base, ctx, KC_DECRYPT) && set_tag(base, ctx, tag, tag_len);
}

/* As that; and a tag that was set is also what it says after encrypting. */
static int close_gcm(const struct kc_aead_base *base, void *ctx, enum kc_dir dir,
		     const uint8_t *tag, size_t tag_len)
{
	if (!close_chacha(base, ctx, dir, tag, tag_len))
		return 0;
	return dir == KC_DECRYPT ||
	       (kc_aead_turn(base, ctx, KC_DECRYPT) && set_tag(base, ctx, tag, tag_len) &&
		kc_aead_turn(base, ctx, KC_ENCRYPT));
}

/*
 * CCM has no final. Asked for its tag, it is through with a message; and it can be asked once a tag
 * was set, which a decryption that succeeded has behind it.
 */
static int close_ccm(const struct kc_aead_base *base, void *ctx, enum kc_dir dir,
		     const uint8_t *tag, size_t tag_len)
{
	uint8_t wrong[KC_MAX_TAG];
	size_t n = tag_len;
	int ok;

	if (dir == KC_ENCRYPT)
		return kc_aead_turn(base, ctx, KC_DECRYPT) && set_tag(base, ctx, tag, tag_len) &&
		       kc_aead_turn(base, ctx, KC_ENCRYPT);
	ok = kc_aead_turn(base, ctx, KC_ENCRYPT) &&
	     kc_aead_get_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TAG, wrong, &n) &&
	     kc_aead_turn(base, ctx, KC_DECRYPT);
	explicit_bzero(wrong, sizeof(wrong));
	return ok;
}

/* Asked for more than is there it says how much that was; asked for less it would complain. */
static int gcm_nonce(const struct kc_aead_base *base, void *ctx, struct kc_record *record)
{
	uint8_t iv[GCM_IV_MAX];
	size_t len = sizeof(iv);
	int ok = kc_aead_get_bytes(base, ctx, OSSL_CIPHER_PARAM_UPDATED_IV, iv, &len) &&
		 len == KC_RECORD_NONCE;

	if (ok)
		memcpy(record->nonce, iv, KC_RECORD_NONCE);
	if (record->dir == KC_DECRYPT)
		memcpy(record->nonce + FIXED_PART, record->iv, CARRIED);
	explicit_bzero(iv, sizeof(iv));
	return ok;
}

/* Encrypting, a record carries its sequence number. */
static int ccm_nonce(const struct kc_aead_base *base, void *ctx, struct kc_record *record)
{
	size_t len = KC_RECORD_NONCE;
	int ok = kc_aead_get_bytes(base, ctx, OSSL_CIPHER_PARAM_IV, record->nonce, &len);

	memcpy(record->nonce + FIXED_PART, record->dir == KC_ENCRYPT ? record->aad : record->iv,
	       CARRIED);
	return ok;
}

static int chacha_nonce(const struct kc_aead_base *base, void *ctx, struct kc_record *record)
{
	(void)base;
	(void)ctx;
	for (size_t i = 0; i < CARRIED; i++)
		record->nonce[FIXED_PART + i] ^= record->aad[i];
	return 1;
}

/* An empty record. Decrypting it fails, which is as good. */
static int empty_record(const struct kc_aead_base *base, void *ctx, const struct kc_record *record,
			size_t carried)
{
	const uint8_t *end = record->nonce + KC_RECORD_NONCE - carried;
	uint8_t empty[CARRIED + KC_MAX_TAG] = { 0 };
	size_t n = 0, len = carried + record->tag_len;
	int ok;

	if (record->dir == KC_DECRYPT)
		memcpy(empty, end, carried);
	ok = base->oneshot(ctx, empty, &n, len, empty, len);
	if (record->dir == KC_DECRYPT)
		ok = 1;
	else
		ok = ok && memcmp(empty, end, carried) == 0;
	explicit_bzero(empty, sizeof(empty));
	return ok;
}

static int carried_done(const struct kc_aead_base *base, void *ctx, const struct kc_record *record)
{
	int ok;

	ERR_set_mark();
	ok = empty_record(base, ctx, record, CARRIED);
	ERR_pop_to_mark();
	return ok;
}

/* Its record has to be as long as the AAD says, so it gets one that says it is empty. */
static int chacha_done(const struct kc_aead_base *base, void *ctx, const struct kc_record *record)
{
	uint8_t aad[KC_RECORD_AAD];
	int ok;

	memcpy(aad, record->aad, sizeof(aad));
	aad[11] = 0;
	aad[12] = record->dir == KC_DECRYPT ? LEAST_FIELD : 0;
	ERR_set_mark();
	ok = kc_aead_set_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, aad, sizeof(aad)) &&
	     empty_record(base, ctx, record, 0);
	ERR_pop_to_mark();
	return ok;
}

const struct kc_aead_family kc_aead_families[KC_FAMILY_COUNT] = {
	[KC_GCM] = { true, close_gcm, gcm_nonce, carried_done },
	[KC_CCM] = { false, close_ccm, ccm_nonce, carried_done },
	[KC_CHACHA20_POLY1305] = { false, close_chacha, chacha_nonce, chacha_done },
};
