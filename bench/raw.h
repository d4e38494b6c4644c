/* SPDX-License-Identifier: Apache-2.0 */
/* The least that a request through AF_ALG takes: one sendmsg and one read, and no check at all. */
#ifndef KC_BENCH_RAW_H
#define KC_BENCH_RAW_H

#include <stddef.h>

struct raw {
	int fd;
	unsigned char iv[16];
};

/* AES-CBC on @driver; @key_len 16, 24 or 32 bytes. 0 or -1 with errno. */
int raw_open(struct raw *raw, const char *driver, const unsigned char *key, size_t key_len);

/* @len bytes, whole blocks, at most 65536; chains the IV. 1 or 0. */
int raw_run(struct raw *raw, int encrypt, unsigned char *out, const unsigned char *in, size_t len);

#endif
