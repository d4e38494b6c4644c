/* SPDX-License-Identifier: Apache-2.0 */
/* Makes netlink messages like the kernel's, in a buffer that is aligned and long enough. */
#ifndef KC_TESTS_NETLINK_MESSAGE_H
#define KC_TESTS_NETLINK_MESSAGE_H

#include <stdint.h>
#include <string.h>

#include <linux/cryptouser.h>
#include <linux/netlink.h>

static inline struct nlmsghdr *message_begin(void *at, uint16_t type)
{
	struct nlmsghdr *nlh = at;

	*nlh = (struct nlmsghdr){ .nlmsg_len = sizeof(*nlh), .nlmsg_type = type };
	return nlh;
}

/* Appends @size zero bytes. */
static inline void *message_add(struct nlmsghdr *nlh, size_t size)
{
	char *at = (char *)nlh + nlh->nlmsg_len;

	nlh->nlmsg_len += (uint32_t)NLMSG_ALIGN(size);
	return memset(at, 0, NLMSG_ALIGN(size));
}

static inline void message_attr(struct nlmsghdr *nlh, uint16_t type, const void *data, size_t size)
{
	struct nlattr *attr = message_add(nlh, sizeof(*attr) + size);

	attr->nla_type = type;
	attr->nla_len = (uint16_t)(sizeof(*attr) + size);
	memcpy(attr + 1, data, size);
}

/* One driver of a list. */
static inline struct nlmsghdr *message_driver(void *at, const char *name, const char *driver,
					      uint32_t flags)
{
	struct crypto_report_blkcipher report = { .type = "skcipher", .blocksize = 16 };
	const uint32_t priority = 300;
	struct nlmsghdr *nlh = message_begin(at, CRYPTO_MSG_GETALG);
	struct crypto_user_alg *alg = message_add(nlh, sizeof(*alg));

	nlh->nlmsg_flags = NLM_F_MULTI;
	strcpy(alg->cru_name, name);
	strcpy(alg->cru_driver_name, driver);
	alg->cru_flags = flags;
	message_attr(nlh, CRYPTOCFGA_REPORT_BLKCIPHER, &report, sizeof(report));
	message_attr(nlh, CRYPTOCFGA_PRIORITY_VAL, &priority, sizeof(priority));
	return nlh;
}

#endif
