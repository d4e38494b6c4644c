// SPDX-License-Identifier: Apache-2.0
/*
 * Blocks from the middle of a digest: a message may go in any pieces, and any session may take up
 * the midstate of another; the words at the end are the digest that the same driver computes at
 * once.
 */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM (3 * KCRYPTO_MAX_LEN)

#define FIRST_256                                                                                  \
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,        \
		0x5be0cd19
#define FIRST_224                                                                                  \
	0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7,        \
		0xbefa4fa4
#define FIRST_384                                                                                  \
	0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,            \
		0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4
#define FIRST_512                                                                                  \
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,            \
		0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179

/* Lengths are in bytes, except for the number of words. */
#define DIGEST(name, block, words, word, out, ...)                                                 \
	{                                                                                          \
		KCRYPTO_BLOCKS_##name, KCRYPTO_##name, block, words, word, out,                    \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

static const struct digest {
	unsigned blocks, whole; /* numbers of the algorithms */
	unsigned block, words, word, out;
	uint64_t first[8];
} digests[] = {
	DIGEST(MD5, 64, 4, 4, 16, 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476),
	DIGEST(SHA1, 64, 5, 4, 20, 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0),
	DIGEST(SHA224, 64, 8, 4, 28, FIRST_224),
	DIGEST(SHA256, 64, 8, 4, 32, FIRST_256),
	DIGEST(SHA384, 128, 8, 8, 48, FIRST_384),
	DIGEST(SHA512, 128, 8, 8, 64, FIRST_512),
};

static bool is_little(const struct digest *d)
{
	return d->whole == KCRYPTO_MD5;
}

/* The initial midstate, as the device takes it. */
static void begin(const struct digest *d, uint8_t *words)
{
	for (unsigned i = 0; i < d->words; i++) {
		uint32_t narrow = (uint32_t)d->first[i];

		memcpy(words + i * d->word, d->word == 4 ? (void *)&narrow : (void *)&d->first[i],
		       d->word);
	}
}

static void put_number(uint8_t *at, uint64_t number, unsigned len, bool little)
{
	for (unsigned i = 0; i < len; i++)
		at[little ? i : len - 1 - i] = (uint8_t)(number >> (8 * i));
}

/* The last midstate as the digest's bytes. */
static void end(const struct digest *d, const uint8_t *words, uint8_t *bytes)
{
	for (unsigned i = 0; i < d->words; i++) {
		uint64_t wide;
		uint32_t narrow;

		memcpy(&narrow, words + i * d->word, sizeof(narrow));
		memcpy(&wide, words + i * d->word, d->word == 8 ? 8 : 4);
		put_number(bytes + i * d->word, d->word == 8 ? wide : narrow, d->word,
			   is_little(d));
	}
}

static void random_bytes(uint8_t *at, size_t len)
{
	while (len--)
		*at++ = (uint8_t)rand();
}

/* Pads a message in place. Returns its padded length. */
static size_t pad(const struct digest *d, uint8_t *text, size_t len)
{
	size_t all = (len + 1 + d->block / 8 + d->block - 1) / d->block * d->block;

	memset(text + len, 0, all - len);
	text[len] = 0x80;
	put_number(text + all - 8, 8 * (uint64_t)len, 8, is_little(d));
	return all;
}

static struct kcrypto_request blocks_request(const struct session *s, const struct digest *d,
					     uint8_t *words, const uint8_t *text, size_t len)
{
	return (struct kcrypto_request){ .session = s->cookie,
					 .len = (uint32_t)len,
					 .in = address(text),
					 .iv = address(words),
					 .iv_len = d->words * d->word,
					 .tag = address(words),
					 .tag_len = d->words * d->word };
}

static int do_blocks(const struct session *s, const struct digest *d, uint8_t *words,
		     const uint8_t *text, size_t len)
{
	struct kcrypto_request req = blocks_request(s, d, words, text, len);

	return request_run(s, &req);
}

static uint8_t message[ROOM];

/* Does the rest of a padded message, in pieces of any size. */
static void do_pieces(const struct session *s, const struct digest *d, uint8_t *words, size_t at,
		      size_t all)
{
	while (at < all) {
		size_t most = all - at < KCRYPTO_MAX_LEN ? all - at : KCRYPTO_MAX_LEN;
		size_t blocks = most / d->block;
		size_t n = d->block * (rand() % 2 ? blocks : 1 + (size_t)rand() % blocks);

		CHECK_IS(do_blocks(s, d, words, message + at, n), 0);
		at += n;
	}
}

static void digest_of(const struct digest *d, const char *driver, size_t len, uint8_t *bytes)
{
	struct kcrypto_request req = { .len = (uint32_t)len,
				       .in = address(message),
				       .tag = address(bytes),
				       .tag_len = d->out };
	struct session s;

	CHECK_IS(session_open(&s, d->whole, driver, NULL, 0, 0), 0);
	req.session = s.cookie;
	CHECK_IS(request_run(&s, &req), 0);
	session_close(&s);
}

static void check_driver(const struct digest *d, const char *driver)
{
	uint8_t words[64], wanted_bytes[64], bytes[64];
	struct session s;
	size_t all;

	CHECK_IS(session_open(&s, d->blocks, driver, NULL, 0, 0), 0);
	for (int i = as_often(200); i > 0; i--) {
		size_t len = (size_t)rand() % (i % 8 ? 3000 : KCRYPTO_MAX_LEN);

		random_bytes(message, len);
		digest_of(d, driver, len, wanted_bytes);
		all = pad(d, message, len);
		begin(d, words);
		do_pieces(&s, d, words, 0, all);
		end(d, words, bytes);
		CHECK(memcmp(bytes, wanted_bytes, d->out) == 0);
	}
	session_close(&s);
}

static const struct digest *digest_with(unsigned blocks)
{
	for (size_t i = 0; i < COUNT(digests); i++)
		if (digests[i].blocks == blocks)
			return &digests[i];
	return NULL;
}

/* The drivers for blocks, as the device lists them. */
static struct kcrypto_driver drivers[300];

static unsigned list_drivers(void)
{
	struct kcrypto_list list = { .drivers = address(drivers),
				     .count = COUNT(drivers),
				     .driver_size = sizeof(drivers[0]) };
	int fd = device_open();

	CHECK_IS(device_ioctl(fd, KCRYPTO_IOC_LIST, &list), 0);
	close(fd);
	return list.count < COUNT(drivers) ? list.count : COUNT(drivers);
}

static bool is_listed(unsigned algorithm, const char *name)
{
	for (unsigned i = list_drivers(); i-- > 0;)
		if (drivers[i].algorithm == algorithm && strcmp(drivers[i].name, name) == 0)
			return true;
	return false;
}

static const struct digest *sha256 = &digests[3];

TEST(pieces_of_a_message)
{
	CHECK(is_listed(KCRYPTO_BLOCKS_SHA256, "sha256-accel"));
	check_driver(sha256, "sha256-accel");
}

TEST(all_digests_of_the_kernels_software)
{
	unsigned n, seen = 0;

	set_kcrypto("software", "1");
	n = list_drivers();
	for (unsigned i = 0; i < n; i++) {
		const struct digest *d = digest_with(drivers[i].algorithm);

		if (!d)
			continue;
		printf("# %s\n", drivers[i].name);
		check_driver(d, drivers[i].name);
		seen |= 1u << (d - digests);
	}
	set_kcrypto("software", "0");
	CHECK_IS(seen, (1u << COUNT(digests)) - 1);
}

/*
 * One session or process begins a message and another one ends it: the kernel keeps no part of it.
 */
TEST(midstates_belong_to_nobody)
{
	uint8_t words[64], copy[64], bytes[64], wanted_bytes[64];
	struct session s, other;
	size_t all;

	random_bytes(message, 20000);
	digest_of(sha256, "", 20000, wanted_bytes);
	all = pad(sha256, message, 20000);
	CHECK_IS(session_open(&s, KCRYPTO_BLOCKS_SHA256, "", NULL, 0, 0), 0);
	begin(sha256, words);
	CHECK_IS(do_blocks(&s, sha256, words, message, 6400), 0);
	memcpy(copy, words, sizeof(copy));
	do_pieces(&s, sha256, words, 6400, all);
	CHECK_IS(session_open(&other, KCRYPTO_BLOCKS_SHA256, "", NULL, 0, 0), 0);
	session_close(&s);
	do_pieces(&other, sha256, copy, 6400, all);
	session_close(&other);
	CHECK(memcmp(words, copy, 32) == 0);
	end(sha256, words, bytes);
	CHECK(memcmp(bytes, wanted_bytes, 32) == 0);
}

/* Any words are a midstate. The driver's memory gets these words and nothing else. */
TEST(words_that_no_digest_has)
{
	uint8_t words[64], again[64];
	struct session s;

	CHECK_IS(session_open(&s, KCRYPTO_BLOCKS_SHA256, "", NULL, 0, 0), 0);
	for (int i = as_often(500); i > 0; i--) {
		random_bytes(words, sizeof(words));
		if (i % 3 == 0)
			memset(words, i % 2 ? 0xff : 0, sizeof(words));
		memcpy(again, words, sizeof(words));
		CHECK_IS(do_blocks(&s, sha256, words, message, 640), 0);
		CHECK_IS(do_blocks(&s, sha256, again, message, 64), 0);
		CHECK_IS(do_blocks(&s, sha256, again, message + 64, 576), 0);
		CHECK(memcmp(words, again, sizeof(words)) == 0);
	}
	session_close(&s);
}

TEST(refusals)
{
	static const struct {
		uint32_t len;
		int err;
	} lengths[] = { { 0, -EINVAL },		  { 1, -EINVAL },
			{ 63, -EINVAL },	  { 64, 0 },
			{ 65, -EINVAL },	  { 96, -EINVAL },
			{ 65535, -EINVAL },	  { 65536, 0 },
			{ 65600, -EMSGSIZE },	  { 0x80000000, -EMSGSIZE },
			{ 0xffffffc0, -EMSGSIZE } };
	uint8_t words[64] = { 0 };
	struct kcrypto_request req, good;
	struct session s;

	CHECK_IS(session_open(&s, KCRYPTO_BLOCKS_SHA256, "", "key", 3, 0), -EINVAL);
	CHECK_IS(session_open(&s, KCRYPTO_BLOCKS_SHA256, "", NULL, 0, 16), -EINVAL);
	CHECK_IS(session_open(&s, KCRYPTO_BLOCKS_SHA256, "cbc-aes-accel", NULL, 0, 0), -ENOENT);
	CHECK_IS(session_open(&s, KCRYPTO_BLOCKS_SHA256, "", NULL, 0, 0), 0);
	good = blocks_request(&s, sha256, words, message, 64);
	for (size_t i = 0; i < COUNT(lengths); i++) {
		req = good;
		req.len = lengths[i].len;
		CHECK_IS(request_run(&s, &req), lengths[i].err);
	}
	for (unsigned len = 0; len < 80; len++) {
		req = good;
		req.iv_len = len;
		CHECK_IS(request_run(&s, &req), len == 32 ? 0 : -EINVAL);
		req = good;
		req.tag_len = len;
		CHECK_IS(request_run(&s, &req), len == 32 ? 0 : -EINVAL);
	}
	req = good;
	req.out = address(out);
	CHECK_IS(request_run(&s, &req), -EINVAL);
	req = good;
	req.flags = KCRYPTO_DECRYPT;
	CHECK_IS(request_run(&s, &req), -EINVAL);
	req = good;
	req.aad_len = 1;
	CHECK_IS(request_run(&s, &req), -EINVAL);
	req = good;
	req.iv = 0;
	CHECK_IS(request_run(&s, &req), -EFAULT);
	req = good;
	req.tag = 0;
	CHECK_IS(request_run(&s, &req), -EFAULT);
	session_close(&s);
}

static void expect_no_blocks(const char *state)
{
	struct session s;

	set_accel("state", state);
	CHECK_IS(session_open(&s, KCRYPTO_BLOCKS_SHA256, "sha256-accel", NULL, 0, 0),
		 -EPROTONOSUPPORT);
	CHECK_IS(session_open(&s, KCRYPTO_SHA256, "sha256-accel", NULL, 0, 0), 0);
	session_close(&s);
	set_accel("state", "0");
	CHECK_IS(session_open(&s, KCRYPTO_BLOCKS_SHA256, "sha256-accel", NULL, 0, 0), 0);
	session_close(&s);
}

/* Nowhere in what the driver exports are the words. */
TEST(another_form)
{
	expect_no_blocks("1");
}

/* They are there, but the driver goes on from something else. */
TEST(words_that_are_only_shown)
{
	expect_no_blocks("2");
}

/*
 * A driver that exports the same words with their bytes in another order, as its device has them.
 */
TEST(another_order_of_bytes)
{
	set_accel("state", "3");
	check_driver(sha256, "sha256-accel");
	set_accel("state", "0");
}

/* Behind other things, as in a struct of the driver's own. */
TEST(words_elsewhere)
{
	set_accel("state", "4");
	check_driver(sha256, "sha256-accel");
	set_accel("state", "0");
}

TEST(several_in_flight)
{
	static uint8_t words[16][64], alone[64];
	struct kcrypto_request req;
	struct session s;

	random_bytes(message, 16 * 6400);
	CHECK_IS(session_open(&s, KCRYPTO_BLOCKS_SHA256, "sha256-accel", NULL, 0, 0), 0);
	for (unsigned i = 0; i < COUNT(words); i++) {
		begin(sha256, words[i]);
		req = blocks_request(&s, sha256, words[i], message + 6400 * i, 6400);
		req.user_data = i;
		CHECK_IS(device_ioctl(s.fd, KCRYPTO_IOC_SUBMIT, &req), 0);
	}
	for (unsigned i = COUNT(words); i-- > 0;) {
		CHECK_IS(reap_to(&s, KCRYPTO_THIS, i), 0);
		CHECK_IS(result.error, 0);
		begin(sha256, alone);
		CHECK_IS(do_blocks(&s, sha256, alone, message + 6400 * i, 6400), 0);
		CHECK(memcmp(words[i], alone, 32) == 0);
	}
	session_close(&s);
}
