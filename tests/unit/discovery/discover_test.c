// SPDX-License-Identifier: Apache-2.0
/*
 * The choice between /proc/crypto and netlink. Both are simulated here: because their names are
 * defined, the linker takes neither procfs.o nor netlink.o from the library.
 */
#include "unit/check.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "discovery/discover.h"
#include "discovery/netlink.h"
#include "discovery/procfs.h"
#include "core/backend.h"

static struct {
	int procfs, netlink, asked, cancel;
	const char *listed;
} world;

int kc_procfs_read(struct kc_drivers *drivers)
{
	struct kc_driver d = { .name = "cbc(aes)" };

	assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &world.cancel), 0);
	errno = EIO;
	kc_drivers_init(drivers);
	strcpy(d.driver, world.listed);
	if (!world.procfs)
		kc_drivers_add(drivers, &d);
	return world.procfs;
}

int kc_netlink_dump(struct kc_drivers *drivers)
{
	struct kc_driver d = { .name = "ctr(aes)", .driver = "told", .flags_known = true };

	world.asked++;
	kc_drivers_init(drivers);
	kc_drivers_add(drivers, &d);
	return world.netlink;
}

TEST(netlink_is_asked_only_where_proc_leaves_a_question)
{
	static const struct {
		const char *listed;
		int procfs, netlink;
		int asked, err;
		const char *found;
	} cases[] = {
		{ "cbc-aes-aesni", 0, 0, 0, 0, "cbc-aes-aesni" },
		{ "cbc-aes-newchip", 0, 0, 1, 0, "told" },
		{ "cbc-aes-newchip", 0, -EPROTONOSUPPORT, 1, 0, "cbc-aes-newchip" },
		{ "cbc-aes-geode", 0, 0, 0, 0, "cbc-aes-geode" },
		{ "virtio_crypto_aes_cbc", 0, 0, 0, 0, "virtio_crypto_aes_cbc" },
		{ "cbc-aes-aesni", -ENOENT, 0, 1, 0, "told" },
		{ "cbc-aes-aesni", -ENOENT, -EPROTONOSUPPORT, 1, -ENOENT, NULL },
	};

	kc_sandbox_is_shut(true); /* here may be a container */
	for (size_t i = 0; i < COUNT(cases); i++) {
		static struct kc_drivers drivers;

		world.listed = cases[i].listed;
		world.procfs = cases[i].procfs;
		world.netlink = cases[i].netlink;
		world.asked = 0;
		errno = ENOTTY;
		assert_int_equal(kc_discover(&drivers), cases[i].err);
		assert_int_equal(errno, ENOTTY);
		assert_int_equal(world.asked, cases[i].asked);
		assert_int_equal(world.cancel, PTHREAD_CANCEL_DISABLE);
		assert_int_equal(drivers.n, cases[i].found ? 1 : 0);
		if (cases[i].found)
			assert_string_equal(drivers.v[0].driver, cases[i].found);
	}
}
