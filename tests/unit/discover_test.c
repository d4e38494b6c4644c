// SPDX-License-Identifier: Apache-2.0
/*
 * /proc/crypto, netlink, and the choice between them, without a kernel: texts and messages are
 * made here, and a pair of sockets stands in for netlink. Linked with --wrap for the four
 * functions that are named __wrap_ below.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <libmnl/libmnl.h>
#include <linux/cryptouser.h>

#include "kernel/discover.h"
#include "kernel/netlink.h"
#include "kernel/procfs.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define RECORD(name, driver, priority, selftest, internal, rest)                                   \
	"name         : " name "\ndriver       : " driver "\nmodule       : kernel\n"              \
	"priority     : " priority "\nrefcnt       : 1\nselftest     : " selftest "\n"             \
	"internal     : " internal "\n" rest "\n"
#define SKCIPHER(async) "type         : skcipher\nasync        : " async "\nblocksize    : 16\n"

static const char text[] =
	RECORD("cbc(aes)", "mv-cbc-aes", "300", "passed", "no", SKCIPHER("yes"))
	RECORD("cbc(aes)", "cbc-aes-geode", "400", "passed", "no", SKCIPHER("no"))
	RECORD("cbc(aes)", "virtio_crypto_aes_cbc", "150", "passed", "no", SKCIPHER("yes"))
	RECORD("__cbc(aes)", "__cbc-aes-aesni", "400", "passed", "yes", SKCIPHER("no"))
	RECORD("cbc(aes)", "cbc-aes-hidden", "400", "passed", "yes", SKCIPHER("yes"))
	RECORD("cbc(aes)", "cbc-aes-dcp", "400", "unknown", "no", SKCIPHER("yes"))
	RECORD("cbc(serpent)", "cbc-serpent-avx2", "600", "passed", "no", SKCIPHER("yes"))
	RECORD("cbc(aes)", "cbc-aes-aesni", "401", "passed", "no", SKCIPHER("yes"))
	RECORD("ctr(aes)", "ctr-aes-sun8i-ce", "-5", "passed", "no",
	       "type         : ablkcipher\nasync        : yes\n")
	RECORD("ecb(aes)", "ecb-aes-newchip", "99999999999", "passed", "no",
	       "type         : lskcipher\nblocksize    : 16\n")
	RECORD("ecb(aes)", "ecb-aes-shash", "1", "passed", "no", "type         : shash\n")
	RECORD("ecb(aes)", "ecb-aes-larval", "1", "passed", "no",
	       "type         : larval\nflags        : 0x410\n")
	RECORD("cbc(des3_ede)", "cbc-des3_ede-asm", "300", "passed", "no",
	       "type         : blkcipher\n");

static const struct kc_driver expected[] = {
	{ "cbc(aes)", "mv-cbc-aes", 300, true, false, false },
	{ "cbc(aes)", "cbc-aes-geode", 400, false, false, false },
	{ "cbc(aes)", "virtio_crypto_aes_cbc", 150, true, false, false },
	{ "cbc(aes)", "cbc-aes-aesni", 401, true, false, false },
	{ "ctr(aes)", "ctr-aes-sun8i-ce", -5, true, false, false },
	{ "ecb(aes)", "ecb-aes-newchip", INT32_MAX, false, false, false },
	{ "cbc(des3_ede)", "cbc-des3_ede-asm", 300, false, false, false },
};

static void assert_same(const struct kc_driver *got, const struct kc_driver *want)
{
	assert_string_equal(got->name, want->name);
	assert_string_equal(got->driver, want->driver);
	assert_int_equal(got->priority, want->priority);
	assert_int_equal(got->async, want->async);
	assert_int_equal(got->kernel_driver_only, want->kernel_driver_only);
	assert_int_equal(got->flags_known, want->flags_known);
}

/* ---- /proc/crypto ---- */

