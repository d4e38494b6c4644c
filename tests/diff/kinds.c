/* SPDX-License-Identifier: Apache-2.0 */
/* See kinds.h. */
#include "diff/kinds.h"

bool diff_find(OSSL_LIB_CTX *ctx, const struct kc_alg *alg, struct diff_row *row)
{
	row->alg = alg;
	kc_alg_name(alg, row->name, sizeof(row->name));
	return row_fetch_both(ctx, alg, &row->of[0], &row->of[1]);
}

bool diff_play(unsigned char *room, const struct diff_row *row, struct random source)
{
	static const struct kind *const kinds[] = { [KC_CIPHER] = &cipher_kind,
						    [KC_AEAD] = &aead_kind,
						    [KC_DIGEST] = &hash_kind,
						    [KC_MAC] = &hash_kind };
	const EVP_CIPHER *ours = row->of[0].cipher, *theirs = row->of[1].cipher;
	struct play p = { .random = source,
			  .kind = kinds[row->alg->kind],
			  .name = row->name,
			  .cipher = { ours, theirs },
			  .row = row };

	if (row->alg->kind == KC_AEAD)
		p.shown = EVP_MAX_IV_LENGTH;
	else if (theirs)
		p.shown = (size_t)EVP_CIPHER_get_iv_length(theirs);
	return play_round(&p, room);
}
