/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published vectors of the AEADs, one per row: GCM's from its specification (test cases 4, 10 and
 * 16), CCM's from NIST's CAVP (VNT, nonces of 12 bytes), ChaCha20-Poly1305's from RFC 8439, section
 * 2.8.2. A CCM's IV has the kernel's form: the size of the length field minus one, the nonce, and
 * all zero after that.
 */
#include "unit/core/kat.h"

const struct kc_kat kc_kat_aes_128_gcm = {
	.key = "feffe9928665731c6d6a8f9467308308",
	.iv = "cafebabefacedbaddecaf888",
	.aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2",
	.plain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
		 "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
	.cipher = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
		  "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
	.tag = "5bc94fbc3221a5db94fae95ae7121a47",
};

const struct kc_kat kc_kat_aes_192_gcm = {
	.key = "feffe9928665731c6d6a8f9467308308feffe9928665731c",
	.iv = "cafebabefacedbaddecaf888",
	.aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2",
	.plain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
		 "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
	.cipher = "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c"
		  "7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
	.tag = "2519498e80f1478f37ba55bd6d27618c",
};

const struct kc_kat kc_kat_aes_256_gcm = {
	.key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
	.iv = "cafebabefacedbaddecaf888",
	.aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2",
	.plain = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
		 "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
	.cipher = "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
		  "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
	.tag = "76fc6ece0f4e1768cddf8853bb2d551b",
};

const struct kc_kat kc_kat_aes_128_ccm = {
	.key = "005e8f4d8e0cbf4e1ceeb5d87a275848",
	.iv = "020ec3ac452b547b9062aac8fa000000",
	.aad = "2f1821aa57e5278ffd33c17d46615b77363149dbc98470413f6543a6b749f2ca",
	.plain = "b6f345204526439daf84998f380dcfb4b4167c959c04ff65",
	.cipher = "9575e16f35da3c88a19c26a7b762044f4d7bbbafeff05d75",
	.tag = "4829e2a7752fa3a14890972884b511d8",
};

const struct kc_kat kc_kat_aes_192_ccm = {
	.key = "d49b255aed8be1c02eb6d8ae2bac6dcd7901f1f61df3bbf5",
	.iv = "021af29e721c98e81fb6286370000000",
	.aad = "64f8a0eee5487a4958a489ed35f1327e2096542c1bdb2134fb942ca91804c274",
	.plain = "062eafb0cd09d26e65108c0f56fcc7a305f31c34e0f3a24c",
	.cipher = "721344e2fd05d2ee50713531052d75e4071103ab0436f65f",
	.tag = "0af2a663da51bac626c9f4128ba5ec0b",
};

const struct kc_kat kc_kat_aes_256_ccm = {
	.key = "d6ff67379a2ead2ca87aa4f29536258f9fb9fc2e91b0ed18e7b9f5df332dd1dc",
	.iv = "022f1d0717a822e20c7cd28f0a000000",
	.aad = "d50741d34c8564d92f396b97be782923ff3c855ea9757bde419f632c83997630",
	.plain = "98626ffc6c44f13c964e7fcb7d16e988990d6d063d012d33",
	.cipher = "50e22db70ac2bab6d6af7059c90d00fbf0fb52eee5eb650e",
	.tag = "08aca7dec636170f481dcb9fefb85c05",
};

const struct kc_kat kc_kat_chacha20_poly1305 = {
	.key = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
	.iv = "070000004041424344454647",
	.aad = "50515253c0c1c2c3c4c5c6c7",
	.plain = "4c616469657320616e642047656e746c656d656e206f662074686520636c6173"
		 "73206f66202739393a204966204920636f756c64206f6666657220796f75206f"
		 "6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73"
		 "637265656e20776f756c642062652069742e",
	.cipher = "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
		  "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
		  "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
		  "3ff4def08e4b7a9de576d26586cec64b6116",
	.tag = "1ae10b594f09e26a7e902ecbd0600691",
};
