// SPDX-License-Identifier: Apache-2.0
/*
 * crypto_user's messages, and a whole dump, from a pair of sockets of which one plays the kernel.
 */
#include "unit/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/cryptouser.h>

#include "discovery/netlink.h"
#include "netlink_message.h"

enum {
	SKCIPHER = 5,
	LSKCIPHER = 4,
	AEAD = 3,
	LARVAL = 0x10,
	DEAD = 0x20,
	DYING = 0x40,
	ASYNC = 0x80,
	TESTED = 0x400,
	KDO = 0x1000,
	INTERNAL = 0x2000,
	FIXED_SIZE = sizeof(struct nlmsghdr) + sizeof(struct crypto_user_alg),
};

static char message[512] __attribute__((aligned(4)));

static size_t put_status(uint16_t type, int status)
{
	struct nlmsghdr *nlh = message_begin(message, type);
	struct nlmsgerr *err = message_add(nlh, sizeof(*err));

	err->error = status;
	return nlh->nlmsg_len;
}

static size_t put_alg(const char *name, const char *driver, uint32_t flags)
{
	return message_driver(message, name, driver, flags)->nlmsg_len;
}

/* In memory of exactly that size, so that ASan sees a byte too many. */
static int parse(struct kc_drivers *drivers, size_t len, size_t claimed)
{
	char *copy = malloc(len ? len : 1);
	int more;

	assert_non_null(copy);
	memcpy(copy, message, len);
	if (len >= sizeof(struct nlmsghdr))
		((struct nlmsghdr *)copy)->nlmsg_len = (uint32_t)claimed;
	kc_drivers_init(drivers);
	more = kc_netlink_parse(drivers, copy, len);
	free(copy);
	return more;
}

TEST(a_message_tells_names_priority_and_flags)
{
	static const uint32_t types[] = { SKCIPHER, LSKCIPHER };

	for (int bits = 0; bits < 8; bits++) {
		uint32_t flags =
			types[bits & 1] | TESTED | (bits & 2 ? ASYNC : 0) | (bits & 4 ? KDO : 0);
		size_t len = put_alg("cbc(aes)", "mv-cbc-aes", flags);
		static struct kc_drivers drivers;

		assert_int_equal(parse(&drivers, len, len), 1);
		assert_int_equal(drivers.n, 1);
		assert_string_equal(drivers.v[0].name, "cbc(aes)");
		assert_string_equal(drivers.v[0].driver, "mv-cbc-aes");
		assert_int_equal(drivers.v[0].priority, 300);
		assert_int_equal(drivers.v[0].async, (bits & 2) != 0);
		assert_int_equal(drivers.v[0].kernel_driver_only, (bits & 4) != 0);
		assert_true(drivers.v[0].flags_known);
	}
}

TEST(messages_about_anything_else_are_passed_over)
{
	static const uint32_t flags[] = {
		SKCIPHER,
		SKCIPHER | TESTED | INTERNAL,
		SKCIPHER | TESTED | LARVAL,
		SKCIPHER | TESTED | DEAD,
		SKCIPHER | TESTED | DYING,
		AEAD | TESTED,
		TESTED,
		0x6 | TESTED,
		0xf | TESTED,
	};
	static struct kc_drivers drivers;
	size_t len = put_alg("cbc(twofish)", "cbc-twofish-chip", SKCIPHER | TESTED | KDO);

	assert_int_equal(parse(&drivers, len, len), 1);
	assert_int_equal(drivers.n, 0);
	for (size_t i = 0; i < COUNT(flags); i++) {
		len = put_alg("cbc(aes)", "mv-cbc-aes", flags[i]);
		assert_int_equal(parse(&drivers, len, len), 1);
		assert_int_equal(drivers.n, 0);
	}
}

TEST(a_message_cut_at_any_length_lists_nothing_or_its_fixed_part)
{
	size_t whole = put_alg("cbc(aes)", "mv-cbc-aes", SKCIPHER | TESTED);
	static struct kc_drivers drivers;

	for (size_t len = 0; len < whole; len++) {
		int more = len >= sizeof(struct nlmsghdr) && len < FIXED_SIZE ? -EBADMSG : 1;

		assert_int_equal(parse(&drivers, len, whole), 1);
		assert_int_equal(drivers.n, 0);
		assert_int_equal(parse(&drivers, len, len), more);
		assert_int_equal(drivers.n, len >= FIXED_SIZE);
	}
}

TEST(a_length_that_is_negative_as_an_int_fits_nowhere)
{
	static const uint32_t lengths[] = { 0x80000000, 0x85000000, 0xfffffff0, 0xffffffff };
	size_t whole = put_alg("cbc(aes)", "mv-cbc-aes", SKCIPHER | TESTED);
	struct nlmsghdr *nlh = (void *)message;
	static struct kc_drivers drivers;

	for (size_t i = 0; i < COUNT(lengths); i++) {
		assert_int_equal(parse(&drivers, whole, lengths[i]), 1);
		assert_int_equal(drivers.n, 0);
	}
	/* After an empty message, where a sum would wrap with 32 bits. */
	memmove(message + sizeof(*nlh), message, whole);
	*nlh = (struct nlmsghdr){ .nlmsg_type = NLMSG_NOOP };
	for (size_t i = 0; i < COUNT(lengths); i++) {
		nlh[1].nlmsg_len = lengths[i];
		assert_int_equal(parse(&drivers, sizeof(*nlh) + whole, sizeof(*nlh)), 1);
		assert_int_equal(drivers.n, 0);
	}
}

