/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/kcrypto: requests of user space to crypto accelerators.
 *
 * An open file is one session: one algorithm, one driver, one key. KCRYPTO_IOC_OPEN sets it up
 * once; from then on KCRYPTO_IOC_RUN does one request, or KCRYPTO_IOC_SUBMIT and
 * KCRYPTO_IOC_REAP, with poll(2), keep several in flight. Nothing but the key stays in the session
 * between two requests, so any number of threads and processes may use it at the same time.
 *
 * Later versions may make a struct longer. The size is part of the ioctl's number. Bytes that the
 * kernel does not know must be zero (-E2BIG); bytes that user space does not know count as zero.
 * Pointers are 64-bit numbers, and the layout is the same for 32-bit programs.
 */
#ifndef _UAPI_LINUX_KCRYPTO_H
#define _UAPI_LINUX_KCRYPTO_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KCRYPTO_NAME_LEN	128	/* bytes of a driver's name, with the NUL */
#define KCRYPTO_MAX_LEN		65536	/* bytes of text in a request, of any driver */
#define KCRYPTO_MAX_AAD		4096	/* bytes */
#define KCRYPTO_MAX_KEY		1024	/* bytes */
#define KCRYPTO_MAX_IN_FLIGHT	64	/* submitted requests of a session */

/**
 * enum kcrypto_algorithm - the algorithms, named as the kernel's crypto API names them
 * @KCRYPTO_CBC_AES: cbc(aes)
 * @KCRYPTO_CTR_AES: ctr(aes)
 * @KCRYPTO_ECB_AES: ecb(aes)
 * @KCRYPTO_XTS_AES: xts(aes)
 * @KCRYPTO_CFB_AES: cfb(aes)
 * @KCRYPTO_OFB_AES: ofb(aes)
 * @KCRYPTO_CBC_DES3: cbc(des3_ede)
 * @KCRYPTO_ECB_DES3: ecb(des3_ede)
 * @KCRYPTO_CBC_DES: cbc(des)
 * @KCRYPTO_ECB_DES: ecb(des)
 * @KCRYPTO_CBC_CAMELLIA: cbc(camellia)
 * @KCRYPTO_CTR_CAMELLIA: ctr(camellia)
 * @KCRYPTO_ECB_CAMELLIA: ecb(camellia)
 * @KCRYPTO_CBC_ARIA: cbc(aria)
 * @KCRYPTO_CTR_ARIA: ctr(aria)
 * @KCRYPTO_ECB_ARIA: ecb(aria)
 * @KCRYPTO_CBC_SM4: cbc(sm4)
 * @KCRYPTO_CTR_SM4: ctr(sm4)
 * @KCRYPTO_ECB_SM4: ecb(sm4)
 * @KCRYPTO_CHACHA20: chacha20
 * @KCRYPTO_CBC_BLOWFISH: cbc(blowfish)
 * @KCRYPTO_CBC_CAST5: cbc(cast5)
 * @KCRYPTO_CBC_PAES: cbc(paes)
 * @KCRYPTO_CTR_PAES: ctr(paes)
 * @KCRYPTO_ECB_PAES: ecb(paes)
 * @KCRYPTO_XTS_PAES: xts(paes)
 * @KCRYPTO_GCM_AES: gcm(aes)
 * @KCRYPTO_CCM_AES: ccm(aes)
 * @KCRYPTO_CHACHA20_POLY1305: rfc7539(chacha20,poly1305)
 * @KCRYPTO_MD4: md4
 * @KCRYPTO_MD5: md5
 * @KCRYPTO_SHA1: sha1
 * @KCRYPTO_SHA224: sha224
 * @KCRYPTO_SHA256: sha256
 * @KCRYPTO_SHA384: sha384
 * @KCRYPTO_SHA512: sha512
 * @KCRYPTO_SHA3_224: sha3-224
 * @KCRYPTO_SHA3_256: sha3-256
 * @KCRYPTO_SHA3_384: sha3-384
 * @KCRYPTO_SHA3_512: sha3-512
 * @KCRYPTO_RMD160: rmd160
 * @KCRYPTO_SM3: sm3
 * @KCRYPTO_HMAC_MD5: hmac(md5)
 * @KCRYPTO_HMAC_SHA1: hmac(sha1)
 * @KCRYPTO_HMAC_SHA224: hmac(sha224)
 * @KCRYPTO_HMAC_SHA256: hmac(sha256)
 * @KCRYPTO_HMAC_SHA384: hmac(sha384)
 * @KCRYPTO_HMAC_SHA512: hmac(sha512)
 * @KCRYPTO_HMAC_SHA3_224: hmac(sha3-224)
 * @KCRYPTO_HMAC_SHA3_256: hmac(sha3-256)
 * @KCRYPTO_HMAC_SHA3_384: hmac(sha3-384)
 * @KCRYPTO_HMAC_SHA3_512: hmac(sha3-512)
 * @KCRYPTO_HMAC_RMD160: hmac(rmd160)
 * @KCRYPTO_HMAC_SM3: hmac(sm3)
 * @KCRYPTO_CMAC_AES: cmac(aes)
 * @KCRYPTO_BLOCKS_MD5: blocks of md5, see struct kcrypto_request
 * @KCRYPTO_BLOCKS_SHA1: of sha1
 * @KCRYPTO_BLOCKS_SHA224: of sha224
 * @KCRYPTO_BLOCKS_SHA256: of sha256
 * @KCRYPTO_BLOCKS_SHA384: of sha384
 * @KCRYPTO_BLOCKS_SHA512: of sha512
 *
 * kcrypto_algs.h has the properties of each.
 */
