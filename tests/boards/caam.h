/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NXP's CAAM. A descriptor is a program, which caam_desc.c runs. What its commands load goes to the
 * ciphers (class 1, caam_cipher.c) and the hashes (class 2, caam_hash.c).
 */
#ifndef BOARDS_CAAM_H
#define BOARDS_CAAM_H

#include <stdbool.h>
#include <stdint.h>

#include "caam_data.h"

/* Fields of an operation command. */
#define CAAM_ALGORITHM(op) ((op) >> 16 & 0xff)
#define CAAM_MODE(op)	   ((op) >> 4 & 0xff)
#define CAAM_HANDLE(op)	   ((op) >> 4 & 1)
enum {
	CAAM_ENCRYPT = 1,
	CAAM_CHECK = 2,
	CAAM_INIT = 4,
	CAAM_FINAL = 8,
	CAAM_SECURE_KEYS = 1 << 12
};
enum {
	CAAM_AES = 0x10,
	CAAM_DES = 0x20,
	CAAM_DES3,
	CAAM_MD5 = 0x40,
	CAAM_SHA512 = 0x45,
	CAAM_RNG = 0x50
};

/* A class: its operation (0: none), its registers, and the data that were loaded for it. */
struct caam_class {
	uint32_t op;
	uint8_t key[128], context[128];
	unsigned int key_len;
	bool has_all; /* all data of the operation have been loaded */
	struct caam_bytes text, aad, iv;
};

/* A job's result: 0, or a status with the error in its lowest 4 bits. */
enum { CAAM_STATUS_CIPHER = 0x20000010, CAAM_STATUS_HASH = 0x20000040, CAAM_BAD_LENGTH = 2 };
enum { CAAM_BAD_TAG = 10, CAAM_BROKEN };

/* Tells caam.c that the random number generator has begun an operation. */
void caam_rng(uint32_t op);

#endif
