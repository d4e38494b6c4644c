/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published vectors of the other ciphers, one a row. DES-EDE3-CBC: the "7654321 Now is the time for "
 * message of FIPS PUB 81's tradition, as OpenSSL tests it; DES-EDE3-ECB: NIST SP 800-67, appendix B.
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
