/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published vectors of the other ciphers, one per row. DES-EDE3-CBC: the message "7654321 Now is
 * the time for " in the tradition of FIPS PUB 81, as in OpenSSL's tests, and likewise BF-CBC, as
 * published by Blowfish's author; DES-EDE3-ECB: NIST SP 800-67, appendix B; DES: FIPS PUB 81,
 * appendices B and C; CAST5-CBC: RFC 2144, appendix B.1, a single block, so with an all-zero IV;
 * ChaCha20: RFC 8439, section 2.4.2; Camellia: RFC 3713 (ECB), RFC 5528 (CTR), and CBC as in
 * OpenSSL's tests, with the message of NIST SP 800-38A; ARIA: RFC 5794 (ECB) and the beginnings of
 * KISA's test vectors for modes; SM4: draft-ribose-cfrg-sm4.
 */
#include "unit/core/kat.h"

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

const struct kc_kat kc_kat_aria_128_cbc = {
	.key = "00112233445566778899aabbccddeeff",
	.iv = "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
	.plain = "11111111aaaaaaaa11111111bbbbbbbb11111111cccccccc11111111dddddddd"
		 "22222222aaaaaaaa22222222bbbbbbbb22222222cccccccc22222222dddddddd",
	.cipher = "49d61860b14909109cef0d22a9268134fadf9fb23151e9645fba75018bdb1538"
		  "b53334634bbf7d4cd4b5377033060c155fe3948ca75de1031e1d85619e0ad61e",
};

const struct kc_kat kc_kat_aria_192_cbc = {
	.key = "00112233445566778899aabbccddeeff0011223344556677",
	.iv = "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
	.plain = "11111111aaaaaaaa11111111bbbbbbbb11111111cccccccc11111111dddddddd"
		 "22222222aaaaaaaa22222222bbbbbbbb22222222cccccccc22222222dddddddd",
	.cipher = "afe6cf23974b533c672a826264ea785f4e4f7f780dc7f3f1e0962b80902386d5"
		  "14e9c3e77259de92dd1102ffab086c1ea52a71260db5920a83295c25320e4211",
};

const struct kc_kat kc_kat_aria_256_cbc = {
	.key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
	.iv = "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
	.plain = "11111111aaaaaaaa11111111bbbbbbbb11111111cccccccc11111111dddddddd"
		 "22222222aaaaaaaa22222222bbbbbbbb22222222cccccccc22222222dddddddd",
	.cipher = "523a8a806ae621f155fdd28dbc34e1ab7b9b42432ad8b2efb96e23b13f0a6e52"
		  "f36185d50ad002c5f601bee5493f118b243ee2e313642bffc3902e7b2efd9a12",
};

const struct kc_kat kc_kat_aria_128_ctr = {
	.key = "00112233445566778899aabbccddeeff",
	.iv = "00000000000000000000000000000000",
	.plain = "11111111aaaaaaaa11111111bbbbbbbb11111111cccccccc11111111dddddddd"
		 "22222222aaaaaaaa22222222bbbbbbbb22222222cccccccc22222222dddddddd",
	.cipher = "ac5d7de805a0bf1c57c854501af60fa11497e2a34519dea1569e91e5b5ccae2f"
		  "f3bfa1bf975f4571f48be191613546c3911163c085f871f0e7ae5f2a085b8185",
};

const struct kc_kat kc_kat_aria_192_ctr = {
	.key = "00112233445566778899aabbccddeeff0011223344556677",
	.iv = "00000000000000000000000000000000",
	.plain = "11111111aaaaaaaa11111111bbbbbbbb11111111cccccccc11111111dddddddd"
		 "22222222aaaaaaaa22222222bbbbbbbb22222222cccccccc22222222dddddddd",
	.cipher = "08625ca8fe569c19ba7af3760a6ed1cef4d199263e999dde14082dbba7560b79"
		  "a4c6b456b8707dce751f9854f18893dfdb3f4e5afa539733e6f1e70b98ba3789",
};

const struct kc_kat kc_kat_aria_256_ctr = {
	.key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
	.iv = "00000000000000000000000000000000",
	.plain = "11111111aaaaaaaa11111111bbbbbbbb11111111cccccccc11111111dddddddd"
		 "22222222aaaaaaaa22222222bbbbbbbb22222222cccccccc22222222dddddddd",
	.cipher = "30026c329666141721178b99c0a1f1b2f06940253f7b3089e2a30ea86aa3c88f"
		  "5940f05ad7ee41d71347bb7261e348f18360473fdf7d4e7723bffb4411cc13f6",
};

const struct kc_kat kc_kat_aria_128_ecb = {
	.key = "000102030405060708090a0b0c0d0e0f",
	.iv = "",
	.plain = "00112233445566778899aabbccddeeff",
	.cipher = "d718fbd6ab644c739da95f3be6451778",
};

const struct kc_kat kc_kat_aria_192_ecb = {
	.key = "000102030405060708090a0b0c0d0e0f1011121314151617",
	.iv = "",
	.plain = "00112233445566778899aabbccddeeff",
	.cipher = "26449c1805dbe7aa25a468ce263a9e79",
};

const struct kc_kat kc_kat_aria_256_ecb = {
	.key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	.iv = "",
	.plain = "00112233445566778899aabbccddeeff",
	.cipher = "f92bd7c79fb72e2f2b8f80c1972d24fc",
};

const struct kc_kat kc_kat_sm4_cbc = {
	.key = "0123456789abcdeffedcba9876543210",
	.iv = "0123456789abcdeffedcba9876543210",
	.plain = "0123456789abcdeffedcba98765432100123456789abcdeffedcba9876543210",
	.cipher = "2677f46b09c122cc975533105bd4a22af6125f7275ce552c3a2bbcf533de8a3b",
};

const struct kc_kat kc_kat_sm4_ctr = {
	.key = "0123456789abcdeffedcba9876543210",
	.iv = "0123456789abcdeffedcba9876543210",
	.plain = "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"
		 "eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa",
	.cipher = "c2b4759e78ac3cf43d0852f4e8d5f9fd7256e8a5fcb65a350ee00630912e4449"
		  "2a0b17e1b85b060d0fba612d8a95831638b361fd5ffacd942f081485a83ca35d",
};

const struct kc_kat kc_kat_sm4_ecb = {
	.key = "0123456789abcdeffedcba9876543210",
	.iv = "",
	.plain = "0123456789abcdeffedcba9876543210",
	.cipher = "681edf34d206965e86b3e94f536e4246",
};
