/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The binary interface of /dev/crypto, as the module of cryptodev-linux (since 1.6; its
 * crypto/cryptodev.h) speaks it: requests, structures and numbers for plain ciphers, GCM and
 * hashes, under the module's own names, declared anew since few systems install its header. Knows
 * nothing of the backend; tests/cuse answers the same from the other side.
 *
 * What the module does with them:
 * - A session belongs to the open file that made it: every copy of the descriptor can use and end
 *   it, no other open file can. Closing the last copy ends them all. The number is random, in
 *   32 bits, zero among them.
 * - Unknown requests, sessions, ciphers, operations and key lengths give EINVAL, as does a length
 *   that is no multiple of the block; memory that is not there, EFAULT. Only CIOCFSESSION says
 *   nothing of an unknown session: it returns 0.
 * - Length 0 is fine and does nothing. Any address is fine, in place or apart; with one that the
 *   driver cannot use as it is, the module copies, page by page, and each page is a request to the
 *   driver, with the IV that the one before left: of XTS, where a unit cannot be divided, all but
 *   the first page comes out wrong.
 * - A hash begins its first message when its session is made, which the module does not wait for:
 *   over a driver that does that asynchronously it crashes the kernel (1.14, over cryptd; seen on
 *   7.3), so that even to ask which driver there is takes the machine's life in one's hands.
 * - Never with a length and NULL, nor with a dst apart from src that cannot be written to: 1.14
 *   crashes the kernel in it, and the caller never returns (seen on 6.1). A src that cannot be read
 *   gives EFAULT.
 */
#ifndef KC_KERNEL_DEVCRYPTO_ABI_H
#define KC_KERNEL_DEVCRYPTO_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define DEVCRYPTO_PATH "/dev/crypto"

/* session_op.cipher, of enum cryptodev_crypto_op_t. */
#define CRYPTO_DES_CBC	    1	/* cbc(des), keys of 8 bytes, an IV of 8 */
#define CRYPTO_3DES_CBC	    2	/* cbc(des3_ede), keys of 24 bytes, an IV of 8 */
#define CRYPTO_BLF_CBC	    3	/* cbc(blowfish), keys of 4 to 56 bytes, an IV of 8 */
#define CRYPTO_CAST_CBC	    4	/* has a number, and nothing behind it: EINVAL */
#define CRYPTO_AES_CBC	    11	/* cbc(aes), keys of 16, 24 and 32 bytes, an IV of 16 */
#define CRYPTO_AES_CTR	    21	/* ctr(aes), any length of data */
#define CRYPTO_AES_XTS	    22	/* xts(aes), keys of 32, 48 and 64 bytes; from 1.13 on */
#define CRYPTO_AES_ECB	    23	/* ecb(aes), no IV */
#define CRYPTO_AES_CFB	    24	/* cfb(aes), any length of data; from 1.13 on */
#define CRYPTO_AES_OFB	    25	/* ofb(aes), any length of data; from 1.13 on */
#define CRYPTO_AES_GCM	    50	/* gcm(aes), an IV of 12; by CIOCAUTHCRYPT only */
#define CRYPTO_CAMELLIA_CBC 101 /* cbc(camellia), as cbc(aes) */

/* session_op.mac, of the same. Those named HMAC have a key, the others none. */
#define CRYPTO_MD5_HMAC	      6
#define CRYPTO_SHA1_HMAC      7
#define CRYPTO_RIPEMD160_HMAC 8
#define CRYPTO_MD5	      13
#define CRYPTO_SHA1	      14
#define CRYPTO_SHA2_256_HMAC  18
#define CRYPTO_SHA2_384_HMAC  19
#define CRYPTO_SHA2_512_HMAC  20
#define CRYPTO_RIPEMD160      102
#define CRYPTO_SHA2_224	      103
#define CRYPTO_SHA2_256	      104
#define CRYPTO_SHA2_384	      105
#define CRYPTO_SHA2_512	      106
#define CRYPTO_SHA2_224_HMAC  107

#define CRYPTO_HMAC_MAX_KEY_LEN	  512 /* bytes; longer: EINVAL for any hash */
#define CRYPTO_CIPHER_MAX_KEY_LEN 64  /* bytes; longer: EINVAL for any cipher */
#define CRYPTODEV_MAX_ALG_NAME	  64  /* bytes, with the final zero */

/* CIOCGSESSION: in, and out with the new session's number. Never names a driver: the kernel takes
 * the one of highest priority, whatever that is.
 */
struct session_op {
	uint32_t cipher; /* CRYPTO_*; 0 for none */
	uint32_t mac;	 /* for hashes; 0 for none. Both 0: EINVAL */
	uint32_t keylen; /* bytes */
	const uint8_t *key;
	uint32_t mackeylen; /* bytes */
	const uint8_t *mackey;
	uint32_t ses; /* out */
};

