/* SPDX-License-Identifier: Apache-2.0 */
/* Shares no code with src/kernel on purpose, because that is compared with it. */
#include "raw.h"

#include <fcntl.h>
#include <linux/if_alg.h>
#include <linux/kcrypto.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/devcrypto_abi.h"

#define SOL_ALG 279

static unsigned char iv[16];

static int run_socket(const struct raw *raw, unsigned char *out, const unsigned char *in,
		      size_t len)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(4) + CMSG_SPACE(4 + 16)] = { 0 };
	struct iovec iov = { .iov_base = (void *)(size_t)in, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	unsigned op = ALG_OP_ENCRYPT, iv_len = 16;

	c->cmsg_level = SOL_ALG;
	c->cmsg_type = ALG_SET_OP;
	c->cmsg_len = CMSG_LEN(4);
	memcpy(CMSG_DATA(c), &op, 4);
	c = CMSG_NXTHDR(&msg, c);
	c->cmsg_level = SOL_ALG;
	c->cmsg_type = ALG_SET_IV;
	c->cmsg_len = CMSG_LEN(4 + 16);
	memcpy(CMSG_DATA(c), &iv_len, 4);
	memcpy(CMSG_DATA(c) + 4, iv, 16);
	return sendmsg(raw->fd, &msg, 0) == (ssize_t)len && read(raw->fd, out, len) == (ssize_t)len;
}

static int run_device(const struct raw *raw, unsigned char *out, const unsigned char *in,
		      size_t len)
{
	struct crypt_op op = { .ses = (uint32_t)raw->session,
			       .op = COP_ENCRYPT,
			       .len = (uint32_t)len,
			       .src = in,
			       .dst = out,
			       .iv = iv };

	return ioctl(raw->fd, CIOCCRYPT, &op) == 0;
}

static int run_own(const struct raw *raw, unsigned char *out, const unsigned char *in, size_t len)
{
	struct kcrypto_request req = { .session = raw->session,
				       .len = (uint32_t)len,
				       .in = (uintptr_t)in,
				       .out = (uintptr_t)out,
				       .iv = (uintptr_t)iv,
				       .iv_len = 16 };

	return ioctl(raw->fd, KCRYPTO_IOC_RUN, &req) == 0;
}

int raw_open_socket(struct raw *raw, const char *type, const char *driver,
		    const unsigned char key[16], unsigned tag_len)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG };
	int tfm = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf((char *)sa.salg_type, sizeof(sa.salg_type), "%s", type);
	snprintf((char *)sa.salg_name, sizeof(sa.salg_name), "%s", driver);
	if (tfm < 0 || bind(tfm, (struct sockaddr *)&sa, sizeof(sa)) != 0 ||
	    setsockopt(tfm, SOL_ALG, ALG_SET_KEY, key, 16) != 0)
		return -1;
	if (tag_len && setsockopt(tfm, SOL_ALG, ALG_SET_AEAD_AUTHSIZE, NULL, tag_len) != 0)
		return -1;
	raw->fd = accept(tfm, NULL, NULL);
	close(tfm);
	return raw->fd < 0 ? -1 : 0;
}

static int open_device(struct raw *raw, const unsigned char key[16])
{
	struct session_op op = { .cipher = CRYPTO_AES_CBC, .keylen = 16, .key = key };

	raw->fd = open(DEVCRYPTO_PATH, O_RDWR | O_CLOEXEC);
	if (raw->fd < 0 || ioctl(raw->fd, CIOCGSESSION, &op) != 0)
		return -1;
	raw->run = run_device;
	raw->session = op.ses;
	return 0;
}

int raw_open_own(struct raw *raw, unsigned algorithm, const unsigned char key[16], unsigned tag_len)
{
	struct kcrypto_open arg = {
		.algorithm = algorithm, .key = (uintptr_t)key, .key_len = 16, .tag_len = tag_len
	};

	raw->fd = open(RAW_OWN, O_RDWR | O_CLOEXEC);
	if (raw->fd < 0 || ioctl(raw->fd, KCRYPTO_IOC_OPEN, &arg) != 0)
		return -1;
	raw->session = arg.session;
	return 0;
}

int raw_open(struct raw *raw, const char *driver, const unsigned char key[16])
{
	*raw = (struct raw){ .fd = -1 };
	if (strcmp(driver, DEVCRYPTO_PATH) == 0)
		return open_device(raw, key);
	if (strcmp(driver, RAW_OWN) == 0) {
		raw->run = run_own;
		return raw_open_own(raw, KCRYPTO_CBC_AES, key, 0);
	}
	raw->run = run_socket;
	return raw_open_socket(raw, "skcipher", driver, key, 0);
}

int raw_run(const struct raw *raw, unsigned char *out, const unsigned char *in, size_t len)
{
	if (!raw->run(raw, out, in, len))
		return 0;
	memcpy(iv, out + len - 16, 16);
	return 1;
}
