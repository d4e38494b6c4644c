/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of /dev/crypto as plain calls; each returns 0 or an errno. */
#ifndef KC_TESTS_CUSE_RAW_H
#define KC_TESTS_CUSE_RAW_H

#include <stddef.h>
#include <stdint.h>

int raw_open(void);
int raw_session(int fd, uint32_t cipher, const uint8_t *key, uint32_t key_len, uint32_t *sid);
int raw_end(int fd, uint32_t sid);
int raw_crypt(int fd, uint32_t sid, uint16_t op, const void *iv, const void *src, void *dst,
	      size_t len);

#endif
