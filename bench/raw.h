/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The minimum for a request, without any check: one sendmsg() and one read() through AF_ALG, one
 * ioctl() through /dev/crypto or /dev/kcrypto.
 */
#ifndef KC_BENCH_RAW_H
#define KC_BENCH_RAW_H

#include <stddef.h>
#include <stdint.h>

#define RAW_OWN "/dev/kcrypto"

struct raw {
	int fd;
	int (*run)(const struct raw *raw, unsigned char *out, const unsigned char *in, size_t len);
	uint64_t session; /* of the device */
	size_t aad_len;	  /* bytes of a message's AAD */
};

/* Opens AES-128-CBC by @driver, or through "/dev/crypto" or "/dev/kcrypto". 0 or -1 with errno. */
int raw_open(struct raw *raw, const char *driver, const unsigned char key[16]);

/*
 * Opens AES-128-GCM by @driver, or through "/dev/kcrypto". Each run is a message of its own, with
 * @aad_len bytes of AAD and a nonce of 12 bytes; its tag is discarded.
 */
int raw_open_messages(struct raw *raw, const char *driver, const unsigned char key[16],
		      size_t aad_len);

/*
 * Open a socket of this type ("skcipher", "aead") for @driver, or a session of /dev/kcrypto, with
 * this key; @tag_len: 0 without a tag. 0 or -1 with errno. They do not set @raw->run.
 */
int raw_open_socket(struct raw *raw, const char *type, const char *driver,
		    const unsigned char key[16], unsigned tag_len);
int raw_open_own(struct raw *raw, unsigned algorithm, const unsigned char key[16],
		 unsigned tag_len);

/* Encrypts @len bytes of whole blocks, at most 65536; chains the IV. 1 or 0. */
int raw_run(const struct raw *raw, unsigned char *out, const unsigned char *in, size_t len);

#endif
