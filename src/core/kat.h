/* SPDX-License-Identifier: Apache-2.0 */
/* The published vectors that the algorithm table points to. */
#ifndef KC_CORE_KAT_H
#define KC_CORE_KAT_H

#include "core/alg.h"

extern const struct kc_kat kc_kat_aes_128_cbc, kc_kat_aes_192_cbc, kc_kat_aes_256_cbc,
	kc_kat_aes_128_ctr, kc_kat_aes_192_ctr, kc_kat_aes_256_ctr, kc_kat_aes_128_ecb,
	kc_kat_aes_192_ecb, kc_kat_aes_256_ecb, kc_kat_des_ede3_cbc;

extern const struct kc_kat kc_kat_aes_128_gcm, kc_kat_aes_192_gcm, kc_kat_aes_256_gcm,
	kc_kat_aes_128_ccm, kc_kat_aes_192_ccm, kc_kat_aes_256_ccm, kc_kat_chacha20_poly1305;

#endif
