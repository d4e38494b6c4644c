// SPDX-License-Identifier: Apache-2.0
/*
 * Asks crypto_user for all algorithms. Owns the netlink messages; what a driver is, is not known
 * here.
 */
#include "kernel/netlink.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <libmnl/libmnl.h>
#include <linux/cryptouser.h>

/* From the kernel's linux/crypto.h, which has no uapi counterpart. */
enum {
	ALG_LARVAL = 0x10,
	ALG_DEAD = 0x20,
	ALG_DYING = 0x40,
	ALG_ASYNC = 0x80,
	ALG_TESTED = 0x400,
	ALG_KERN_DRIVER_ONLY = 0x1000,
	ALG_INTERNAL = 0x2000,
};

#define ALG_UNUSABLE (ALG_LARVAL | ALG_DEAD | ALG_DYING | ALG_INTERNAL)

/*
 * The kernel makes datagrams of up to 64 KiB (360 bytes for each algorithm that it has, so 32 KiB
 * are passed at 92 of them). That is too much for the stack of a thread under musl, so a datagram
 * is looked at through a window of this size.
 */
#define WINDOW_SIZE 16384
#define MAX_DATAGRAM 65536
#define MAX_DATAGRAMS 64	/* some ten thousand algorithms: then something is wrong */

/* The type's name comes first in this attribute; other kinds of algorithm have other attributes. */
static bool is_skcipher_report(const struct nlattr *attr)
{
	static const char types[][12] = { "skcipher", "lskcipher", "blkcipher", "ablkcipher" };
	const char *type = mnl_attr_get_payload(attr);
	size_t len = mnl_attr_get_payload_len(attr);

	if (mnl_attr_get_type(attr) != CRYPTOCFGA_REPORT_BLKCIPHER)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (len > strlen(types[i]) && memcmp(type, types[i], strlen(types[i]) + 1) == 0)
			return true;
	return false;
}

static int parse_alg(struct kc_drivers *drivers, const struct nlmsghdr *nlh)
{
	_Static_assert(sizeof(drivers->v[0].name) == CRYPTO_MAX_NAME, "names are copied whole");
	const struct crypto_user_alg *alg = mnl_nlmsg_get_payload(nlh);
	struct kc_driver driver = { .flags_known = true };
	const struct nlattr *attr;
	bool is_skcipher = false;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*alg) ||
	    !memchr(alg->cru_name, '\0', sizeof(alg->cru_name)) ||
	    !memchr(alg->cru_driver_name, '\0', sizeof(alg->cru_driver_name)))
		return -EBADMSG;
	if ((alg->cru_flags & ALG_UNUSABLE) || !(alg->cru_flags & ALG_TESTED))
		return 0;
	memcpy(driver.name, alg->cru_name, sizeof(driver.name));
	memcpy(driver.driver, alg->cru_driver_name, sizeof(driver.driver));
	driver.async = alg->cru_flags & ALG_ASYNC;
	driver.kernel_driver_only = alg->cru_flags & ALG_KERN_DRIVER_ONLY;
	/* Not mnl_attr_for_each: that reads up to 3 bytes beyond an unaligned end. */
	mnl_attr_for_each_payload((const void *)(alg + 1),
				  mnl_nlmsg_get_payload_len(nlh) - sizeof(*alg)) {
		if (mnl_attr_get_type(attr) == CRYPTOCFGA_PRIORITY_VAL &&
		    mnl_attr_get_payload_len(attr) == sizeof(uint32_t))
			driver.priority = (int)mnl_attr_get_u32(attr);
		else if (is_skcipher_report(attr))
			is_skcipher = true;
	}
	if (is_skcipher && driver.driver[0])
		kc_drivers_add(drivers, &driver);
	return 0;
}

/* The error that ends a dump early; @end_of_dump: what 0 means here. */
static int parse_status(const struct nlmsghdr *nlh, int end_of_dump)
{
	int status;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(status))
		return -EBADMSG;
	memcpy(&status, mnl_nlmsg_get_payload(nlh), sizeof(status));
	if (status == 0)
		return end_of_dump;
	return status < 0 && status >= -4095 ? status : -EBADMSG;
}

