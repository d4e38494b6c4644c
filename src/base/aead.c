/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider's AEADs for the core. Besides the calls that an application would make for a
 * message or record, this uses only parameters that EVP_EncryptInit(3) documents, "tag", "ivlen",
 * "taglen", "iv" and "updated-iv"; and "tlsivfixed" as OpenSSH does, with the length -1 for a whole
 * nonce.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "base/base.h"

#define GCM_IV_MAX 128 /* bytes, the base's limit */
#define FIXED_PART 4   /* bytes, in records of GCM and CCM */
#define CARRIED	   8   /* bytes, the rest of the nonce */
#define WHOLE_IV   ((size_t)-1)

static __attribute__((noinline)) int set_bytes(const struct kc_base *base, void *ctx,
					       const char *key, const uint8_t *bytes, size_t len)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(key, (void *)(uintptr_t)bytes, len),
		OSSL_PARAM_END,
	};

	return kc_base_outer(base)->set_ctx_params(ctx, params);
}

static int set(const struct kc_base *base, void *ctx, enum kc_aead_param what, const uint8_t *bytes,
	       size_t len)
{
	const char *key =
		what == KC_TAG ? OSSL_CIPHER_PARAM_AEAD_TAG : OSSL_CIPHER_PARAM_AEAD_TLS1_AAD;

	return set_bytes(base, ctx, key, bytes, len);
}

/* Gets a parameter that is an octet string. @len: in, the room; out, the length, both in bytes. */
static __attribute__((noinline)) int get_bytes(const struct kc_base *base, void *ctx,
					       const char *key, uint8_t *bytes, size_t *len)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(key, bytes, *len),
		OSSL_PARAM_END,
	};
	int ok = kc_base_outer(base)->get_ctx_params(ctx, params);

	*len = params[0].return_size;
	return ok;
}

static int get_tag(const struct kc_base *base, void *ctx, uint8_t *tag, size_t len)
{
	return get_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TAG, tag, &len);
}

/*
 * Asks a copy, because a context that has returned its tag has none any more. It returns a tag only
 * of the key's length, which a later setting does not change.
 */
static __attribute__((cold)) bool ccm_has_tag(const struct kc_base *base, void *ctx)
{
	uint8_t tag[KC_MAX_TAG];
	void *copy = base->dupctx ? base->dupctx(ctx) : NULL;
	bool has = false;

	if (!copy)
		return false;
	ERR_set_mark();
	for (size_t len = sizeof(tag); len && !has; len -= 2)
		has = get_tag(base, copy, tag, len);
	ERR_pop_to_mark();
	base->freectx(copy);
	return has;
}

/*
 * Sets a tag in any direction. A tag may be set only for decryption; without key and nonce, an init
 * only turns the direction.
 */
static __attribute__((noinline, cold)) int
set_turned(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *tag, size_t len)
{
	const struct kc_base_row *row = kc_base_outer(base);

	if (!row->init[KC_DECRYPT](ctx, NULL, 0, NULL, 0, NULL))
		return 0;
	if (!set(base, ctx, KC_TAG, tag, KC_MAX_TAG))
		return 0;
	if (len != KC_MAX_TAG && !set(base, ctx, KC_TAG, NULL, len))
		return 0;
	return row->init[dir](ctx, NULL, 0, NULL, 0, NULL);
}

static int gcm_leave_tag(const struct kc_base *base, void *ctx, enum kc_dir dir, const uint8_t *tag,
			 bool is_set)
{
	/* GCM accepts the tag at once, so it has it before another one can be set. */
	return !is_set && set_turned(base, ctx, dir, tag, KC_MAX_TAG);
}

/*
 * ChaCha20-Poly1305 compares as many bytes as were set last, and nothing sets that number to 0
 * again.
 */
static __attribute__((cold)) int chacha_leave_tag(const struct kc_base *base, void *ctx,
						  enum kc_dir dir, const uint8_t *tag, bool is_set)
{
	struct kc_lengths lengths = { 0, 0 };
	uint8_t whole[KC_MAX_TAG];

	if (!base->lengths(base, ctx, &lengths) || !lengths.tag)
		return 0;
	memcpy(whole, tag, sizeof(whole));
	if (is_set && (!kc_base_outer(base)->init[KC_ENCRYPT](ctx, NULL, 0, NULL, 0, NULL) ||
		       !get_tag(base, ctx, whole, lengths.tag)))
		return 0;
	return set_turned(base, ctx, dir, whole, lengths.tag);
}

static int base_lengths(const struct kc_base *base, void *ctx, struct kc_lengths *lengths)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, &lengths->nonce),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, &lengths->tag),
		OSSL_PARAM_END,
	};

	return kc_base_outer(base)->get_ctx_params(ctx, params);
}

/* Sets the direction first, then the lengths: CCM reads both when the key is set. */
static int whole_start(const struct kc_base *base, void *ctx, const struct kc_key *key,
		       const struct kc_req *req)
{
	const struct kc_alg *alg = base->alg;
	const struct kc_base_row *row = kc_base_outer(base);
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
	if (!key->bytes)
		return (!tag || set(base, ctx, KC_TAG, tag, key->tag_len)) &&
		       row->init[req->dir](ctx, NULL, 0, nonce, nonce_len, NULL);
	/* When encrypting, only CCM accepts the length of a tag. */
	if (!tag && alg->stream)
		params[1] = (OSSL_PARAM)OSSL_PARAM_END;
	if (!row->init[req->dir](ctx, NULL, 0, NULL, 0, NULL))
		return 0;
	if (!row->set_ctx_params(ctx, params))
		return 0;
	return row->init[req->dir](ctx, key->bytes, alg->key_len, nonce, nonce_len, NULL);
}

