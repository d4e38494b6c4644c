// SPDX-License-Identifier: Apache-2.0
/*
 * Asks crypto_user for all algorithms. Owns the netlink messages; what a driver is, is not known
 * here.
 */
#include "kernel/netlink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <libmnl/libmnl.h>
#include <linux/cryptouser.h>

#define DATAGRAM_SIZE 65536 /* crypto_user makes them of 65535 bytes at most */

/* From the kernel's linux/crypto.h, which has no uapi counterpart. */
#define ASYNC		 0x80
#define KERN_DRIVER_ONLY 0x1000
/* TESTED (0x400), and neither LARVAL (0x10), DEAD (0x20), DYING (0x40) nor INTERNAL (0x2000). */
#define USABLE_MASK 0x2470
#define USABLE	    0x400

#define TYPE_MASK 0xf

/* What a type is to us, or -1. */
static int kind_of(uint32_t flags)
{
	switch (flags & TYPE_MASK) {
	case 0x3:
		return KC_AEAD;
	case 0x4: /* LSKCIPHER, from 6.7 on */
	case 0x5:
		return KC_CIPHER;
	case 0xe: /* SHASH */
	case 0xf: /* AHASH */
		return KC_DIGEST;
	default:
		return -1;
	}
}

static int take_alg(const struct nlmsghdr *nlh, void *drivers)
{
	const struct crypto_user_alg *alg = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	struct kc_driver driver = { .flags_known = true };

	if (len < sizeof(*alg))
		return MNL_CB_ERROR;
	if ((alg->cru_flags & USABLE_MASK) != USABLE || kind_of(alg->cru_flags) < 0)
		return MNL_CB_OK;
	driver.kind = (enum kc_kind)kind_of(alg->cru_flags);
	memcpy(driver.name, alg->cru_name, sizeof(driver.name) - 1);
	memcpy(driver.driver, alg->cru_driver_name, sizeof(driver.driver) - 1);
	driver.async = alg->cru_flags & ASYNC;
	driver.kernel_driver_only = alg->cru_flags & KERN_DRIVER_ONLY;
	/* Not mnl_attr_for_each, which reads up to 3 bytes beyond an unaligned end. */
	for (const struct nlattr *attr = (const void *)(alg + 1);
	     mnl_attr_ok(attr, (int)((const char *)alg + len - (const char *)attr));
	     attr = mnl_attr_next(attr))
		if (mnl_attr_get_type(attr) == CRYPTOCFGA_PRIORITY_VAL &&
		    mnl_attr_validate(attr, MNL_TYPE_U32) == 0)
			driver.priority = (int)mnl_attr_get_u32(attr);
	kc_drivers_add(drivers, &driver);
	return MNL_CB_OK;
}

/* How much of a datagram is whole messages: libmnl lets one of 2 GiB and more pass. */
static size_t whole_messages(const char *buf, size_t len)
{
	size_t at = 0;

	while (at < len && len - at >= sizeof(struct nlmsghdr)) {
		size_t n = ((const struct nlmsghdr *)(const void *)(buf + at))->nlmsg_len;

		if (n < sizeof(struct nlmsghdr) || n > len - at)
			return at;
		at += MNL_ALIGN(n);
	}
	return at < len ? at : len;
}

int kc_netlink_parse(struct kc_drivers *drivers, const void *buf, size_t len)
{
	int more = mnl_cb_run(buf, whole_messages(buf, len), 0, 0, take_alg, drivers);

	return more < 0 ? -EBADMSG : more;
}

/* 1: the answer is to be read; -errno. */
static int ask(const struct mnl_socket *nl)
{
	const struct timeval second = { .tv_sec = 1 };
	struct {
		struct nlmsghdr header;
		struct crypto_user_alg any;
	} request = { { sizeof(request), CRYPTO_MSG_GETALG, NLM_F_REQUEST | NLM_F_DUMP } };

	/* An application must not hang in its start because a device does in its own. */
	if (setsockopt(mnl_socket_get_fd(nl), SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)) ||
	    mnl_socket_sendto(nl, &request, sizeof(request)) < 0)
		return -errno;
	return 1;
}

static int dump(struct kc_drivers *drivers, const struct mnl_socket *nl)
{
	void *buf = malloc(DATAGRAM_SIZE);
	int more = buf ? ask(nl) : -ENOMEM;

	while (more > 0) {
		/* A datagram longer than the buffer is an error, ENOSPC. */
		ssize_t len = mnl_socket_recvfrom(nl, buf, DATAGRAM_SIZE);

		more = len < 0 ? -errno : kc_netlink_parse(drivers, buf, (size_t)len);
	}
	free(buf);
	return more;
}

int kc_netlink_dump(struct kc_drivers *drivers)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_CRYPTO, SOCK_CLOEXEC);
	int err;

	kc_drivers_init(drivers);
	if (!nl)
		return -errno;
	err = dump(drivers, nl);
	mnl_socket_close(nl);
	return err;
}
