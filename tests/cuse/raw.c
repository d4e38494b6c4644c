/* SPDX-License-Identifier: Apache-2.0 */
#include "cuse/raw.h"

#include <errno.h>
#include <fcntl.h>

#include "kernel/devcrypto_abi.h"

int raw_open(void)
{
	return open(DEVCRYPTO_PATH, O_RDWR | O_CLOEXEC);
}

int raw_session(int fd, uint32_t cipher, const uint8_t *key, uint32_t key_len, uint32_t *sid)
{
	struct session_op op = { .cipher = cipher, .keylen = key_len, .key = key };

	if (ioctl(fd, CIOCGSESSION, &op) != 0)
		return errno;
	*sid = op.ses;
	return 0;
}

int raw_end(int fd, uint32_t sid)
{
	return ioctl(fd, CIOCFSESSION, &sid) == 0 ? 0 : errno;
}

int raw_crypt(int fd, uint32_t sid, uint16_t op, const void *iv, const void *src, void *dst,
	      size_t len)
{
	struct crypt_op crypt = {
		.ses = sid, .op = op, .len = (uint32_t)len, .src = src, .dst = dst, .iv = (void *)iv
	};

	return ioctl(fd, CIOCCRYPT, &crypt) == 0 ? 0 : errno;
}
