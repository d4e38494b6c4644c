/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/kcrypto: requests of user space to crypto accelerators.
 *
 * An open file is one session: one algorithm, one driver, one key. KCRYPTO_IOC_OPEN sets it up
 * once; from then on KCRYPTO_IOC_RUN does one request, or KCRYPTO_IOC_SUBMIT and
 * KCRYPTO_IOC_REAP, with poll(2), keep several in flight. Nothing but the key stays in the session
 * between two requests, so any number of threads and processes may use it at the same time.
 *
 * Later versions may make a struct longer. The size is part of the ioctl's number; bytes that the
 * kernel does not know must be zero (-E2BIG), and those that user space does not know count as
 * zero. Pointers are numbers of 64 bits, and the layout is the same for programs of 32 bits.
 */
#ifndef _UAPI_LINUX_KCRYPTO_H
#define _UAPI_LINUX_KCRYPTO_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KCRYPTO_NAME_LEN	128	/* bytes of a driver's name, with the NUL */
#define KCRYPTO_MAX_LEN		65536	/* bytes of text in a request */
#define KCRYPTO_MAX_AAD		4096	/* bytes */
#define KCRYPTO_MAX_KEY		1024	/* bytes */
#define KCRYPTO_MAX_IN_FLIGHT	64	/* submitted requests of a session */

/* The algorithms: KCRYPTO_CBC_AES and so on. */
enum kcrypto_algorithm {
#define KCRYPTO_ALG(id, number, ...) KCRYPTO_##id = number,
#include "kcrypto_algs.h"
#undef KCRYPTO_ALG
};

/* Flags of a driver. */
#define KCRYPTO_DRIVER_ASYNC	(1U << 0) /* CRYPTO_ALG_ASYNC */
#define KCRYPTO_DRIVER_HARDWARE	(1U << 1) /* CRYPTO_ALG_KERN_DRIVER_ONLY */
#define KCRYPTO_DRIVER_FALLBACK	(1U << 2) /* CRYPTO_ALG_NEED_FALLBACK: software does some of it */

/**
 * struct kcrypto_driver - one admitted driver
 * @algorithm: one of the numbers above
 * @flags: KCRYPTO_DRIVER_*
 * @min_key: shortest key in bytes; 0: the driver does not tell
 * @max_key: longest key in bytes; 0: the driver does not tell
 * @priority: of several drivers the highest is taken, unless a session names one
 * @reserved: 0
 * @name: the driver's name, as in /proc/crypto
 */
struct kcrypto_driver {
	__u32 algorithm;
	__u32 flags;
	__u32 min_key;
	__u32 max_key;
	__s32 priority;
	__u32 reserved;
	char name[KCRYPTO_NAME_LEN];
};

/**
 * struct kcrypto_list - argument of KCRYPTO_IOC_LIST, which needs no session
 * @drivers: where to put an array of struct kcrypto_driver
 * @count: in: entries that fit there; out: drivers that there are, which may be more
 * @driver_size: in: sizeof(struct kcrypto_driver) as the caller knows it
 */
struct kcrypto_list {
	__aligned_u64 drivers;
	__u32 count;
	__u32 driver_size;
};

#define KCRYPTO_KEY_SERIAL	(1U << 0) /* the key is one of the kernel's */

/**
 * struct kcrypto_open - argument of KCRYPTO_IOC_OPEN
 * @algorithm: one of the numbers above
 * @flags: 0 or KCRYPTO_KEY_SERIAL
 * @key: where the key's bytes are; with KCRYPTO_KEY_SERIAL 0
 * @key_len: bytes; with KCRYPTO_KEY_SERIAL 0
 * @key_serial: with KCRYPTO_KEY_SERIAL the serial number of a key of type user, logon, encrypted
 *	or trusted that the caller may search; else 0
 * @tag_len: bytes of an AEAD's tag, 4 to 16; else 0
 * @reserved: 0
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
	__u32 reserved;
	__aligned_u64 session;
	char driver[KCRYPTO_NAME_LEN];
};

#define KCRYPTO_DECRYPT		(1U << 0)

/**
 * struct kcrypto_request - argument of KCRYPTO_IOC_RUN and KCRYPTO_IOC_SUBMIT
 * @session: the number that KCRYPTO_IOC_OPEN returned
 * @flags: 0 or, of a cipher or AEAD, KCRYPTO_DECRYPT
 * @len: bytes of text at @in, at most KCRYPTO_MAX_LEN; a cipher's are at least one and, in a block
 *	mode, whole blocks
 * @in: the text, or the whole message of a digest or MAC
 * @out: as many bytes as @in, or 0 for a digest or MAC; may overlap @in in any way
 * @iv: only read
 * @aad: of an AEAD
 * @tag: an AEAD's tag: written, decrypting read; or the digest or MAC, written
 * @iv_len: bytes, exactly as the algorithm has them
 * @aad_len: bytes, at most KCRYPTO_MAX_AAD
 * @tag_len: bytes, exactly as the session or algorithm has them; 0 of a cipher
 * @reserved: 0
 * @user_data: KCRYPTO_IOC_REAP returns it
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

#define KCRYPTO_NOWAIT		(1U << 0)
#define KCRYPTO_THIS		(1U << 1) /* the request of this user_data, and no other */
#define KCRYPTO_DROP		(1U << 2) /* forget it; only with KCRYPTO_THIS */

/**
 * struct kcrypto_result - argument of KCRYPTO_IOC_REAP
 * @session: in: the number that KCRYPTO_IOC_OPEN returned
 * @user_data: out: of the request; with KCRYPTO_THIS also in: of which request
 * @flags: in: 0, or of KCRYPTO_NOWAIT, as O_NONBLOCK, KCRYPTO_THIS and KCRYPTO_DROP
 * @error: out: 0 or a negative errno, as KCRYPTO_IOC_RUN would have returned it; with KCRYPTO_DROP
 *	-ECANCELED
 *
 * Only the address space that submitted a request reaps it, and the request's output is written
 * then. poll(2) says EPOLLIN when there is one to reap, be it another than the one that the caller
 * waits for: where several share a file, each tries with KCRYPTO_THIS | KCRYPTO_NOWAIT.
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