static int whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		 const struct kc_req *req)
{
	bool declares = !base->alg->stream;
	size_t n = 0;

	if (!whole_start(base, ctx, key, req))
		return 0;
	if (declares && !base->update(ctx, NULL, &n, req->len, NULL, req->len))
		return 0;
	if (req->aad_len && !base->update(ctx, NULL, &n, req->aad_len, req->aad, req->aad_len))
		return 0;
	if (!base->update(ctx, req->out, &n, req->len, req->in, req->len) || n != req->len)
		return 0;
	if (!base->final(ctx, req->out, &n, 0))
		return 0;
	if (req->dir == KC_DECRYPT)
		return 1;
	return get_tag(base, ctx, req->tag, key->tag_len);
}

static int aead_whole(const struct kc_base *base, void *ctx, const struct kc_key *key,
		      const struct kc_req *req)
{
	int ok;

	ERR_set_mark();
	ok = whole(base, ctx, key, req);
	ERR_pop_to_mark();
	return ok;
}

/*
 * The buffer has more room than a nonce needs, so that a longer one returns its length; with too
 * little room the base would raise an error.
 */
static int read_nonce(const struct kc_base *base, void *ctx, uint8_t nonce[KC_RECORD_NONCE])
{
	uint8_t iv[GCM_IV_MAX];
	size_t len = sizeof(iv);
	int ok = get_bytes(base, ctx, OSSL_CIPHER_PARAM_UPDATED_IV, iv, &len);

	if (len != KC_RECORD_NONCE)
		ok = 0;
	if (ok)
		memcpy(nonce, iv, KC_RECORD_NONCE);
	explicit_bzero(iv, sizeof(iv));
	return ok;
}

/* As the base does when it generates an invocation field, a number in the order of the network. */
static void count_up(uint8_t field[CARRIED])
{
	size_t i = CARRIED;

	do
		i--;
	while (++field[i] == 0 && i);
}

static int gcm_nonce(const struct kc_base *base, void *ctx, const uint8_t *aad,
		     const uint8_t *carried, bool follows, uint8_t nonce[KC_RECORD_NONCE])
{
	(void)aad;
	if (!follows && !read_nonce(base, ctx, nonce))
		return 0;
	if (carried)
		memcpy(nonce + FIXED_PART, carried, CARRIED);
	else if (follows)
		count_up(nonce + FIXED_PART);
	return 1;
}

/* The length says that these are not the fixed part alone. */
static int gcm_set_nonce(const struct kc_base *base, void *ctx,
			 const uint8_t nonce[KC_RECORD_NONCE])
{
	return set_bytes(base, ctx, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, nonce, WHOLE_IV);
}

/*
 * GCM and CCM remember nothing of a record's text, so a short record of zeros leaves them in the
 * same state. Decrypting it fails for its wrong tag, which leaves them in the same state, too.
 */
static int pass_record(const struct kc_base *base, void *ctx, const uint8_t *aad,
		       const uint8_t *carried)
{
	uint8_t record[CARRIED + KC_MAX_TAG] = { 0 };
	size_t n = 0;
	int ok;

	if (carried)
		memcpy(record, carried, CARRIED);
	ERR_set_mark();
	ok = set(base, ctx, KC_RECORD, aad, KC_RECORD_AAD);
	if (ok && !base->update(ctx, record, &n, sizeof(record), record, sizeof(record)))
		ok = carried != NULL;
	ERR_pop_to_mark();
	explicit_bzero(record, sizeof(record));
	return ok;
}

/* When encrypting, a record carries its sequence number. */
static int ccm_nonce(const struct kc_base *base, void *ctx, const uint8_t *aad,
		     const uint8_t *carried, bool follows, uint8_t nonce[KC_RECORD_NONCE])
{
	size_t len = KC_RECORD_NONCE;

	if (!follows && !get_bytes(base, ctx, OSSL_CIPHER_PARAM_IV, nonce, &len))
		return 0;
	if (!carried)
		carried = aad;
	memcpy(nonce + FIXED_PART, carried, CARRIED);
	return 1;
}

static int chacha_nonce(const struct kc_base *base, void *ctx, const uint8_t *aad,
			const uint8_t *carried, bool follows, uint8_t nonce[KC_RECORD_NONCE])
{
	(void)base;
	(void)ctx;
	(void)carried;
	(void)follows;
	for (size_t i = 0; i < CARRIED; i++)
		nonce[FIXED_PART + i] ^= aad[i];
	return 1;
}

void kc_base_fill_aead(struct kc_base_row *row)
{
	struct kc_base *a = &row->base;

	a->whole = aead_whole;
	a->lengths = base_lengths;
	a->set = set;
	a->get_tag = get_tag;
	/* A switch, because each address in a table is a relocation. */
	switch (a->alg->family) {
	case KC_GCM:
		a->leave_tag = gcm_leave_tag;
		a->record_nonce = gcm_nonce;
		a->set_record_nonce = gcm_set_nonce;
		a->pass_record = pass_record;
		break;
	case KC_CCM:
		a->has_tag = ccm_has_tag;
		a->record_nonce = ccm_nonce;
		a->pass_record = pass_record;
		break;
	default:
		a->leave_tag = chacha_leave_tag;
		a->record_nonce = chacha_nonce;
		break;
	}
}