TEST(a_name_without_an_end_is_given_one)
{
	size_t len = put_alg("cbc(aes)", "", SKCIPHER | TESTED);
	struct crypto_user_alg *alg = (void *)(message + sizeof(struct nlmsghdr));
	static struct kc_drivers drivers;

	memset(alg->cru_driver_name, 'x', sizeof(alg->cru_driver_name));
	assert_int_equal(parse(&drivers, len, len), 1);
	assert_int_equal(drivers.n, 1);
	assert_int_equal(strlen(drivers.v[0].driver), KC_DRIVER_NAME_SIZE - 1);
}

TEST(the_end_of_a_dump_and_its_errors_are_told_apart)
{
	static const struct {
		uint16_t type, flags;
		int status, more;
	} cases[] = {
		{ NLMSG_DONE, 0, 0, 0 },
		{ NLMSG_NOOP, 0, 0, 1 },
		{ NLMSG_ERROR, 0, -EBUSY, -EBADMSG },
		{ NLMSG_ERROR, 0, -EPERM, -EBADMSG },
		{ NLMSG_ERROR, 0, 7, -EBADMSG },
		{ NLMSG_DONE, NLM_F_DUMP_INTR, 0, -EBADMSG },
		{ CRYPTO_MSG_GETALG, NLM_F_DUMP_INTR, 0, -EBADMSG },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		static struct kc_drivers drivers;
		size_t len = put_status(cases[i].type, cases[i].status);

		((struct nlmsghdr *)message)->nlmsg_flags = cases[i].flags;
		assert_int_equal(parse(&drivers, len, len), cases[i].more);
	}
}

TEST(noise_is_survived)
{
	uint32_t x = 2463534242u;

	for (int round = 0; round < 50000; round++) {
		size_t len = put_alg("cbc(aes)", "mv-cbc-aes", SKCIPHER | TESTED);
		static struct kc_drivers drivers;
		int result;

		for (int i = 0; i < 4; i++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			message[x % len] = (char)(x >> 24);
			if (i == 0)
				len -= x % 64;
		}
		result = parse(&drivers, len, len);
		assert_true(result >= -EBADMSG && result <= 1);
	}
}

/* ---- a whole dump ---- */

static int kernel, asker; /* of a pair */
static struct {
	char bytes[80000];
	size_t len;
} answer[4];

static void open_kernel(void)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	kernel = pair[0];
	asker = pair[1];
}

static void close_kernel(void)
{
	close(kernel);
	close(asker);
}

static void say(size_t i, size_t len)
{
	memcpy(answer[i].bytes + answer[i].len, message, len);
	answer[i].len += len;
}

/* @n algorithms in the datagram @i, ours first and last. */
static void say_algs(size_t i, size_t n)
{
	for (size_t j = 0; j < n; j++)
		if (j == 0 || j == n - 1)
			say(i, put_alg("cbc(aes)", "mv-cbc-aes", SKCIPHER | TESTED | ASYNC));
		else
			say(i, put_alg("cbc(twofish)", "cbc-twofish-avx", SKCIPHER | TESTED));
}

/* The answers wait before the question comes. */
static int dump(struct kc_drivers *drivers)
{
	struct nlmsghdr request[FIXED_SIZE];
	int err;

	for (size_t i = 0; i < COUNT(answer) && answer[i].len; i++)
		assert_int_equal(send(kernel, answer[i].bytes, answer[i].len, MSG_DONTWAIT),
				 answer[i].len);
	memset(answer, 0, sizeof(answer));
	kc_drivers_init(drivers);
	err = kc_netlink_ask(drivers, asker);
	assert_int_equal(recv(kernel, request, sizeof(request), MSG_DONTWAIT), FIXED_SIZE);
	assert_int_equal(request->nlmsg_len, FIXED_SIZE);
	assert_int_equal(request->nlmsg_type, CRYPTO_MSG_GETALG);
	assert_int_equal(request->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
	return err;
}

TEST(datagrams_of_every_size_are_read_whole)
{
	static const size_t counts[] = { 1, 2, 11, 92, 172 }; /* the last: more than 65000 bytes */

	for (size_t i = 0; i < COUNT(counts); i++) {
		static struct kc_drivers drivers;

		say_algs(0, counts[i]);
		say_algs(1, 2);
		say(2, put_status(NLMSG_DONE, 0));
		assert_int_equal(dump(&drivers), 0);
		assert_int_equal(drivers.n, counts[i] == 1 ? 3 : 4);
	}
}

TEST(a_datagram_that_does_not_fit_is_an_error)
{
	static struct kc_drivers drivers;

	say_algs(0, 180);
	say(1, put_status(NLMSG_DONE, 0));
	assert_int_equal(dump(&drivers), -ENOSPC);
}

TEST(a_dump_without_an_end_is_an_error_after_a_second)
{
	static struct kc_drivers drivers;

	say_algs(0, 3);
	assert_int_equal(dump(&drivers), -EAGAIN);
}

TEST(a_dump_that_fails_halfway_is_an_error)
{
	static struct kc_drivers drivers;

	say_algs(0, 3);
	say(1, put_status(NLMSG_ERROR, -EBUSY));
	say_algs(2, 3);
	say(3, put_status(NLMSG_DONE, 0));
	assert_int_equal(dump(&drivers), -EBADMSG);
}

TEST(a_kernel_without_crypto_user_is_an_error_and_leaves_nothing_open)
{
	static struct kc_drivers drivers;
	int before = dup(0), after, err;

	close(before);
	err = kc_netlink_dump(&drivers);
	assert_true(err <= 0);
	if (err == -EPROTONOSUPPORT)
		assert_int_equal(drivers.n, 0);
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

const struct suite suite = { .before_each = open_kernel, .after_each = close_kernel };
