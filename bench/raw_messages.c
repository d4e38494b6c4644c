/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of AES-128-GCM, also by system calls alone. */
#include "raw.h"

#include <linux/if_alg.h>
#include <linux/kcrypto.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define SOL_ALG 279
#define NONCE	12
#define TAG	16

static unsigned char nonce[NONCE], aad[256], tag[TAG];

/* Returns the next entry's place. */
static struct cmsghdr *put(struct msghdr *msg, struct cmsghdr *c, int type, unsigned value,
			   size_t more)
{
	c->cmsg_level = SOL_ALG;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(4 + more);
	memcpy(CMSG_DATA(c), &value, 4);
	memcpy(CMSG_DATA(c) + 4, nonce, more);
	return CMSG_NXTHDR(msg, c);
}

/* The answer begins with the AAD. */
static int run_socket(const struct raw *raw, unsigned char *out, const unsigned char *in,
		      size_t len)
{
	_Alignas(struct cmsghdr) char control[2 * CMSG_SPACE(4) + CMSG_SPACE(4 + NONCE)] = { 0 };
	struct iovec to[] = { { aad, raw->aad_len }, { (void *)(size_t)in, len } };
	struct iovec from[] = { { aad, raw->aad_len }, { out, len }, { tag, TAG } };
	struct msghdr msg = { .msg_iov = to,
			      .msg_iovlen = 2,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = put(&msg, CMSG_FIRSTHDR(&msg), ALG_SET_OP, ALG_OP_ENCRYPT, 0);

	c = put(&msg, c, ALG_SET_IV, NONCE, NONCE);
	put(&msg, c, ALG_SET_AEAD_ASSOCLEN, (unsigned)raw->aad_len, 0);
	return sendmsg(raw->fd, &msg, 0) == (ssize_t)(raw->aad_len + len) &&
	       readv(raw->fd, from, 3) == (ssize_t)(raw->aad_len + len + TAG);
}

static int run_own(const struct raw *raw, unsigned char *out, const unsigned char *in, size_t len)
{
	struct kcrypto_request req = { .session = raw->session,
				       .len = (uint32_t)len,
				       .in = (uintptr_t)in,
				       .out = (uintptr_t)out,
				       .iv = (uintptr_t)nonce,
				       .iv_len = NONCE,
				       .aad = (uintptr_t)aad,
				       .aad_len = (uint32_t)raw->aad_len,
				       .tag = (uintptr_t)tag,
				       .tag_len = TAG };

	return ioctl(raw->fd, KCRYPTO_IOC_RUN, &req) == 0;
}

int raw_open_messages(struct raw *raw, const char *driver, const unsigned char key[16],
		      size_t aad_len)
{
	*raw = (struct raw){ .fd = -1, .aad_len = aad_len };
	if (aad_len > sizeof(aad))
		return -1;
	if (strcmp(driver, RAW_OWN) == 0) {
		raw->run = run_own;
		return raw_open_own(raw, KCRYPTO_GCM_AES, key, TAG);
	}
	raw->run = run_socket;
	return raw_open_socket(raw, "aead", driver, key, TAG);
}