enum kcrypto_algorithm {
	KCRYPTO_CBC_AES = 1,
	KCRYPTO_CTR_AES = 2,
	KCRYPTO_ECB_AES = 3,
	KCRYPTO_XTS_AES = 4,
	KCRYPTO_CFB_AES = 5,
	KCRYPTO_OFB_AES = 6,
	KCRYPTO_CBC_DES3 = 7,
	KCRYPTO_ECB_DES3 = 8,
	KCRYPTO_CBC_DES = 9,
	KCRYPTO_ECB_DES = 10,
	KCRYPTO_CBC_CAMELLIA = 11,
	KCRYPTO_CTR_CAMELLIA = 12,
	KCRYPTO_ECB_CAMELLIA = 13,
	KCRYPTO_CBC_ARIA = 14,
	KCRYPTO_CTR_ARIA = 15,
	KCRYPTO_ECB_ARIA = 16,
	KCRYPTO_CBC_SM4 = 17,
	KCRYPTO_CTR_SM4 = 18,
	KCRYPTO_ECB_SM4 = 19,
	KCRYPTO_CHACHA20 = 20,
	KCRYPTO_CBC_BLOWFISH = 21,
	KCRYPTO_CBC_CAST5 = 22,
	KCRYPTO_CBC_PAES = 23,
	KCRYPTO_CTR_PAES = 24,
	KCRYPTO_ECB_PAES = 25,
	KCRYPTO_XTS_PAES = 26,
	KCRYPTO_GCM_AES = 32,
	KCRYPTO_CCM_AES = 33,
	KCRYPTO_CHACHA20_POLY1305 = 34,
	KCRYPTO_MD4 = 48,
	KCRYPTO_MD5 = 49,
	KCRYPTO_SHA1 = 50,
	KCRYPTO_SHA224 = 51,
	KCRYPTO_SHA256 = 52,
	KCRYPTO_SHA384 = 53,
	KCRYPTO_SHA512 = 54,
	KCRYPTO_SHA3_224 = 55,
	KCRYPTO_SHA3_256 = 56,
	KCRYPTO_SHA3_384 = 57,
	KCRYPTO_SHA3_512 = 58,
	KCRYPTO_RMD160 = 59,
	KCRYPTO_SM3 = 60,
	KCRYPTO_HMAC_MD5 = 65,
	KCRYPTO_HMAC_SHA1 = 66,
	KCRYPTO_HMAC_SHA224 = 67,
	KCRYPTO_HMAC_SHA256 = 68,
	KCRYPTO_HMAC_SHA384 = 69,
	KCRYPTO_HMAC_SHA512 = 70,
	KCRYPTO_HMAC_SHA3_224 = 71,
	KCRYPTO_HMAC_SHA3_256 = 72,
	KCRYPTO_HMAC_SHA3_384 = 73,
	KCRYPTO_HMAC_SHA3_512 = 74,
	KCRYPTO_HMAC_RMD160 = 75,
	KCRYPTO_HMAC_SM3 = 76,
	KCRYPTO_CMAC_AES = 77,
	KCRYPTO_BLOCKS_MD5 = 81,
	KCRYPTO_BLOCKS_SHA1 = 82,
	KCRYPTO_BLOCKS_SHA224 = 83,
	KCRYPTO_BLOCKS_SHA256 = 84,
	KCRYPTO_BLOCKS_SHA384 = 85,
	KCRYPTO_BLOCKS_SHA512 = 86,
};

