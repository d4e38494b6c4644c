/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published vectors of digests and MACs. "abc": RFC 1320 (MD4) and 1321 (MD5), FIPS 180 and 202
 * (SHA), the authors' paper (RIPEMD-160), GB/T 32905 (SM3). HMAC: RFC 2202 and 4231, case 2, and
 * RFC 2286; NIST's examples (SHA-3); GM/T 0042, appendix D.3 (SM3). CMAC: NIST SP 800-38B, appendix
 * D.
 */
#include "unit/core/kat.h"

#define ABC	"616263"
#define JEFE	"4a656665"
#define NOTHING "7768617420646f2079612077616e7420666f72206e6f7468696e673f"
#define SAMPLE	"53616d706c65206d65737361676520666f72206b65796c656e3c626c6f636b6c656e"
#define ABCD                                                                                       \
	"6162636462636465636465666465666765666768666768696768696a68696a6b"                         \
	"696a6b6c6a6b6c6d6b6c6d6e6c6d6e6f6d6e6f706e6f7071"
#define SP800_38B                                                                                  \
	"6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"                         \
	"30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"

const struct kc_kat kc_kat_md4 = {
	.plain = ABC,
	.tag = "a448017aaf21d8525fc10ae87aa6729d",
};

const struct kc_kat kc_kat_md5 = {
	.plain = ABC,
	.tag = "900150983cd24fb0d6963f7d28e17f72",
};

const struct kc_kat kc_kat_sha1 = {
	.plain = ABC,
	.tag = "a9993e364706816aba3e25717850c26c9cd0d89d",
};

const struct kc_kat kc_kat_sha224 = {
	.plain = ABC,
	.tag = "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
};

const struct kc_kat kc_kat_sha256 = {
	.plain = ABC,
	.tag = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
};

const struct kc_kat kc_kat_sha384 = {
	.plain = ABC,
	.tag = "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
	       "8086072ba1e7cc2358baeca134c825a7",
};

const struct kc_kat kc_kat_sha512 = {
	.plain = ABC,
	.tag = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	       "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
};

const struct kc_kat kc_kat_sha3_224 = {
	.plain = ABC,
	.tag = "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf",
};

const struct kc_kat kc_kat_sha3_256 = {
	.plain = ABC,
	.tag = "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
};

const struct kc_kat kc_kat_sha3_384 = {
	.plain = ABC,
	.tag = "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b2"
	       "98d88cea927ac7f539f1edf228376d25",
};

const struct kc_kat kc_kat_sha3_512 = {
	.plain = ABC,
	.tag = "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
	       "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
};

const struct kc_kat kc_kat_ripemd160 = {
	.plain = ABC,
	.tag = "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc",
};

const struct kc_kat kc_kat_sm3 = {
	.plain = ABC,
	.tag = "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0",
};

const struct kc_kat kc_kat_hmac_md5 = {
	.key = JEFE,
	.plain = NOTHING,
	.tag = "750c783e6ab0b503eaa86e310a5db738",
};

const struct kc_kat kc_kat_hmac_sha1 = {
	.key = JEFE,
	.plain = NOTHING,
	.tag = "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
};

const struct kc_kat kc_kat_hmac_sha224 = {
	.key = JEFE,
	.plain = NOTHING,
	.tag = "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
};

const struct kc_kat kc_kat_hmac_sha256 = {
	.key = JEFE,
	.plain = NOTHING,
	.tag = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
};

const struct kc_kat kc_kat_hmac_sha384 = {
	.key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	       "202122232425262728292a2b2c2d2e2f",
	.plain = SAMPLE,
	.tag = "6eb242bdbb582ca17bebfa481b1e23211464d2b7f8c20b9ff2201637b93646af"
	       "5ae9ac316e98db45d9cae773675eeed0",
};

const struct kc_kat kc_kat_hmac_sha512 = {
	.key = JEFE,
	.plain = NOTHING,
	.tag = "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
	       "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
};

const struct kc_kat kc_kat_hmac_sha3_224 = {
	.key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b",
	.plain = SAMPLE,
	.tag = "332cfd59347fdb8e576e77260be4aba2d6dc53117b3bfb52c6d18c04",
};

const struct kc_kat kc_kat_hmac_sha3_256 = {
	.key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	.plain = SAMPLE,
	.tag = "4fe8e202c4f058e8dddc23d8c34e467343e23555e24fc2f025d598f558f67205",
};

const struct kc_kat kc_kat_hmac_sha3_384 = {
	.key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	       "202122232425262728292a2b2c2d2e2f",
	.plain = SAMPLE,
	.tag = "d588a3c51f3f2d906e8298c1199aa8ff6296218127f6b38a90b6afe2c5617725"
	       "bc99987f79b22a557b6520db710b7f42",
};

const struct kc_kat kc_kat_hmac_sha3_512 = {
	.key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	       "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
	.plain = SAMPLE,
	.tag = "4efd629d6c71bf86162658f29943b1c308ce27cdfa6db0d9c3ce81763f9cbce5"
	       "f7ebe9868031db1a8f8eb7b6b95e5c5e3f657a8996c86a2f6527e307f0213196",
};

const struct kc_kat kc_kat_hmac_ripemd160 = {
	.key = JEFE,
	.plain = NOTHING,
	.tag = "dda6c0213a485a9e24f4742064a7f033b43c4069",
};

const struct kc_kat kc_kat_hmac_sm3 = {
	.key = "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
	.plain = ABCD ABCD,
	.tag = "ca05e144ed05d1857840d1f318a4a8669e559fc8391f414485bfdf7bb408963a",
};

const struct kc_kat kc_kat_cmac_aes_128 = {
	.key = "2b7e151628aed2a6abf7158809cf4f3c",
	.plain = SP800_38B,
	.tag = "51f0bebf7e3b9d92fc49741779363cfe",
};

const struct kc_kat kc_kat_cmac_aes_192 = {
	.key = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
	.plain = SP800_38B,
	.tag = "a1d5df0eed790f794d77589659f39a11",
};

const struct kc_kat kc_kat_cmac_aes_256 = {
	.key = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
	.plain = SP800_38B,
	.tag = "e1992190549f6ed5696a2c056c315410",
};