static void every_record_of_ours_is_listed_however_the_text_is_cut(void **state)
{
	static const size_t sizes[] = { 1, 2, 7, 64, 4096, sizeof(text) };

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		struct kc_drivers drivers = { .n = 0 };
		struct kc_procfs parser = { .drivers = &drivers };

		for (size_t at = 0; at < sizeof(text) - 1; at += sizes[s]) {
			size_t left = sizeof(text) - 1 - at;

			kc_procfs_parse(&parser, text + at, left < sizes[s] ? left : sizes[s]);
		}
		assert_int_equal(drivers.n, ARRAY_SIZE(expected));
		for (size_t i = 0; i < drivers.n; i++)
			assert_same(&drivers.v[i], &expected[i]);
		assert_string_equal(drivers.software, "cbc-serpent-avx2");
	}
}

static void a_text_that_breaks_off_lists_whole_records_only(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		char *copy = malloc(len ? len : 1);
		struct kc_drivers drivers = { .n = 0 };
		struct kc_procfs parser = { .drivers = &drivers };

		assert_non_null(copy);
		memcpy(copy, text, len);
		kc_procfs_parse(&parser, copy, len);
		free(copy);
		assert_true(drivers.n <= ARRAY_SIZE(expected));
		for (size_t i = 0; i < drivers.n; i++)
			assert_same(&drivers.v[i], &expected[i]);
	}
}

#define LONG "cbc-aes-name-of-64-bytes-that-no-socket-address-has-the-room-for"

static void records_that_are_no_use_are_left_out(void **state)
{
	static const char *const texts[] = {
		"", "\n\n\n", ":\n\n", " : \n\n", "name\n\n", "name         : \n\n",
		"name         : cbc(aes)\n" SKCIPHER("yes") "\n",
		"driver       : cbc-aes-aesni\n" SKCIPHER("yes") "\n",
		"name         : cbc(aes)\ndriver       : mv-cbc-aes\n\n",
		RECORD("cbc(aes)", LONG, "1", "passed", "no", SKCIPHER("yes")),
		RECORD("cbc(aes)", LONG LONG LONG, "1", "passed", "no", SKCIPHER("yes")),
		RECORD("cbc(aes)", "mv-cbc-aes", "1", "passed", "no",
		       SKCIPHER("yes") LONG LONG LONG "\n"),
		/* a record that another one interrupts: neither's lines count for the other */
		"name         : cbc(aes)\ndriver       : mv-cbc-aes\nname         : cbc(aes)\n"
		SKCIPHER("yes") "\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct kc_drivers drivers = { .n = 0 };
		struct kc_procfs parser = { .drivers = &drivers };

		kc_procfs_parse(&parser, texts[i], strlen(texts[i]));
		if (drivers.n || drivers.software[0])
			fail_msg("taken: %s", texts[i]);
		kc_procfs_parse(&parser, "\n", 1);
		kc_procfs_parse(&parser, text, sizeof(text) - 1);
		assert_int_equal(drivers.n, ARRAY_SIZE(expected));
	}
}

/* ---- netlink messages ---- */

enum { F_ASYNC = 0x80, F_TESTED = 0x400, F_KDO = 0x1000, F_INTERNAL = 0x2000, F_LARVAL = 0x10 };

static char message[512] __attribute__((aligned(4)));

static size_t put_status(uint16_t type, int status)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(message);

	nlh->nlmsg_type = type;
	memcpy(mnl_nlmsg_put_extra_header(nlh, sizeof(status)), &status, sizeof(status));
	return nlh->nlmsg_len;
}

static size_t put_alg(const char *name, const char *driver, uint32_t flags, const char *type)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(message);
	struct crypto_report_blkcipher report = { .blocksize = 16 };
	struct crypto_user_alg *alg;

	nlh->nlmsg_type = CRYPTO_MSG_GETALG;
	nlh->nlmsg_flags = NLM_F_MULTI;
	alg = mnl_nlmsg_put_extra_header(nlh, sizeof(*alg));
	strcpy(alg->cru_name, name);
	strcpy(alg->cru_driver_name, driver);
	alg->cru_flags = flags;
	mnl_attr_put_u32(nlh, CRYPTOCFGA_PRIORITY_VAL, 300);
	strcpy(report.type, type);
	mnl_attr_put(nlh, CRYPTOCFGA_REPORT_BLKCIPHER, sizeof(report), &report);
	return nlh->nlmsg_len;
}