int kc_netlink_parse(struct kc_drivers *drivers, const void *buf, size_t len)
{
	const struct nlmsghdr *nlh = buf;

	if ((uintptr_t)buf % MNL_ALIGNTO || len > MAX_DATAGRAM || !mnl_nlmsg_ok(nlh, (int)len))
		return -EBADMSG;
	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		return -EAGAIN;
	switch (nlh->nlmsg_type) {
	case CRYPTO_MSG_GETALG:
		return parse_alg(drivers, nlh);
	case NLMSG_DONE:
		return parse_status(nlh, 1);
	case NLMSG_ERROR:
		return parse_status(nlh, -EBADMSG);
	case NLMSG_OVERRUN:
		return -ENOBUFS;
	default:
		return 0;
	}
}

/*
 * Reads the waiting datagram from @skip on without taking it off the queue; returns its full
 * length. Netlink has no offset, so what is to be skipped lands in the same buffer first.
 */
static ssize_t peek(int fd, char *buf, size_t skip)
{
	struct iovec iov[MAX_DATAGRAM / WINDOW_SIZE + 2];
	struct sockaddr_nl from = { 0 };
	struct msghdr msg = { .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = iov };
	ssize_t n;

	for (; skip; skip -= iov[msg.msg_iovlen++].iov_len)
		iov[msg.msg_iovlen] = (struct iovec){
			.iov_base = buf, .iov_len = skip < WINDOW_SIZE ? skip : WINDOW_SIZE
		};
	iov[msg.msg_iovlen++] = (struct iovec){ .iov_base = buf, .iov_len = WINDOW_SIZE };
	do {
		n = recvmsg(fd, &msg, MSG_PEEK | MSG_TRUNC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return from.nl_pid == 0 && n > 0 && n <= MAX_DATAGRAM ? n : -EBADMSG;
}

/* Takes the messages; one that is cut off stays for the next window if @more follows. */
static int walk(struct kc_drivers *drivers, const char *buf, size_t len, bool more, size_t *used)
{
	*used = 0;
	while (*used < len) {
		const struct nlmsghdr *nlh = (const void *)(buf + *used);
		int err;

		if (more && *used && !mnl_nlmsg_ok(nlh, (int)(len - *used)))
			return 0;
		err = kc_netlink_parse(drivers, nlh, len - *used);
		if (err)
			return err;
		*used += NLMSG_ALIGN(nlh->nlmsg_len);
	}
	return 0;
}

static int take_datagram(struct kc_drivers *drivers, int fd)
{
	char buf[WINDOW_SIZE] __attribute__((aligned(MNL_ALIGNTO)));
	size_t len, at = 0, used;

	do {
		ssize_t total = peek(fd, buf, at);
		int err;

		if (total < 0)
			return (int)total;
		if ((size_t)total <= at)
			return -EBADMSG;
		len = (size_t)total;
		err = walk(drivers, buf, len - at < WINDOW_SIZE ? len - at : WINDOW_SIZE,
			   len - at > WINDOW_SIZE, &used);
		if (err)
			return err;
		at += used;
	} while (at < len);
	return recv(fd, buf, 0, MSG_TRUNC | MSG_DONTWAIT) < 0 ? -errno : 0;
}

static int ask(const struct mnl_socket *nl)
{
	char buf[MNL_ALIGN(sizeof(struct nlmsghdr)) + MNL_ALIGN(sizeof(struct crypto_user_alg))]
		__attribute__((aligned(MNL_ALIGNTO)));
	const struct timeval second = { .tv_sec = 1 };
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);

	nlh->nlmsg_type = CRYPTO_MSG_GETALG;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct crypto_user_alg));
	/* An application must not hang in its start because a device does in its own. */
	if (setsockopt(mnl_socket_get_fd(nl), SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)))
		return -errno;
	return mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0 ? -errno : 0;
}

int kc_netlink_dump(struct kc_drivers *drivers)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_CRYPTO, SOCK_CLOEXEC);
	int err;

	memset(drivers, 0, sizeof(*drivers));
	if (!nl)
		return -errno;
	err = ask(nl);
	for (int i = 0; !err && i < MAX_DATAGRAMS; i++)
		err = take_datagram(drivers, mnl_socket_get_fd(nl));
	mnl_socket_close(nl);
	if (err == 0)
		return -EOVERFLOW;
	return err > 0 ? 0 : err;
}
