/* SPDX-License-Identifier: Apache-2.0 */
/* An AEAD's calls out of turn. They fit no message, but both providers have to do the same. */
#include "diff/kinds.h"

/*
 * Makes one of the calls that set up a TLS record, out of turn. GCM gets a whole nonce, since it
 * would generate the rest.
 */
bool odd_record_part(struct play *p, struct twins *t, const unsigned char *aad)
{
	int mode = EVP_CIPHER_get_mode(p->cipher[1]);

	if (t->iv_len < 8 || !t->keyed)
		return true;
	if (one_in(p, 2))
		return call_ctrl(p, t, EVP_CTRL_AEAD_SET_IV_FIXED,
				 mode == EVP_CIPH_GCM_MODE ? -1 :
				 mode == EVP_CIPH_CCM_MODE ? 4 :
							     12,
				 t->iv);
	return call_ctrl(p, t, EVP_CTRL_AEAD_TLS1_AAD, 13, aad);
}

/*
 * Only CCM: with the other modes, once a record's AAD is set, the default provider takes a length
 * without input for a record and writes to address 0.
 */
bool odd_declared(struct play *p, struct twins *t, const unsigned char *aad)
{
	size_t n = below(p, 1500);

	if (EVP_CIPHER_get_mode(p->cipher[1]) != EVP_CIPH_CCM_MODE)
		return true;
	return call_aad(p, t, NULL, one_in(p, 8) ? n + 1 : n) &&
	       (!one_in(p, 3) || call_aad(p, t, aad, 1 + below(p, 16))) &&
	       call_text(p, t, true, 64, 64, n, false);
}
