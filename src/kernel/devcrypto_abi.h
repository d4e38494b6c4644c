/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The binary interface of /dev/crypto as the cryptodev-linux module defines it (since 1.6; its
 * crypto/cryptodev.h): requests, structures and numbers for plain ciphers, GCM and hashes, under
 * the module's own names. They are declared again here because few systems install that header.
 * Knows nothing of the backend; tests/cuse implements the other side.
 *
 * How the module behaves:
 * - A session belongs to the open file that made it: every copy of the descriptor can use and end
 *   it, and no other open file can. Closing the last copy ends all its sessions. The session number
 *   is a random 32-bit value and may be zero.
 * - Unknown requests, sessions, ciphers, operations and key lengths give EINVAL, and so does a
 *   length that is not a multiple of the block; an invalid address gives EFAULT. Only CIOCFSESSION
 *   does not report an unknown session: it returns 0.
 * - Length 0 is accepted and does nothing. Any address is accepted, in place or not. If the driver
 *   cannot use an address directly, the module copies page by page, and each page is a request to
 *   the driver, with the IV that the previous one left. With XTS, whose units cannot be divided,
 *   all output after the first page is then wrong.
 * - A hash starts its first message when its session is made, and the module does not wait for
 *   that: over a driver that does it asynchronously the kernel crashes (1.14, over cryptd; seen on
 *   7.3). So even asking for the driver's name risks the machine.
 * - Never pass a length with NULL, or a dst other than src that cannot be written to: 1.14 crashes
 *   the kernel, and the caller never returns (seen on 6.1). A src that cannot be read gives EFAULT.
 */
#ifndef KC_KERNEL_DEVCRYPTO_ABI_H
#define KC_KERNEL_DEVCRYPTO_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define DEVCRYPTO_PATH "/dev/crypto"

enum {
#define KC_DEVCRYPTO(id, number, name) id = number,
#include "kernel/devcrypto_algs.def"
#undef KC_DEVCRYPTO
};

#define CRYPTO_HMAC_MAX_KEY_LEN 512 /* bytes; longer: EINVAL for any hash */
#define CRYPTODEV_MAX_ALG_NAME	64  /* bytes, with the final zero */

/*
 * CIOCGSESSION: in, and out with the new session's number. It cannot name a driver: the kernel
 * takes the one with the highest priority.
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

/*
 * CIOCGSESSINFO: out, except for the session's number. Fields for an algorithm that the session
 * does not have stay as the caller set them.
 */
struct session_info_op {
	uint32_t ses; /* in */
	struct alg_info cipher_info;
	struct alg_info hash_info;
	uint16_t alignmask; /* addresses with none of these bits set are not copied */
	uint32_t flags;	    /* SIOP_FLAG_* */
};

/*
 * The driver says that only the kernel can use it, so it is no CPU instruction. Not every
 * accelerator's driver says so.
 */
#define SIOP_FLAG_KERNEL_DRIVER_ONLY 1

/* crypt_op.op */
#define COP_ENCRYPT 0
#define COP_DECRYPT 1

/*
 * crypt_op.flags. Others continue a hash's message or write the next request's IV: without them, a
 * hash does one message from beginning to end.
 */
#define COP_FLAG_NO_ZC (1 << 3) /* copy; the module also sets it for unaligned addresses */

/* CIOCCRYPT: in, and written back as the module left it; only the flags change. */
struct crypt_op {
	uint32_t ses;
	uint16_t op;	/* COP_ENCRYPT or COP_DECRYPT */
	uint16_t flags; /* COP_FLAG_* */
	uint32_t len;	/* bytes, of src and of dst */
	const uint8_t *src;
	uint8_t *dst; /* NULL for a hash alone, with COP_ENCRYPT: COP_DECRYPT would hash dst */
	uint8_t *mac; /* the hash, at its full length, at the end of a message */
	/*
	 * As long as the cipher's IV; only read, unless a flag says otherwise. NULL: continue with
	 * the IV that the session's last request left, initially all zeros.
	 */
	uint8_t *iv;
};

/*
 * CIOCAUTHCRYPT: in, and written back with len as the length of the result and tag as its place in
 * dst. A bad tag gives EBADMSG. A session of another kind, an auth_len above a page and a tag_len
 * above the previous one give EINVAL: the session remembers the length of the tag. Text and tag are
 * one piece in src and in dst, which must have room for both when encrypting and may be the same as
 * src.
 */
struct crypt_auth_op {
	uint32_t ses;
	uint16_t op;	   /* COP_ENCRYPT or COP_DECRYPT */
	uint16_t flags;	   /* 0; others are for other protocols */
	uint32_t len;	   /* bytes in src: the text, and when decrypting also the tag */
	uint32_t auth_len; /* bytes, like all lengths */
	const uint8_t *auth_src;
	const uint8_t *src;
	uint8_t *dst;
	uint8_t *tag;	  /* out */
	uint32_t tag_len; /* 0: the longest */
	uint8_t *iv;	  /* as long as the cipher's */
	uint32_t iv_len;  /* ignored */
};

/* Unknown requests give EINVAL, too, where a kernel would normally return ENOTTY. */
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