static void a_message_tells_names_priority_and_flags(void **state)
{
	static const char *const types[] = { "skcipher", "lskcipher", "blkcipher", "ablkcipher" };
	static const struct kc_driver want = { "cbc(aes)", "mv-cbc-aes", 300, true, true, true };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct kc_drivers drivers = { .n = 0 };
		uint32_t flags = F_ASYNC | F_TESTED | F_KDO;
		size_t len = put_alg("cbc(aes)", "mv-cbc-aes", flags, types[i]);

		assert_int_equal(kc_netlink_parse(&drivers, message, len), 0);
		assert_int_equal(drivers.n, 1);
		assert_same(&drivers.v[0], &want);
	}
}

static void messages_about_anything_else_are_passed_over(void **state)
{
	static const struct {
		const char *name, *driver, *type;
		uint32_t flags;
	} cases[] = {
		{ "cbc(aes)", "mv-cbc-aes", "skcipher", F_TESTED | F_INTERNAL },
		{ "cbc(aes)", "mv-cbc-aes", "skcipher", F_TESTED | F_LARVAL },
		{ "cbc(aes)", "mv-cbc-aes", "skcipher", 0 },
		{ "cbc(aes)", "mv-cbc-aes", "skciphers", F_TESTED },
		{ "cbc(aes)", "mv-cbc-aes", "aead", F_TESTED },
		{ "cbc(aes)", "", "skcipher", F_TESTED },
		{ "cbc(sm4)", "cbc-sm4-chip", "skcipher", F_TESTED | F_KDO },
	};
	struct kc_drivers drivers = { .n = 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = put_alg(cases[i].name, cases[i].driver, cases[i].flags, cases[i].type);

		assert_int_equal(kc_netlink_parse(&drivers, message, len), 0);
		assert_int_equal(drivers.n, 0);
	}
	put_alg("cbc(aes)", "mv-cbc-aes", F_TESTED, "skcipher");
	((struct nlattr *)(message + 232))->nla_type = CRYPTOCFGA_REPORT_AEAD;
	assert_int_equal(kc_netlink_parse(&drivers, message, sizeof(message)), 0);
	assert_int_equal(drivers.n, 0);
}

/* In memory of exactly that size, so that ASan sees a byte too many. */
static int parse_first(size_t len, size_t claimed)
{
	struct kc_drivers drivers = { .n = 0 };
	char *copy = malloc(len ? len : 1);
	int err;

	assert_non_null(copy);
	memcpy(copy, message, len);
	if (len >= sizeof(struct nlmsghdr))
		((struct nlmsghdr *)copy)->nlmsg_len = (uint32_t)claimed;
	err = kc_netlink_parse(&drivers, copy, len);
	free(copy);
	assert_true(err == 0 || drivers.n == 0);
	return err;
}

static void a_message_cut_at_any_length_is_refused_or_passed_over(void **state)
{
	const size_t fixed = sizeof(struct nlmsghdr) + sizeof(struct crypto_user_alg);
	size_t whole = put_alg("cbc(aes)", "mv-cbc-aes", F_ASYNC | F_TESTED, "skcipher");

	(void)state;
	for (size_t len = 0; len < whole; len++) {
		assert_int_equal(parse_first(len, whole), -EBADMSG);
		assert_int_equal(parse_first(len, len), len < fixed ? -EBADMSG : 0);
	}
	assert_int_equal(parse_first(whole, whole), 0);
	memset(((struct crypto_user_alg *)(message + 16))->cru_driver_name, 'x', CRYPTO_MAX_NAME);
	assert_int_equal(parse_first(whole, whole), -EBADMSG);
	memmove(message + 2, message, put_status(NLMSG_NOOP, 0));
	assert_int_equal(kc_netlink_parse(NULL, message + 2, whole), -EBADMSG);
}

