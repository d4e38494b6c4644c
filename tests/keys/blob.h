/* SPDX-License-Identifier: Apache-2.0 */
/* Wrapped keys of the test accelerator, see tests/accel/wrapped.h. */
#ifndef KC_TESTS_BLOB_H
#define KC_TESTS_BLOB_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BLOB_HEAD 8 /* bytes */

static inline uint8_t blob_mask(size_t i)
{
	return (uint8_t)(0xa5 + 37 * i);
}

static inline void blob_make(uint8_t *blob, const uint8_t *key, size_t len)
{
	memcpy(blob, "KCWB\0\0\0", BLOB_HEAD);
	blob[4] = (uint8_t)len;
	for (size_t i = 0; i < len; i++) {
		blob[5] ^= key[i];
		blob[BLOB_HEAD + i] = key[i] ^ blob_mask(i);
	}
}

/* Unwraps a blob. Returns 0; -EINVAL if the bytes are no blob; -EIO if another device made it. */
static inline int blob_open(const uint8_t *blob, size_t n, uint8_t *key, size_t *len)
{
	uint8_t check = 0;

	if (n < BLOB_HEAD || memcmp(blob, "KCWB", 4) != 0 || blob[4] != n - BLOB_HEAD)
		return -EINVAL;
	*len = n - BLOB_HEAD;
	for (size_t i = 0; i < *len; i++) {
		key[i] = blob[BLOB_HEAD + i] ^ blob_mask(i);
		check ^= key[i];
	}
	return check == blob[5] ? 0 : -EIO;
}

#endif