/* Flags of a driver. */
#define KCRYPTO_DRIVER_ASYNC	0x1 /* CRYPTO_ALG_ASYNC */
#define KCRYPTO_DRIVER_HARDWARE	0x2 /* CRYPTO_ALG_KERN_DRIVER_ONLY */
#define KCRYPTO_DRIVER_FALLBACK	0x4 /* CRYPTO_ALG_NEED_FALLBACK: software does a part */

/**
 * struct kcrypto_driver - one admitted driver
 * @algorithm: one of the numbers above
 * @flags: KCRYPTO_DRIVER_*
 * @min_key: shortest key in bytes; 0: the driver does not tell
 * @max_key: longest key in bytes; 0: the driver does not tell
 * @priority: of several drivers the highest is used, unless a session names one
 * @max_len: longest text of a request in bytes
 * @name: the driver's name, as in /proc/crypto
 */
struct kcrypto_driver {
	__u32 algorithm;
	__u32 flags;
	__u32 min_key;
	__u32 max_key;
	__s32 priority;
	__u32 max_len;
	char name[KCRYPTO_NAME_LEN];
};

/**
 * struct kcrypto_list - argument of KCRYPTO_IOC_LIST, which needs no session
 * @drivers: address of an array of struct kcrypto_driver, to be filled in
 * @count: in: entries that fit there; out: number of drivers, which may be more
 * @driver_size: in: sizeof(struct kcrypto_driver) in the caller's version
 */
struct kcrypto_list {
	__aligned_u64 drivers;
	__u32 count;
	__u32 driver_size;
};

#define KCRYPTO_KEY_SERIAL	0x1 /* the key is in the kernel's keyring */

/**
 * struct kcrypto_open - argument of KCRYPTO_IOC_OPEN
 * @algorithm: one of the numbers above
 * @flags: 0 or KCRYPTO_KEY_SERIAL
 * @key: address of the key; with KCRYPTO_KEY_SERIAL 0
 * @key_len: bytes; with KCRYPTO_KEY_SERIAL 0
 * @key_serial: with KCRYPTO_KEY_SERIAL the serial number of a key of type user, logon, encrypted
 *	or trusted that the caller may search; else 0
 * @tag_len: bytes of an AEAD's tag, 4 to 16; else 0
 * @max_len: in: 0; out: longest text of a request in bytes
 * @session: out: a random number that each request has to repeat
 * @driver: in: the exact name of an admitted driver, or an empty string for the one with the
 *	highest priority; out: the driver's name
 */
struct kcrypto_open {
	__u32 algorithm;
	__u32 flags;
	__aligned_u64 key;
	__u32 key_len;
	__s32 key_serial;
	__u32 tag_len;
	__u32 max_len;
	__aligned_u64 session;
	char driver[KCRYPTO_NAME_LEN];
};

#define KCRYPTO_DECRYPT		0x1

