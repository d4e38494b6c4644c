/* SPDX-License-Identifier: Apache-2.0 */
/* Published vectors, for the rows that have one. */
#ifndef KC_UNIT_KAT_H
#define KC_UNIT_KAT_H

#include "core/alg.h"

/*
 * In hexadecimal; fields that the kind does not have are NULL. A cipher's text is whole blocks; a
 * digest's or MAC's message is in plain, and its result is in tag.
 */
struct kc_kat {
	const char *key, *iv, *aad, *plain, *cipher, *tag;
};

/* By row; NULL: none. */
extern const struct kc_kat *const kc_kats[KC_ALG_COUNT];

extern const struct kc_kat kc_kat_aes_128_cbc, kc_kat_aes_192_cbc, kc_kat_aes_256_cbc,
	kc_kat_aes_128_ctr, kc_kat_aes_192_ctr, kc_kat_aes_256_ctr, kc_kat_aes_128_cfb,
	kc_kat_aes_192_cfb, kc_kat_aes_256_cfb, kc_kat_aes_128_ofb, kc_kat_aes_192_ofb,
	kc_kat_aes_256_ofb, kc_kat_aes_128_xts, kc_kat_aes_256_xts, kc_kat_aes_128_ecb,
	kc_kat_aes_192_ecb, kc_kat_aes_256_ecb, kc_kat_des_ede3_cbc, kc_kat_des_ede3_ecb,
	kc_kat_des_cbc, kc_kat_des_ecb, kc_kat_bf_cbc, kc_kat_cast5_cbc, kc_kat_chacha20,
	kc_kat_camellia_128_cbc, kc_kat_camellia_192_cbc, kc_kat_camellia_256_cbc,
	kc_kat_camellia_128_ctr, kc_kat_camellia_192_ctr, kc_kat_camellia_256_ctr,
	kc_kat_camellia_128_ecb, kc_kat_camellia_192_ecb, kc_kat_camellia_256_ecb,
	kc_kat_aria_128_cbc, kc_kat_aria_192_cbc, kc_kat_aria_256_cbc, kc_kat_aria_128_ctr,
	kc_kat_aria_192_ctr, kc_kat_aria_256_ctr, kc_kat_aria_128_ecb, kc_kat_aria_192_ecb,
	kc_kat_aria_256_ecb, kc_kat_sm4_cbc, kc_kat_sm4_ctr, kc_kat_sm4_ecb;

extern const struct kc_kat kc_kat_md4, kc_kat_md5, kc_kat_sha1, kc_kat_sha224, kc_kat_sha256,
	kc_kat_sha384, kc_kat_sha512, kc_kat_sha3_224, kc_kat_sha3_256, kc_kat_sha3_384,
	kc_kat_sha3_512, kc_kat_ripemd160, kc_kat_sm3, kc_kat_hmac_md5, kc_kat_hmac_sha1,
	kc_kat_hmac_sha224, kc_kat_hmac_sha256, kc_kat_hmac_sha384, kc_kat_hmac_sha512,
	kc_kat_hmac_sha3_224, kc_kat_hmac_sha3_256, kc_kat_hmac_sha3_384, kc_kat_hmac_sha3_512,
	kc_kat_hmac_ripemd160, kc_kat_hmac_sm3, kc_kat_cmac_aes_128, kc_kat_cmac_aes_192,
	kc_kat_cmac_aes_256;

extern const struct kc_kat kc_kat_aes_128_gcm, kc_kat_aes_192_gcm, kc_kat_aes_256_gcm,
	kc_kat_aes_128_ccm, kc_kat_aes_192_ccm, kc_kat_aes_256_ccm, kc_kat_chacha20_poly1305;

#endif
