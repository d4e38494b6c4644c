// SPDX-License-Identifier: Apache-2.0
/* Asks crypto_user for all algorithms. Owns the netlink messages; does not judge drivers. */
#include "discovery/netlink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/cryptouser.h>
#include <linux/netlink.h>

#define DATAGRAM_SIZE 65536 /* crypto_user sends at most 65535 bytes */

/* From the kernel's linux/crypto.h, which has no uapi counterpart. */
#define ASYNC		 0x80
#define KERN_DRIVER_ONLY 0x1000
/* TESTED (0x400), and neither LARVAL (0x10), DEAD (0x20), DYING (0x40) nor INTERNAL (0x2000). */
#define USABLE_MASK 0x2470
#define USABLE	    0x400

#define TYPE_MASK 0xf

/* Translates a type; -1 if it is none of ours. */
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

/* The priority in the attributes after the fixed part. */
static int priority_in(const char *at, size_t len)
{
	struct nlattr attr;
	uint32_t priority = 0;

	for (size_t next; len >= sizeof(attr); at += next, len -= next) {
		memcpy(&attr, at, sizeof(attr));
		next = NLMSG_ALIGN((size_t)attr.nla_len);
		if (attr.nla_len < sizeof(attr) || next > len)
			break;
		if ((attr.nla_type & NLA_TYPE_MASK) == CRYPTOCFGA_PRIORITY_VAL &&
		    attr.nla_len == sizeof(attr) + sizeof(priority))
			memcpy(&priority, at + sizeof(attr), sizeof(priority));
	}
	return (int)priority;
}

/* Returns 0 or -EBADMSG. */
static int take_alg(struct kc_drivers *drivers, const void *payload, size_t len)
{
	const struct crypto_user_alg *alg = payload;
	struct kc_driver driver = { .flags_known = true };

	if (len < sizeof(*alg))
		return -EBADMSG;
	if ((alg->cru_flags & USABLE_MASK) != USABLE || kind_of(alg->cru_flags) < 0)
		return 0;
	driver.kind = (enum kc_kind)kind_of(alg->cru_flags);
	memcpy(driver.name, alg->cru_name, sizeof(driver.name) - 1);
	memcpy(driver.driver, alg->cru_driver_name, sizeof(driver.driver) - 1);
	driver.async = alg->cru_flags & ASYNC;
	driver.kernel_driver_only = alg->cru_flags & KERN_DRIVER_ONLY;
	driver.priority = priority_in((const char *)(alg + 1), len - sizeof(*alg));
	kc_drivers_add(drivers, &driver);
	return 0;
}

/* Returns 1 if more messages follow, 0 after the last one, or -EBADMSG. */
static int take_message(struct kc_drivers *drivers, const struct nlmsghdr *header)
{
	if (header->nlmsg_flags & NLM_F_DUMP_INTR)
		return -EBADMSG;
	switch (header->nlmsg_type) {
	case NLMSG_DONE:
		return 0;
	case NLMSG_ERROR:
		return -EBADMSG;
	case CRYPTO_MSG_GETALG:
		return take_alg(drivers, NLMSG_DATA(header), header->nlmsg_len - NLMSG_HDRLEN) ?: 1;
	default:
		return 1;
	}
}

int kc_netlink_parse(struct kc_drivers *drivers, const void *buf, size_t len)
{
	size_t at = 0;
	int more = 1;

	while (more > 0 && at < len && len - at >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *header = (const void *)((const char *)buf + at);

		if (header->nlmsg_len < sizeof(*header) || header->nlmsg_len > len - at)
			break;
		more = take_message(drivers, header);
		at += NLMSG_ALIGN((size_t)header->nlmsg_len);
	}
	return more;
}

/* Returns 1 if there is an answer to read, or -errno. */
static int ask(int fd)
{
	const struct timeval second = { .tv_sec = 1 };
	struct {
		struct nlmsghdr header;
		struct crypto_user_alg any;
	} request = { { sizeof(request), CRYPTO_MSG_GETALG, NLM_F_REQUEST | NLM_F_DUMP } };

	/* An application must not hang during start because a device does. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)) ||
	    send(fd, &request, sizeof(request), 0) < 0)
		return -errno;
	return 1;
}

/*
 * Returns the length of the next datagram, or -errno. A datagram longer than the buffer is an
 * error.
 */
static ssize_t receive(int fd, void *buf)
{
	ssize_t len = recv(fd, buf, DATAGRAM_SIZE, MSG_TRUNC);

	if (len < 0)
		return -errno;
	return len > DATAGRAM_SIZE ? -ENOSPC : len;
}

int kc_netlink_ask(struct kc_drivers *drivers, int fd)
{
	void *buf = malloc(DATAGRAM_SIZE);
	int more = buf ? ask(fd) : -ENOMEM;

	while (more > 0) {
		ssize_t len = receive(fd, buf);

		more = len < 0 ? (int)len : kc_netlink_parse(drivers, buf, (size_t)len);
	}
	free(buf);
	return more;
}

int kc_netlink_dump(struct kc_drivers *drivers)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_CRYPTO);
	int err;

	kc_drivers_empty(drivers);
	err = fd < 0 ? -errno : kc_netlink_ask(drivers, fd);
	if (fd >= 0)
		close(fd);
	return err;
}
