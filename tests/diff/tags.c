/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tags that are set with others or with something else, and tags out of turn: before a final nobody
 * promises which one is there, but ours shows none that the default provider hasn't shown: that of
 * an encryption that hasn't ended would help a forger.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "diff/kinds.h"

void tags_note(struct play *p, const unsigned char *tag, size_t len)
{
	for (size_t i = 0; i < len && i < 16; i++)
		p->tag_bytes[i][tag[i]] = true;
}

static bool get(EVP_CIPHER_CTX *c, int len, unsigned char *tag)
{
	return EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, len, tag) > 0;
}

/* CCM's can be asked for once only. */
void tags_learn(struct play *p, const struct twins *t)
{
	unsigned char tag[32] = { 0 };

	if (EVP_CIPHER_get_mode(p->cipher[1]) == EVP_CIPH_CCM_MODE)
		return;
	tags_note(p, tag, 16); /* of a context without one */
	if (get(t->cipher[1], 16, tag))
		tags_note(p, tag, 16);
}

bool tags_are_known(struct play *p, const struct twins *t, int len)
{
	unsigned char tag[32];

	get(t->cipher[1], len, tag);
	tags_learn(p, t);
	if (!get(t->cipher[0], len, tag))
		return true;
	for (int i = 0; i < len && i < 16; i++)
		if (!p->tag_bytes[i][tag[i]])
			return play_fail(p, "a tag that the default provider has not shown");
	return true;
}

bool tags_are_as_good(struct play *p, const struct twins *t, int len)
{
	unsigned char tag[32];
	bool theirs = get(t->cipher[1], len, tag), ours = get(t->cipher[0], len, tag);

	return theirs == ours || play_fail(p, "one of the two has a tag");
}

static int do_params(struct twins *t, int side, struct call *call)
{
	if (!call->number)
		return EVP_CIPHER_CTX_set_params(t->cipher[side], call->params);
	return EVP_CipherInit_ex2(t->cipher[side], NULL, NULL, call->iv[side], t->enc,
				  call->params);
}

/*
 * In one call: a tag, and another one, or a record's AAD that is too short, or a key's length that
 * may be wrong; or the AAD and that. On their own or in an init. After that, nobody knows what CCM
 * returns as a tag.
 */
bool tags_set_several(struct play *p, struct twins *t, unsigned char *bytes)
{
	size_t len[2] = { 1 + below(p, 16), 1 + below(p, 16) }, key_len = 16 * below(p, 3);
	/* With a shorter nonce, GCM of the default provider writes to where it should not. */
	bool is_tag = !one_in(p, 3) || t->iv_len < 8 || !t->keyed, in_init = one_in(p, 2);
	const OSSL_PARAM beside[] = {
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, bytes + 16, len[1]),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, bytes + 16, 12),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, &key_len),
	};
	const OSSL_PARAM first =
		is_tag ? (OSSL_PARAM)OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, bytes,
							     len[0]) :
			 (OSSL_PARAM)OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, bytes,
							     13);
	const OSSL_PARAM params[] = { first, beside[is_tag ? below(p, 3) : 2], OSSL_PARAM_END };
	struct call call = { .number = in_init, .params = params };

	if (in_init && one_in(p, 2)) {
		random_bytes(&p->random, t->iv, sizeof(t->iv));
		call.iv[0] = call.iv[1] = t->iv;
	}
	t->sealed = false;
	tags_note(p, bytes, len[0]);
	tags_note(p, bytes + 16, len[1]);
	if (!both(p, t, in_init ? "init with several" : "several", do_params, &call))
		return false;
	t->tls |= p->ok && !is_tag;
	return true;
}

/* What the parameter tells of the tag's length belongs to the answer. */
static int do_ask(struct twins *t, int side, struct call *call)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, call->got[side].out, call->len),
		OSSL_PARAM_END,
	};
	int ok = EVP_CIPHER_CTX_get_params(t->cipher[side], params);

	call->got[side].len = OSSL_PARAM_modified(params) ? params[0].return_size : 0;
	return ok;
}

bool tags_ask_param(struct play *p, struct twins *t, size_t len)
{
	return both(p, t, "tag, by parameter", do_ask, &(struct call){ .len = len });
}

/* A right one and a wrong one in one call: versions differ in which of them counts. */
bool tags_set_two(struct play *p, struct twins *t, const unsigned char *right)
{
	unsigned char tag[2][16];
	const OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag[0], 16),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag[1], 16),
		OSSL_PARAM_END,
	};

	for (size_t i = 0; i < 2; i++)
		memcpy(tag[i], right, 16);
	tag[below(p, 2)][0] ^= 1;
	for (size_t i = 0; i < 2; i++)
		tags_note(p, tag[i], 16);
	if (!both(p, t, "two tags", do_params, &(struct call){ .params = params }))
		return false;
	t->tag_replaced &= !p->ok;
	t->sealed = false;
	return true;
}