static void the_end_of_a_dump_and_its_errors_are_told_apart(void **state)
{
	static const struct {
		uint16_t type;
		int status, want;
	} cases[] = {
		{ NLMSG_DONE, 0, 1 },	       { NLMSG_DONE, -EMSGSIZE, -EMSGSIZE },
		{ NLMSG_ERROR, -EBUSY, -EBUSY }, { NLMSG_ERROR, -EPERM, -EPERM },
		{ NLMSG_ERROR, 0, -EBADMSG },  { NLMSG_DONE, 7, -EBADMSG },
		{ NLMSG_ERROR, INT32_MIN, -EBADMSG },
		{ NLMSG_OVERRUN, 0, -ENOBUFS }, { NLMSG_NOOP, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = put_status(cases[i].type, cases[i].status);

		assert_int_equal(kc_netlink_parse(NULL, message, len), cases[i].want);
	}
	put_status(NLMSG_DONE, 0);
	((struct nlmsghdr *)message)->nlmsg_len = sizeof(struct nlmsghdr);
	assert_int_equal(kc_netlink_parse(NULL, message, sizeof(struct nlmsghdr)), -EBADMSG);
	put_status(NLMSG_DONE, 0);
	((struct nlmsghdr *)message)->nlmsg_flags = NLM_F_DUMP_INTR;
	assert_int_equal(kc_netlink_parse(NULL, message, sizeof(message)), -EAGAIN);
}

/* ---- a whole dump: the kernel's end of the socket is ours ---- */

static int kernel_end = -1, provider_end = -1;

struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags);
struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags)
{
	assert_int_equal(bus, NETLINK_CRYPTO);
	assert_int_equal(flags, SOCK_CLOEXEC);
	if (provider_end < 0) {
		errno = EPROTONOSUPPORT;
		return NULL;
	}
	return mnl_socket_fdopen(provider_end);
}

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t len);
ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t len)
{
	const struct nlmsghdr *nlh = req;

	(void)nl;
	assert_int_equal(nlh->nlmsg_type, CRYPTO_MSG_GETALG);
	assert_int_equal(nlh->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
	return (ssize_t)len;
}

static void open_pair(void)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
	kernel_end = fds[0];
	provider_end = fds[1];
}

/* @n algorithms in one datagram, ours first and last; then, where asked for, the end. */
static void send_algs(size_t n, bool with_end)
{
	static char datagram[65536];
	size_t len, at = 0;

	for (size_t i = 0; i < n; i++) {
		bool ours = i == 0 || i == n - 1;

		len = put_alg(ours ? "cbc(aes)" : "cbc(sm4)", ours ? "mv-cbc-aes" : "cbc-sm4-ce",
			      F_TESTED | F_ASYNC, "skcipher");
		memcpy(datagram + at, message, len);
		at += len;
	}
	if (at)
		assert_int_equal(send(kernel_end, datagram, at, 0), at);
	len = put_status(NLMSG_DONE, 0);
	if (with_end)
		assert_int_equal(send(kernel_end, message, len, 0), len);
}

int __real_kc_netlink_dump(struct kc_drivers *drivers);

static int dump(struct kc_drivers *drivers)
{
	int err = __real_kc_netlink_dump(drivers);

	assert_int_equal(close(provider_end), -1);	/* it was, already */
	close(kernel_end);
	kernel_end = provider_end = -1;
	return err;
}

static void datagrams_of_every_size_are_read_whole(void **state)
{
	static const size_t counts[] = { 1, 2, 42, 43, 44, 92, 130, 172 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct kc_drivers drivers;

		open_pair();
		send_algs(counts[i], false);
		send_algs(2, true);
		assert_int_equal(dump(&drivers), 0);
		assert_int_equal(drivers.n, counts[i] == 1 ? 3 : 4);
	}
}

