/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider's AEADs, as the core sees them. Each call that we make here in addition to
 * an application's brings the base to the state that its own work would have led to. Each was
 * checked in the sources of 3.0, 3.5 and 4.0, and the differential program compares the results.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "base/base.h"

#define GCM_IV_MAX 128 /* bytes, the base's limit */
#define FIXED_PART 4   /* bytes, in GCM's and CCM's records */
#define CARRIED	   8   /* likewise: the rest of the nonce */

/* The other direction, or the same: neither key nor IV change. 1 or 0, as all of these. */
static int turn(const struct kc_aead_base *base, void *ctx, enum kc_dir dir,
		const OSSL_PARAM params[])
{
	return kc_base_outer(base)->init[dir](ctx, NULL, 0, NULL, 0, params);
}

/* Sets a parameter that is an octet string. */
static int set_bytes(const struct kc_aead_base *base, void *ctx, const char *key,
		     const uint8_t *bytes, size_t len)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(key, (void *)(uintptr_t)bytes, len),
		OSSL_PARAM_END,
	};

	return kc_base_outer(base)->set_ctx_params(ctx, params);
}

/* Gets such a parameter. @len: in, the room; out, the length; bytes. */
static int get_bytes(const struct kc_aead_base *base, void *ctx, const char *key, uint8_t *bytes,
		     size_t *len)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(key, bytes, *len),
		OSSL_PARAM_END,
	};
	int ok = kc_base_outer(base)->get_ctx_params(ctx, params);

	*len = params[0].return_size;
	return ok;
}

static int base_lengths(const struct kc_aead_base *base, void *ctx, struct kc_lengths *lengths)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, &lengths->nonce),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, &lengths->tag),
		OSSL_PARAM_END,
	};

	return kc_base_outer(base)->get_ctx_params(ctx, params);
}

/* Sets lengths first: CCM reads them when the key is set. */
static int whole_start(const struct kc_aead_base *base, void *ctx, const struct kc_key *key,
		       const struct kc_req *req)
{
	const struct kc_alg *alg = base->common.alg;
	const uint8_t *nonce = req->iv;
	size_t nonce_len = alg->nonce_len;
	uint8_t *tag = req->dir == KC_DECRYPT ? req->tag : NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, &nonce_len),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, key->tag_len),
		OSSL_PARAM_END,
	};

	if (!nonce_len) {
		nonce_len = alg->iv_len - 2u - req->iv[0];
		nonce++;
	}
	/* When encrypting, only CCM accepts the length of a tag. */
	if (!tag && alg->stream)
		params[1] = (OSSL_PARAM)OSSL_PARAM_END;
	return turn(base, ctx, req->dir, NULL) &&
	       kc_base_outer(base)->set_ctx_params(ctx, params) &&
	       kc_base_outer(base)->init[req->dir](ctx, key->bytes, alg->key_len, nonce, nonce_len,
						   NULL);
}

static int whole(const struct kc_aead_base *base, void *ctx, const struct kc_key *key,
		 const struct kc_req *req)
{
	bool declares = !base->common.alg->stream;
	size_t n = 0, tag_len = key->tag_len;

	if (!whole_start(base, ctx, key, req))
		return 0;
	if (declares && !base->update(ctx, NULL, &n, req->len, NULL, req->len))
		return 0;
	if (req->aad_len && !base->update(ctx, NULL, &n, req->aad_len, req->aad, req->aad_len))
		return 0;
	if (!base->update(ctx, req->out, &n, req->len, req->in, req->len) || n != req->len ||
	    !base->final(ctx, req->out, &n, 0))
		return 0;
	return req->dir == KC_DECRYPT ||
	       get_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TAG, req->tag, &tag_len);
}

static int base_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		      const struct kc_req *req)
{
	int ok;

	ERR_set_mark();
	ok = whole((const struct kc_aead_base *)base, ctx, key, req);
	ERR_pop_to_mark();
	return ok;
}

static int set_tag(const struct kc_aead_base *base, void *ctx, const uint8_t *tag, size_t len)
{
	return set_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TAG, tag, len);
}

/*
 * Brings a base to the end of a message that the kernel did. GCM accepts the tag as one to compare,
 * returns it as one that it has made, and ends the message when its nonce changes length, because
 * that uses up the nonce.
 */
static int close_gcm(const struct kc_aead_base *base, void *ctx, enum kc_dir dir,
		     const uint8_t *tag, size_t tag_len)
{
	size_t other = KC_RECORD_NONCE + 1, right = KC_RECORD_NONCE;
	const OSSL_PARAM end[] = {
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, (void *)(uintptr_t)tag,
					tag_len),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, &other),
		OSSL_PARAM_END,
	};
	const OSSL_PARAM restore[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, &right),
		OSSL_PARAM_END,
	};

	return turn(base, ctx, KC_DECRYPT, end) && turn(base, ctx, dir, restore);
}

/*
 * CCM has no final. It is finished with a message once it has been asked for its tag, and it can be
 * asked once a tag has been set, as it has been after a successful decryption.
 */
static int close_ccm(const struct kc_aead_base *base, void *ctx, enum kc_dir dir,
		     const uint8_t *tag, size_t tag_len)
{
	uint8_t wrong[KC_MAX_TAG];
	size_t n = tag_len;
	int ok;

	if (dir == KC_ENCRYPT)
		return turn(base, ctx, KC_DECRYPT, NULL) && set_tag(base, ctx, tag, tag_len) &&
		       turn(base, ctx, KC_ENCRYPT, NULL);
	ok = turn(base, ctx, KC_ENCRYPT, NULL) &&
	     get_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TAG, wrong, &n) &&
	     turn(base, ctx, KC_DECRYPT, NULL);
	explicit_bzero(wrong, sizeof(wrong));
	return ok;
}

