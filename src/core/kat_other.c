/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published vectors of the other ciphers, one a row. DES-EDE3-CBC: the "7654321 Now is the time for "
 * message of FIPS PUB 81's tradition, as OpenSSL tests it, and so BF-CBC, as
 * Blowfish's author published it;
 * DES-EDE3-ECB: NIST SP 800-67, appendix B; DES: FIPS PUB 81, appendices B and C; CAST5-CBC: RFC 2144,
 * appendix B.1, which is one block, so with an IV of zeros; ChaCha20: RFC 8439, section 2.4.2.
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