/**
 * struct kcrypto_request - argument of KCRYPTO_IOC_RUN and KCRYPTO_IOC_SUBMIT
 * @session: the number that KCRYPTO_IOC_OPEN returned
 * @flags: 0 or, of a cipher or AEAD, KCRYPTO_DECRYPT
 * @len: bytes of text at @in, at most the session's @max_len; a cipher's are at least one and, in
 *	a block mode, whole blocks
 * @in: the text, or the whole message of a digest or MAC
 * @out: room for as many bytes as @in, or 0 for a digest or MAC; may overlap @in in any way
 * @iv: only read
 * @aad: an AEAD's
 * @tag: an AEAD's tag: written, or read to decrypt; or the digest or MAC, written
 * @iv_len: bytes, exactly as the algorithm has them
 * @aad_len: bytes, at most KCRYPTO_MAX_AAD
 * @tag_len: bytes, exactly as the session or algorithm has them; 0 for a cipher
 * @reserved: 0
 * @user_data: KCRYPTO_IOC_REAP returns it
 *
 * Blocks of a digest (KCRYPTO_BLOCKS_*) are any whole blocks of a message, without the padding.
 * Nothing of them stays in the kernel: @iv is the midstate before them and @tag the one after. A
 * midstate is the words h of RFC 1321 and FIPS 180-4 in the machine's byte order: 4 of 32 bits with
 * MD5, 5 with SHA-1, 8 with SHA-224 and SHA-256, and 8 of 64 bits with SHA-384 and SHA-512. User
 * space begins with the words of the standard, counts the bytes, and does the padding. If the
 * driver cannot continue from a midstate, KCRYPTO_IOC_OPEN returns -EPROTONOSUPPORT;
 * KCRYPTO_IOC_LIST lists for blocks only drivers that may be able to.
 *
 * All input is copied before the driver starts. Output is written when the driver has done all of
 * it without an error; an AEAD's text only if the tag is right (-EBADMSG: it is not).
 */
struct kcrypto_request {
	__aligned_u64 session;
	__u32 flags;
	__u32 len;
	__aligned_u64 in;
	__aligned_u64 out;
	__aligned_u64 iv;
	__aligned_u64 aad;
	__aligned_u64 tag;
	__u32 iv_len;
	__u32 aad_len;
	__u32 tag_len;
	__u32 reserved;
	__aligned_u64 user_data;
};

#define KCRYPTO_NOWAIT		0x1
#define KCRYPTO_THIS		0x2 /* the request of this user_data, and no other */
#define KCRYPTO_DROP		0x4 /* drop it; only with KCRYPTO_THIS */

/**
 * struct kcrypto_result - argument of KCRYPTO_IOC_REAP
 * @session: in: the number that KCRYPTO_IOC_OPEN returned
 * @user_data: out: the request's; with KCRYPTO_THIS also in: selects the request
 * @flags: in: 0, or any of KCRYPTO_NOWAIT (like O_NONBLOCK), KCRYPTO_THIS and KCRYPTO_DROP
 * @error: out: 0 or a negative errno, as KCRYPTO_IOC_RUN would have returned; with KCRYPTO_DROP
 *	-ECANCELED
 *
 * Only the process that submitted a request reaps it, while it runs the same program; the output is
 * written then. poll(2) returns EPOLLIN when any request of the caller can be reaped, not only the
 * one that the caller waits for: if several threads share a file, each tries with
 * KCRYPTO_THIS | KCRYPTO_NOWAIT.
 *
 * KCRYPTO_DROP ends a request without waiting for the driver: its output is never written, and its
 * place is free. Its memory counts as in flight until the driver has answered.
 */
struct kcrypto_result {
	__aligned_u64 session;
	__aligned_u64 user_data;
	__u32 flags;
	__s32 error;
};

#define KCRYPTO_IOC_MAGIC	0xC7
#define KCRYPTO_IOC_LIST	_IOWR(KCRYPTO_IOC_MAGIC, 0x01, struct kcrypto_list)
#define KCRYPTO_IOC_OPEN	_IOWR(KCRYPTO_IOC_MAGIC, 0x02, struct kcrypto_open)
#define KCRYPTO_IOC_RUN		_IOW(KCRYPTO_IOC_MAGIC, 0x03, struct kcrypto_request)
#define KCRYPTO_IOC_SUBMIT	_IOW(KCRYPTO_IOC_MAGIC, 0x04, struct kcrypto_request)
#define KCRYPTO_IOC_REAP	_IOWR(KCRYPTO_IOC_MAGIC, 0x05, struct kcrypto_result)

#endif /* _UAPI_LINUX_KCRYPTO_H */
