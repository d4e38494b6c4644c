/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The algorithms of /dev/kcrypto. Included wherever each row becomes something, so without a guard:
 * KCRYPTO_ALG(identifier, number, name in the kernel's crypto API, kind, unit, least, IV, output),
 * which is empty unless the includer defines it. The last four are in bytes: a request's text is a
 * multiple of the unit and at least the least length; the output is a digest, a MAC or a midstate.
 */
#ifndef KCRYPTO_ALG
#define KCRYPTO_ALG(id, number, name, kind, unit, least, iv, out)
#endif

/* Ciphers: the IV has 16 bytes; 8 with DES, triple DES, Blowfish and CAST5; none with ECB. */
KCRYPTO_ALG(CBC_AES, 1, "cbc(aes)", CIPHER, 16, 16, 16, 0)
KCRYPTO_ALG(CTR_AES, 2, "ctr(aes)", CIPHER, 1, 1, 16, 0)
KCRYPTO_ALG(ECB_AES, 3, "ecb(aes)", CIPHER, 16, 16, 0, 0)
KCRYPTO_ALG(XTS_AES, 4, "xts(aes)", CIPHER, 1, 16, 16, 0)
KCRYPTO_ALG(CFB_AES, 5, "cfb(aes)", CIPHER, 1, 1, 16, 0)
KCRYPTO_ALG(OFB_AES, 6, "ofb(aes)", CIPHER, 1, 1, 16, 0)
KCRYPTO_ALG(CBC_DES3, 7, "cbc(des3_ede)", CIPHER, 8, 8, 8, 0)
KCRYPTO_ALG(ECB_DES3, 8, "ecb(des3_ede)", CIPHER, 8, 8, 0, 0)
KCRYPTO_ALG(CBC_DES, 9, "cbc(des)", CIPHER, 8, 8, 8, 0)
KCRYPTO_ALG(ECB_DES, 10, "ecb(des)", CIPHER, 8, 8, 0, 0)
KCRYPTO_ALG(CBC_CAMELLIA, 11, "cbc(camellia)", CIPHER, 16, 16, 16, 0)
KCRYPTO_ALG(CTR_CAMELLIA, 12, "ctr(camellia)", CIPHER, 1, 1, 16, 0)
KCRYPTO_ALG(ECB_CAMELLIA, 13, "ecb(camellia)", CIPHER, 16, 16, 0, 0)
KCRYPTO_ALG(CBC_ARIA, 14, "cbc(aria)", CIPHER, 16, 16, 16, 0)
KCRYPTO_ALG(CTR_ARIA, 15, "ctr(aria)", CIPHER, 1, 1, 16, 0)
KCRYPTO_ALG(ECB_ARIA, 16, "ecb(aria)", CIPHER, 16, 16, 0, 0)
KCRYPTO_ALG(CBC_SM4, 17, "cbc(sm4)", CIPHER, 16, 16, 16, 0)
KCRYPTO_ALG(CTR_SM4, 18, "ctr(sm4)", CIPHER, 1, 1, 16, 0)
KCRYPTO_ALG(ECB_SM4, 19, "ecb(sm4)", CIPHER, 16, 16, 0, 0)
KCRYPTO_ALG(CHACHA20, 20, "chacha20", CIPHER, 1, 1, 16, 0)
KCRYPTO_ALG(CBC_BLOWFISH, 21, "cbc(blowfish)", CIPHER, 8, 8, 8, 0)
KCRYPTO_ALG(CBC_CAST5, 22, "cbc(cast5)", CIPHER, 8, 8, 8, 0)

/* With a wrapped key, which only the device can open. */
KCRYPTO_ALG(CBC_PAES, 23, "cbc(paes)", CIPHER, 16, 16, 16, 0)
KCRYPTO_ALG(CTR_PAES, 24, "ctr(paes)", CIPHER, 1, 1, 16, 0)
KCRYPTO_ALG(ECB_PAES, 25, "ecb(paes)", CIPHER, 16, 16, 0, 0)
KCRYPTO_ALG(XTS_PAES, 26, "xts(paes)", CIPHER, 1, 16, 16, 0)

/* AEADs: the IV has 12 bytes; CCM's has 16, and its first is the length of its counter less one. */
KCRYPTO_ALG(GCM_AES, 32, "gcm(aes)", AEAD, 1, 0, 12, 0)
KCRYPTO_ALG(CCM_AES, 33, "ccm(aes)", AEAD, 1, 0, 16, 0)
KCRYPTO_ALG(CHACHA20_POLY1305, 34, "rfc7539(chacha20,poly1305)", AEAD, 1, 0, 12, 0)

/* Digests. */
KCRYPTO_ALG(MD4, 48, "md4", DIGEST, 1, 0, 0, 16)
KCRYPTO_ALG(MD5, 49, "md5", DIGEST, 1, 0, 0, 16)
KCRYPTO_ALG(SHA1, 50, "sha1", DIGEST, 1, 0, 0, 20)
KCRYPTO_ALG(SHA224, 51, "sha224", DIGEST, 1, 0, 0, 28)
KCRYPTO_ALG(SHA256, 52, "sha256", DIGEST, 1, 0, 0, 32)
KCRYPTO_ALG(SHA384, 53, "sha384", DIGEST, 1, 0, 0, 48)
KCRYPTO_ALG(SHA512, 54, "sha512", DIGEST, 1, 0, 0, 64)
KCRYPTO_ALG(SHA3_224, 55, "sha3-224", DIGEST, 1, 0, 0, 28)
KCRYPTO_ALG(SHA3_256, 56, "sha3-256", DIGEST, 1, 0, 0, 32)
KCRYPTO_ALG(SHA3_384, 57, "sha3-384", DIGEST, 1, 0, 0, 48)
KCRYPTO_ALG(SHA3_512, 58, "sha3-512", DIGEST, 1, 0, 0, 64)
KCRYPTO_ALG(RMD160, 59, "rmd160", DIGEST, 1, 0, 0, 20)
KCRYPTO_ALG(SM3, 60, "sm3", DIGEST, 1, 0, 0, 32)

/* The same with a key, and CMAC. */
KCRYPTO_ALG(HMAC_MD5, 65, "hmac(md5)", MAC, 1, 0, 0, 16)
KCRYPTO_ALG(HMAC_SHA1, 66, "hmac(sha1)", MAC, 1, 0, 0, 20)
KCRYPTO_ALG(HMAC_SHA224, 67, "hmac(sha224)", MAC, 1, 0, 0, 28)
KCRYPTO_ALG(HMAC_SHA256, 68, "hmac(sha256)", MAC, 1, 0, 0, 32)
KCRYPTO_ALG(HMAC_SHA384, 69, "hmac(sha384)", MAC, 1, 0, 0, 48)
KCRYPTO_ALG(HMAC_SHA512, 70, "hmac(sha512)", MAC, 1, 0, 0, 64)
KCRYPTO_ALG(HMAC_SHA3_224, 71, "hmac(sha3-224)", MAC, 1, 0, 0, 28)
KCRYPTO_ALG(HMAC_SHA3_256, 72, "hmac(sha3-256)", MAC, 1, 0, 0, 32)
KCRYPTO_ALG(HMAC_SHA3_384, 73, "hmac(sha3-384)", MAC, 1, 0, 0, 48)
KCRYPTO_ALG(HMAC_SHA3_512, 74, "hmac(sha3-512)", MAC, 1, 0, 0, 64)
KCRYPTO_ALG(HMAC_RMD160, 75, "hmac(rmd160)", MAC, 1, 0, 0, 20)
KCRYPTO_ALG(HMAC_SM3, 76, "hmac(sm3)", MAC, 1, 0, 0, 32)
KCRYPTO_ALG(CMAC_AES, 77, "cmac(aes)", MAC, 1, 0, 0, 16)

/* Whole blocks from the middle of a digest: IV and output are midstates. */
KCRYPTO_ALG(BLOCKS_MD5, 81, "md5", BLOCKS, 64, 64, 16, 16)
KCRYPTO_ALG(BLOCKS_SHA1, 82, "sha1", BLOCKS, 64, 64, 20, 20)
KCRYPTO_ALG(BLOCKS_SHA224, 83, "sha224", BLOCKS, 64, 64, 32, 32)
KCRYPTO_ALG(BLOCKS_SHA256, 84, "sha256", BLOCKS, 64, 64, 32, 32)
KCRYPTO_ALG(BLOCKS_SHA384, 85, "sha384", BLOCKS, 128, 128, 64, 64)
KCRYPTO_ALG(BLOCKS_SHA512, 86, "sha512", BLOCKS, 128, 128, 64, 64)

#undef KCRYPTO_ALG
