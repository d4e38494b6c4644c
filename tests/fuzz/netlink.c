/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A datagram of any content. The first byte: how many more times it comes. The second, if odd: its
 * first message ends with the datagram, so that cutting one cuts the other.
 */
#include "fuzz.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/cryptouser.h>

#include "discovery/netlink.h"
#include "netlink_message.h"

#define USABLE	 0x405	/* tested, of type skcipher */
#define HARDWARE 0x1080 /* asynchronous, only in the kernel */

enum { REPEATS, FITTED, HEADER };

/* The datagram begins at ALIGNED, and the input HEADER bytes before. */
#define ALIGNED 16
static char buffer[1024] __attribute__((aligned(ALIGNED)));
static size_t used;

static void begin(int repeats, int fitted)
{
	memset(buffer, 0, sizeof(buffer));
	buffer[ALIGNED - HEADER + REPEATS] = (char)repeats;
	buffer[ALIGNED - HEADER + FITTED] = (char)fitted;
	used = ALIGNED;
}

static struct nlmsghdr *put(uint16_t type)
{
	struct nlmsghdr *nlh = message_begin(buffer + used, type);

	nlh->nlmsg_flags = NLM_F_MULTI;
	return nlh;
}

static void put_alg(const char *name, const char *driver, uint32_t flags)
{
	used += message_driver(buffer + used, name, driver, flags)->nlmsg_len;
}

static void put_status(uint16_t type, int status)
{
	struct nlmsghdr *nlh = put(type);
	struct nlmsgerr *err = message_add(nlh, sizeof(*err));

	err->error = status;
	used += nlh->nlmsg_len;
}

static void end(const char *name)
{
	seed(name, buffer + ALIGNED - HEADER, used - ALIGNED + HEADER);
}

void write_seeds(void)
{
	begin(0, 0);
	put_alg("cbc(aes)", "mv-cbc-aes", USABLE | HARDWARE);
	put_alg("ctr(aes)", "ctr(aes-generic)", USABLE);
	put_status(NLMSG_DONE, 0);
	end("two");
	begin(255, 0);
	put_alg("ecb(aes)", "ecb-aes-caam", USABLE | HARDWARE);
	end("many");
	begin(0, 0);
	put_status(NLMSG_ERROR, -EBUSY);
	end("error");
	begin(0, 1);
	put_alg("cbc(aes)", "mv-cbc-aes", USABLE | HARDWARE);
	used = ALIGNED + sizeof(struct nlmsghdr) + sizeof(struct crypto_user_alg);
	end("fitted");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kc_drivers drivers;
	char *copy;

	kc_drivers_init(&drivers);
	if (size < HEADER)
		return 0;
	/* In memory of exactly that size, aligned, so that ASan sees a byte too many. */
	copy = malloc(size - HEADER);
	assert(copy || size == HEADER);
	memcpy(copy, data + HEADER, size - HEADER);
	if (data[FITTED] & 1 && size - HEADER >= sizeof(struct nlmsghdr))
		((struct nlmsghdr *)copy)->nlmsg_len = (uint32_t)(size - HEADER);
	for (int i = 0; i <= data[REPEATS]; i++) {
		size_t n = drivers.n;
		int more = kc_netlink_parse(&drivers, copy, size - HEADER);

		assert(more == 1 || more == 0 || more == -EBADMSG);
		if (n == drivers.n)
			break;
	}
	check_drivers(&drivers);
	for (size_t i = 0; i < drivers.n; i++)
		assert(drivers.v[i].flags_known);
	free(copy);
	return 0;
}
