/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wrapped keys of the test accelerator, as blobs: "KCWB", the key's length, a check byte, two
 * zeros, and the key, masked by a constant that a real device would never reveal. tests/keys/blob.h
 * makes them.
 */
#ifndef ACCEL_WRAPPED_H
#define ACCEL_WRAPPED_H

#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>

#define ACCEL_BLOB_HEAD 8 /* bytes */
#define ACCEL_MAX_KEY	64

/*
 * Unwraps the blob into key. Returns 0; -EINVAL if the bytes are no blob; -EIO, with a useless key,
 * if another device made the blob.
 */
static inline int accel_unwrap(u8 *key, const u8 *blob, unsigned int len)
{
	u8 check = 0;
	unsigned int i;

	if (len < ACCEL_BLOB_HEAD || memcmp(blob, "KCWB", 4) != 0 ||
	    blob[4] != len - ACCEL_BLOB_HEAD || blob[4] > ACCEL_MAX_KEY)
		return -EINVAL;
	for (i = 0; i < blob[4]; i++) {
		key[i] = blob[ACCEL_BLOB_HEAD + i] ^ (u8)(0xa5 + 37 * i);
		check ^= key[i];
	}
	return check == blob[5] ? 0 : -EIO;
}

#endif