static void a_dump_without_an_end_is_an_error_after_a_second(void **state)
{
	struct kc_drivers drivers;

	(void)state;
	open_pair();
	send_algs(3, false);
	assert_int_equal(dump(&drivers), -EAGAIN);
}

static void a_dump_that_fails_halfway_is_an_error(void **state)
{
	struct kc_drivers drivers;
	size_t len;

	(void)state;
	open_pair();
	send_algs(3, false);
	len = put_status(NLMSG_ERROR, -EBUSY);
	assert_int_equal(send(kernel_end, message, len, 0), len);
	send_algs(3, true);
	assert_int_equal(dump(&drivers), -EBUSY);
	open_pair();
	assert_int_equal(send(kernel_end, text, sizeof(text), 0), sizeof(text));
	assert_int_equal(dump(&drivers), -EBADMSG);
	assert_int_equal(__real_kc_netlink_dump(&drivers), -EPROTONOSUPPORT);
}

/* ---- the choice ---- */

static struct {
	int procfs, netlink, asked, cancel;
	const char *listed;
} world;

int __real_kc_procfs_read(struct kc_drivers *drivers);
int __wrap_kc_procfs_read(struct kc_drivers *drivers);
int __wrap_kc_procfs_read(struct kc_drivers *drivers)
{
	struct kc_driver d = { .name = "cbc(aes)" };

	assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &world.cancel), 0);
	errno = EIO;
	memset(drivers, 0, sizeof(*drivers));
	strcpy(d.driver, world.listed);
	kc_drivers_add(drivers, &d);
	return world.procfs;
}

int __wrap_kc_netlink_dump(struct kc_drivers *drivers);
int __wrap_kc_netlink_dump(struct kc_drivers *drivers)
{
	struct kc_driver d = { .name = "ctr(aes)", .driver = "told", .flags_known = true };

	world.asked++;
	memset(drivers, 0, sizeof(*drivers));
	kc_drivers_add(drivers, &d);
	return world.netlink;
}

static void netlink_is_asked_only_where_proc_leaves_a_question(void **state)
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
		{ "cbc-aes-geode", 0, 0, 1, 0, "told" },
		{ "cbc-aes-aesni", -ENOENT, 0, 1, 0, "told" },
		{ "cbc-aes-aesni", -ENOENT, -EPROTONOSUPPORT, 1, -ENOENT, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kc_drivers drivers;

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
		else
			assert_string_equal(drivers.software, "");
	}
}

static void reading_this_kernels_list_leaves_nothing_open(void **state)
{
	int before = dup(0), after, err;
	struct kc_drivers drivers;

	(void)state;
	close(before);
	err = __real_kc_procfs_read(&drivers);
	assert_true(err == 0 || (err == -ENOENT && access("/proc/crypto", F_OK) != 0));
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_of_ours_is_listed_however_the_text_is_cut),
		cmocka_unit_test(a_text_that_breaks_off_lists_whole_records_only),
		cmocka_unit_test(records_that_are_no_use_are_left_out),
		cmocka_unit_test(a_message_tells_names_priority_and_flags),
		cmocka_unit_test(messages_about_anything_else_are_passed_over),
		cmocka_unit_test(a_message_cut_at_any_length_is_refused_or_passed_over),
		cmocka_unit_test(the_end_of_a_dump_and_its_errors_are_told_apart),
		cmocka_unit_test(datagrams_of_every_size_are_read_whole),
		cmocka_unit_test(a_dump_without_an_end_is_an_error_after_a_second),
		cmocka_unit_test(a_dump_that_fails_halfway_is_an_error),
		cmocka_unit_test(netlink_is_asked_only_where_proc_leaves_a_question),
		cmocka_unit_test(reading_this_kernels_list_leaves_nothing_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
