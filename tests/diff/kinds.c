/* SPDX-License-Identifier: Apache-2.0 */
/* See kinds.h. */
#include "diff/kinds.h"

#include <string.h>

#include <openssl/err.h>

bool diff_find(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, struct diff_row *row)
{
	row->alg = alg;
	row->name = kc_alg_name(alg);
	return row_fetch_both(ctx, alg, &row->of[0], &row->of[1]);
}

bool diff_play(unsigned char *room, const struct diff_row *row, struct random source)
{
	static const struct kind *const kinds[] = { [KC_CIPHER] = &cipher_kind,
						    [KC_AEAD] = &aead_kind,
						    [KC_DIGEST] = &hash_kind,
						    [KC_MAC] = &hash_kind };
	const EVP_CIPHER *ours = row->of[0].cipher, *theirs = row->of[1].cipher;
	struct play *p = play_in(room);

	*p = (struct play){ .random = source,
			    .kind = kinds[row->alg->kind],
			    .name = row->name,
			    .cipher = { ours, theirs },
			    .row = row };
	if (row->alg->kind == KC_AEAD)
		p->shown = EVP_MAX_IV_LENGTH;
	else if (theirs)
		p->shown = (size_t)EVP_CIPHER_get_iv_length(theirs);
	return play_round(p, room);
}

void aead_seal(struct play *p, const struct twins *t, const unsigned char *aad, size_t aad_len,
	       size_t at, size_t len, unsigned char *tag, int tag_len)
{
	bool is_ccm = EVP_CIPHER_get_mode(p->cipher[1]) == EVP_CIPH_CCM_MODE;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	unsigned char *text = p->in[1] + at;
	int n = 0;

	EVP_EncryptInit_ex(c, p->cipher[1], NULL, NULL, NULL);
	EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, t->iv_len, NULL);
	if (is_ccm)
		EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, tag_len, NULL);
	EVP_EncryptInit_ex(c, NULL, NULL, t->key, t->iv);
	if (is_ccm)
		EVP_EncryptUpdate(c, NULL, &n, NULL, (int)len);
	if (aad_len)
		EVP_EncryptUpdate(c, NULL, &n, aad, (int)aad_len);
	EVP_EncryptUpdate(c, text, &n, text, (int)len);
	EVP_EncryptFinal_ex(c, text + len, &n);
	EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, tag_len, tag);
	EVP_CIPHER_CTX_free(c);
	memcpy(p->in[0] + at, text, len);
	ERR_clear_error();
}