struct alg_info {
	char cra_name[CRYPTODEV_MAX_ALG_NAME];	      /* cbc(aes) */
	char cra_driver_name[CRYPTODEV_MAX_ALG_NAME]; /* mv-cbc-aes */
};

/* CIOCGSESSINFO: out, but for the session's number. What the session has no algorithm for stays as
 * the caller had it.
 */
struct session_info_op {
	uint32_t ses; /* in */
	struct alg_info cipher_info;
	struct alg_info hash_info;
	uint16_t alignmask; /* addresses with none of these bits set are not copied */
	uint32_t flags;	    /* SIOP_FLAG_* */
};

/* The driver is one that only the kernel can use, as it says itself: no CPU instructions. Not every
 * accelerator's driver does.
 */
#define SIOP_FLAG_KERNEL_DRIVER_ONLY 1

/* crypt_op.op */
#define COP_ENCRYPT 0
#define COP_DECRYPT 1

/* crypt_op.flags. A hash with none of UPDATE, FINAL, RESET: of one message, from begin to end. */
#define COP_FLAG_UPDATE	  (1 << 0) /* goes on with the message, and does not end it */
#define COP_FLAG_FINAL	  (1 << 1) /* goes on with it, and ends it */
#define COP_FLAG_RESET	  (1 << 6) /* begins anew, with COP_FLAG_UPDATE */
#define COP_FLAG_WRITE_IV (1 << 2) /* write the next request's IV to where iv points */
#define COP_FLAG_NO_ZC	  (1 << 3) /* copy; the module sets it, too, for unaligned addresses */

/* CIOCCRYPT: in, and written back as the module left it, which is only flags. */
struct crypt_op {
	uint32_t ses;
	uint16_t op;	/* COP_ENCRYPT or COP_DECRYPT */
	uint16_t flags; /* COP_FLAG_* */
	uint32_t len;	/* bytes, of src and of dst */
	const uint8_t *src;
	uint8_t *dst; /* of a hash alone NULL, and op COP_ENCRYPT: decrypting, this is hashed */
	uint8_t *mac; /* the hash, as long as it is, at the end of a message */
	/*
	 * As long as the cipher's; written to with COP_FLAG_WRITE_IV only. NULL: goes on with the
	 * IV that the session's last request left, at first zeros.
	 */
	uint8_t *iv;
};

/*
 * CIOCAUTHCRYPT: in, and written back with len as the length of the result and tag as where in dst
 * it is. A bad tag gives EBADMSG; a session of another kind, auth_len above a page and tag_len
 * above the last one, EINVAL. The length of the tag stays with the session. Text and tag are one
 * piece in src and in dst, which has to be able to hold both when encrypting, and may be the same
 * as src.
 */
struct crypt_auth_op {
	uint32_t ses;
	uint16_t op;	   /* COP_ENCRYPT or COP_DECRYPT */
	uint16_t flags;	   /* 0, for protocols of their own otherwise */
	uint32_t len;	   /* bytes in src: the text, and to be decrypted, the tag too */
	uint32_t auth_len; /* bytes, this and all lengths */
	const uint8_t *auth_src;
	const uint8_t *src;
	uint8_t *dst;
	uint8_t *tag;	  /* out */
	uint32_t tag_len; /* 0: the longest */
	uint8_t *iv;	  /* as long as the cipher's */
	uint32_t iv_len;  /* not looked at */
};

/* EINVAL for all other requests, too, which a kernel would otherwise call ENOTTY. */
#define CRIOGET	      _IOWR('c', 101, uint32_t) /* out: a copy of the descriptor; not needed */
#define CIOCGSESSION  _IOWR('c', 102, struct session_op)
#define CIOCFSESSION  _IOW('c', 103, uint32_t)
#define CIOCCRYPT     _IOWR('c', 104, struct crypt_op)
#define CIOCGSESSINFO _IOWR('c', 107, struct session_info_op)
#define CIOCAUTHCRYPT _IOWR('c', 109, struct crypt_auth_op)

static_assert(sizeof(struct session_op) == (sizeof(void *) == 8 ? 48 : 28), "session_op");
static_assert(offsetof(struct session_op, ses) == (sizeof(void *) == 8 ? 40 : 24), "session_op");
static_assert(sizeof(struct session_info_op) == 268, "session_info_op");
static_assert(offsetof(struct session_info_op, alignmask) == 260, "session_info_op");
static_assert(sizeof(struct crypt_op) == (sizeof(void *) == 8 ? 48 : 28), "crypt_op");
static_assert(offsetof(struct crypt_op, src) == (sizeof(void *) == 8 ? 16 : 12), "crypt_op");
static_assert(sizeof(struct crypt_auth_op) == (sizeof(void *) == 8 ? 72 : 44), "crypt_auth_op");
static_assert(offsetof(struct crypt_auth_op, iv) == (sizeof(void *) == 8 ? 56 : 36),
	      "crypt_auth_op");

#endif