/*
 * ChaCha20-Poly1305 gets an empty message. When encrypting, its tag serves as a mark: the bytes
 * after the AAD are ones that nothing else puts there, so no message that an application sends has
 * this tag.
 */
static int close_chacha(const struct kc_aead_base *base, void *ctx, enum kc_dir dir,
			const uint8_t *tag, size_t tag_len)
{
	static const unsigned char more[] = "kcrypto: the text went to the kernel";
	unsigned char nothing[KC_MAX_TAG];
	size_t n = 0;

	if (dir == KC_ENCRYPT)
		return base->update(ctx, NULL, &n, sizeof(more), more, sizeof(more)) &&
		       base->final(ctx, nothing, &n, sizeof(nothing));
	return turn(base, ctx, KC_ENCRYPT, NULL) &&
	       base->final(ctx, nothing, &n, sizeof(nothing)) &&
	       turn(base, ctx, KC_DECRYPT, NULL) && set_tag(base, ctx, tag, tag_len);
}

static int chacha_said_tag(const struct kc_aead_base *base, void *ctx, uint8_t *tag)
{
	size_t len = KC_MAX_TAG;
	int ok;

	ERR_set_mark();
	ok = get_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TAG, tag, &len);
	ERR_pop_to_mark();
	return ok;
}

/* The length is that of the tag set last. */
static int chacha_place_tag(const struct kc_aead_base *base, void *ctx, const uint8_t *tag,
			    size_t tag_len)
{
	return set_tag(base, ctx, tag, KC_MAX_TAG) && set_tag(base, ctx, tag, tag_len);
}

/*
 * If there is room for more than the nonce, returns its length; with less room it would raise an
 * error.
 */
static int gcm_nonce(const struct kc_aead_base *base, void *ctx, struct kc_record *record)
{
	uint8_t iv[GCM_IV_MAX];
	size_t len = sizeof(iv);
	int ok = get_bytes(base, ctx, OSSL_CIPHER_PARAM_UPDATED_IV, iv, &len) &&
		 len == KC_RECORD_NONCE;

	if (ok)
		memcpy(record->nonce, iv, KC_RECORD_NONCE);
	if (record->dir == KC_DECRYPT)
		memcpy(record->nonce + FIXED_PART, record->iv, CARRIED);
	explicit_bzero(iv, sizeof(iv));
	return ok;
}

/* When encrypting, a record carries its sequence number. */
static int ccm_nonce(const struct kc_aead_base *base, void *ctx, struct kc_record *record)
{
	size_t len = KC_RECORD_NONCE;
	int ok = get_bytes(base, ctx, OSSL_CIPHER_PARAM_IV, record->nonce, &len);

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

/* An empty record moves the base to the next one. Decrypting it fails, which does just as well. */
static int empty_record(const struct kc_aead_base *base, void *ctx, const struct kc_record *record,
			size_t carried)
{
	const uint8_t *end = record->nonce + KC_RECORD_NONCE - carried;
	uint8_t empty[CARRIED + KC_MAX_TAG] = { 0 };
	size_t n = 0, len = carried + record->tag_len;
	int ok;

	if (record->dir == KC_DECRYPT)
		memcpy(empty, end, carried);
	ERR_set_mark();
	ok = base->oneshot(ctx, empty, &n, len, empty, len);
	ERR_pop_to_mark();
	if (record->dir == KC_DECRYPT)
		ok = 1;
	else
		ok = ok && memcmp(empty, end, carried) == 0;
	explicit_bzero(empty, sizeof(empty));
	return ok;
}

static int carried_done(const struct kc_aead_base *base, void *ctx, const struct kc_record *record)
{
	return empty_record(base, ctx, record, CARRIED);
}

/*
 * The base's record must be as long as the AAD says, so it gets AAD that says it is empty. The
 * AAD's type and version do not exist in TLS, which makes the tag a mark.
 */
static int chacha_done(const struct kc_aead_base *base, void *ctx, const struct kc_record *record)
{
	uint8_t aad[KC_RECORD_AAD];

	memset(aad, 0xff, sizeof(aad));
	memcpy(aad, record->aad, CARRIED);
	aad[11] = 0;
	aad[12] = record->dir == KC_DECRYPT ? KC_MAX_TAG : 0;
	return set_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, aad, sizeof(aad)) &&
	       empty_record(base, ctx, record, 0);
}

void kc_base_fill_aead(struct kc_base_row *row)
{
	struct kc_aead_base *a = &row->aead;

	a->common.whole = base_whole;
	a->lengths = base_lengths;
	switch (a->common.alg->family) {
	case KC_GCM:
		a->close = close_gcm;
		a->record_nonce = gcm_nonce;
		a->record_done = carried_done;
		break;
	case KC_CCM:
		a->close = close_ccm;
		a->record_nonce = ccm_nonce;
		a->record_done = carried_done;
		break;
	default:
		a->close = close_chacha;
		a->said_tag = chacha_said_tag;
		a->place_tag = chacha_place_tag;
		a->record_nonce = chacha_nonce;
		a->record_done = chacha_done;
	}
}
