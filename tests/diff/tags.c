/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tags that are set twice or together with other parameters, and tags that are queried by
 * parameter.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "diff/kinds.h"

bool tags_are_as_good(struct play *p, const struct twins *t, int len)
{
	unsigned char tag[32];
	int theirs = EVP_CIPHER_CTX_ctrl(t->cipher[1], EVP_CTRL_AEAD_GET_TAG, len, tag);
	int ours = EVP_CIPHER_CTX_ctrl(t->cipher[0], EVP_CTRL_AEAD_GET_TAG, len, tag);

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
 * Sets several parameters in one call, alone or in an init: a tag with a second tag, with a TLS
 * record's AAD that is too short, or with a key length that may be wrong; or that AAD with a key
 * length.
 */
bool tags_set_several(struct play *p, struct twins *t, unsigned char *bytes)
{
	size_t len[2] = { 1 + below(p, 16), 1 + below(p, 16) }, key_len = 16 * below(p, 3);
	/* With a nonce of less than 8 bytes, the default provider's GCM writes out of bounds. */
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
	if (!both(p, t, in_init ? "init with several" : "several", do_params, &call))
		return false;
	t->tls |= p->ok && !is_tag;
	return true;
}

/* The tag length that the parameter returns is part of the answer. */
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

/*
 * Sets a right tag and a wrong one in one call. Versions of OpenSSL differ in which of them counts.
 */
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
	t->sealed = false;
	return both(p, t, "two tags", do_params, &(struct call){ .params = params });
}
