/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published vectors of the other ciphers, one a row. DES-EDE3-CBC: the "7654321 Now is the time for "
 * message of FIPS PUB 81's tradition, as OpenSSL tests it, and so BF-CBC, as
 * Blowfish's author published it;
 * DES-EDE3-ECB: NIST SP 800-67, appendix B; DES: FIPS PUB 81, appendices B and C; CAST5-CBC: RFC 2144,
 * appendix B.1, which is one block, so with an IV of zeros; ChaCha20: RFC 8439, section 2.4.2; Camellia: RFC 3713 (ECB),
 * RFC 5528 (CTR), and CBC as OpenSSL tests it, with the message of NIST SP 800-38A.
 */
#include "core/kat.h"

const struct kc_kat kc_kat_des_ede3_cbc = {
	.key = "0123456789abcdeff1e0d3c2b5a49786fedcba9876543210",
	.iv = "fedcba9876543210",
	.plain = "37363534333231204e6f77206973207468652074696d6520666f722000000000",
	.cipher = "3fe301c962ac01d02213763c1cbd4cdc799657c064ecf5d41c673812cfde9675",
};

const struct kc_kat kc_kat_des_ede3_ecb = {
	.key = "0123456789abcdef23456789abcdef01456789abcdef0123",
	.iv = "",
	.plain = "54686520717566636b2062726f776e20666f78206a756d70",
	.cipher = "a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900",
};

const struct kc_kat kc_kat_des_cbc = {
	.key = "0123456789abcdef",
	.iv = "1234567890abcdef",
	.plain = "4e6f77206973207468652074696d6520666f7220616c6c20",
	.cipher = "e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6",
};

const struct kc_kat kc_kat_des_ecb = {
	.key = "0123456789abcdef",
	.iv = "",
	.plain = "4e6f77206973207468652074696d6520666f7220616c6c20",
	.cipher = "3fa40e8a984d48156a271787ab8883f9893d51ec4b563b53",
};

const struct kc_kat kc_kat_bf_cbc = {
	.key = "0123456789abcdeff0e1d2c3b4a59687",
	.iv = "fedcba9876543210",
	.plain = "37363534333231204e6f77206973207468652074696d6520666f722000000000",
	.cipher = "6b77b4d63006dee605b156e27403979358deb9e7154616d959f1652bd5ff92cc",
};

const struct kc_kat kc_kat_cast5_cbc = {
	.key = "0123456712345678234567893456789a",
	.iv = "0000000000000000",
	.plain = "0123456789abcdef",
	.cipher = "238b4fe5847e44b2",
};

const struct kc_kat kc_kat_chacha20 = {
	.key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	.iv = "01000000000000000000004a00000000",
	.plain = "4c616469657320616e642047656e746c656d656e206f662074686520636c6173"
		 "73206f66202739393a204966204920636f756c64206f6666657220796f75206f",
	.cipher = "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b"
		  "f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8",
};

const struct kc_kat kc_kat_camellia_128_cbc = {
	.key = "2b7e151628aed2a6abf7158809cf4f3c",
	.iv = "000102030405060708090a0b0c0d0e0f",
	.plain = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
		 "30c81c46a35ce411e5fbc1191a0a52ef",
	.cipher = "1607cf494b36bbf00daeb0b503c831aba2f2cf671629ef7840c5a5dfb5074887"
		  "0f06165008cf8b8b5a63586362543e54",
};

const struct kc_kat kc_kat_camellia_192_cbc = {
	.key = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
	.iv = "000102030405060708090a0b0c0d0e0f",
	.plain = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
		 "30c81c46a35ce411e5fbc1191a0a52ef",
	.cipher = "2a4830ab5ac4a1a2405955fd2195cf935d5a869bd14ce54264f892a6dd2ec3d5"
		  "37d359c3349836d884e310addf68c449",
};

const struct kc_kat kc_kat_camellia_256_cbc = {
	.key = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
	.iv = "000102030405060708090a0b0c0d0e0f",
	.plain = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
		 "30c81c46a35ce411e5fbc1191a0a52ef",
	.cipher = "e6cfa35fc02b134a4d2c0b6737ac3eda36cbeb73bd504b4070b1b7de2b21eb50"
		  "e31a6055297d96ca3330cdf1b1860a83",
};

const struct kc_kat kc_kat_camellia_128_ctr = {
	.key = "7e24067817fae0d743d6ce1f32539163",
	.iv = "006cb6dbc0543b59da48d90b00000001",
	.plain = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	.cipher = "dbf3c78dc08396d4da7c907765bbcb442b8e8e0f31f0dca72c7417e35360e048",
};

const struct kc_kat kc_kat_camellia_192_ctr = {
	.key = "7c5cb2401b3dc33c19e7340819e0f69c678c3db8e6f6a91a",
	.iv = "0096b03b020c6eadc2cb500d00000001",
	.plain = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	.cipher = "7def34f7a5d0e415674b7ffcae67c75dd018b86ff23051e056392a99f35a4ced",
};

const struct kc_kat kc_kat_camellia_256_ctr = {
	.key = "f6d66d6bd52d59bb0796365879eff886c66dd51a5b6a99744b50590c87a23884",
	.iv = "00faac24c1585ef15a43d87500000001",
	.plain = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	.cipher = "d6c30392246f7808a83c2b22a8839e45e51cd48a1cdf406ebc9cc2d3ab834108",
};

const struct kc_kat kc_kat_camellia_128_ecb = {
	.key = "0123456789abcdeffedcba9876543210",
	.iv = "",
	.plain = "0123456789abcdeffedcba9876543210",
	.cipher = "67673138549669730857065648eabe43",
};

const struct kc_kat kc_kat_camellia_192_ecb = {
	.key = "0123456789abcdeffedcba98765432100011223344556677",
	.iv = "",
	.plain = "0123456789abcdeffedcba9876543210",
	.cipher = "b4993401b3e996f84ee5cee7d79b09b9",
};

const struct kc_kat kc_kat_camellia_256_ecb = {
	.key = "0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff",
	.iv = "",
	.plain = "0123456789abcdeffedcba9876543210",
	.cipher = "9acc237dff16d76c20ef7c919e3a7509",
};
