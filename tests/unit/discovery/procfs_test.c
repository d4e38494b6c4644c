// SPDX-License-Identifier: Apache-2.0
/* /proc/crypto: texts as the kernel writes them, and texts as it does not. */
#include "unit/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discovery/procfs.h"

#define RECORD(name, driver, priority, selftest, internal, rest)                                   \
	"name         : " name "\ndriver       : " driver "\nmodule       : kernel\n"              \
	"priority     : " priority "\nrefcnt       : 1\nselftest     : " selftest "\n"             \
	"internal     : " internal "\n" rest "\n"
#define SKCIPHER(async) "type         : skcipher\nasync        : " async "\nblocksize    : 16\n"

static const char *const records[] = {
	RECORD("cbc(aes)", "mv-cbc-aes", "300", "passed", "no", SKCIPHER("yes")),
	RECORD("cbc(aes)", "cbc-aes-geode", "400", "passed", "no", SKCIPHER("no")),
	RECORD("cbc(aes)", "virtio_crypto_aes_cbc", "150", "passed", "no", SKCIPHER("yes")),
	RECORD("__cbc(aes)", "__cbc-aes-aesni", "400", "passed", "yes", SKCIPHER("no")),
	RECORD("cbc(aes)", "cbc-aes-hidden", "400", "passed", "yes", SKCIPHER("yes")),
	RECORD("cbc(aes)", "cbc-aes-dcp", "400", "unknown", "no", SKCIPHER("yes")),
	RECORD("cbc(serpent)", "cbc-serpent-avx2", "600", "passed", "no", SKCIPHER("yes")),
	RECORD("lrw(a-cipher-that-nobody-here-knows)", "lrw-unknown", "1", "passed", "no",
	       SKCIPHER("no")),
	RECORD("cbc(aes)", "cbc-aes-aesni", "401", "passed", "no", SKCIPHER("yes")),
	RECORD("ctr(aes)", "ctr-aes-sun8i-ce", "-5", "passed", "no",
	       "type         : skcipher\nasync        : yes\n"),
	RECORD("ecb(aes)", "ecb-aes-newchip", "9", "passed", "no",
	       "type         : lskcipher\nblocksize    : 16\n"),
	RECORD("ecb(aes)", "ecb-aes-shash", "1", "passed", "no", "type         : shash\n"),
	RECORD("ecb(aes)", "ecb-aes-larval", "1", "passed", "no",
	       "type         : larval\nflags        : 0x410\n"),
	RECORD("cbc(des3_ede)", "cbc-des3_ede-asm", "300", "passed", "no", SKCIPHER("no")),
	RECORD("cbc(aes)", "cbc-aes-no-word", "1", "passed", "no", ""),
	RECORD("cbc(aes)", "cbc-aes-aead", "1", "passed", "no", "type         : aead\n"),
};

static char text[6000]; /* all of them */

static const struct kc_driver expected[] = {
	{ "cbc(aes)", "mv-cbc-aes", KC_CIPHER, 300, .async = true },
	{ "cbc(aes)", "cbc-aes-geode", KC_CIPHER, 400 },
	{ "cbc(aes)", "virtio_crypto_aes_cbc", KC_CIPHER, 150, .async = true },
	{ "cbc(aes)", "cbc-aes-aesni", KC_CIPHER, 401, .async = true },
	{ "ctr(aes)", "ctr-aes-sun8i-ce", KC_CIPHER, -5, .async = true },
	{ "ecb(aes)", "ecb-aes-newchip", KC_CIPHER, 9 },
	{ "cbc(des3_ede)", "cbc-des3_ede-asm", KC_CIPHER, 300 },
};

static void assert_same(const struct kc_driver *got, const struct kc_driver *want)
{
	assert_string_equal(got->name, want->name);
	assert_string_equal(got->driver, want->driver);
	assert_int_equal(got->kind, want->kind);
	assert_int_equal(got->priority, want->priority);
	assert_int_equal(got->async, want->async);
	assert_false(got->kernel_driver_only);
	assert_true(got->flags_known);
}

/*
 * Parses the text in two pieces. Each piece ends where its memory ends, so that ASan sees a read
 * beyond it.
 */
static void parse_in_two(struct kc_drivers *drivers, const char *from, size_t len, size_t first)
{
	struct kc_procfs p;
	const size_t sizes[] = { first, len - first };
	char rest[KC_LINE_SIZE];
	size_t n = 0;

	kc_procfs_begin(&p, drivers);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		char *copy = malloc(n + sizes[i] + 1) + 1;

		memcpy(copy, rest, n);
		memcpy(copy + n, from, sizes[i]);
		n = kc_lines_feed(copy, n + sizes[i], kc_procfs_take, &p);
		memcpy(rest, copy, n);
		free(copy - 1);
		from += sizes[i];
	}
}

static void parse(struct kc_drivers *drivers, const char *from, size_t len)
{
	parse_in_two(drivers, from, len, len);
}

TEST(every_record_of_ours_is_listed_however_the_text_comes)
{
	static struct kc_drivers drivers;

	for (size_t first = 0; first <= strlen(text); first++) {
		drivers.n = 0;
		parse_in_two(&drivers, text, strlen(text), first);
		assert_int_equal(drivers.n, COUNT(expected));
		for (size_t i = 0; i < drivers.n; i++)
			assert_same(&drivers.v[i], &expected[i]);
	}
}

TEST(a_text_that_breaks_off_lists_whole_records_only)
{
	for (size_t len = 0; len <= strlen(text); len++) {
		static struct kc_drivers drivers;

		drivers.n = 0;
		parse(&drivers, text, len);
		assert_true(drivers.n <= COUNT(expected));
		for (size_t i = 0; i < drivers.n; i++)
			assert_same(&drivers.v[i], &expected[i]);
	}
}

#define LONG "cbc-aes-name-of-64-bytes-that-no-socket-address-has-the-room-for"

TEST(records_that_are_no_use_are_left_out)
{
	static const char *const texts[] = {
		"",
		"\n\n\n",
		":\n\n",
		" : \n\n",
		"name\n\n",
		"name         : \n\n",
		"name         : cbc(aes)\nselftest     : passed\ninternal     : no\n" SKCIPHER(
			"yes") "\n",
		"driver       : cbc-aes-aesni\nselftest     : passed\ninternal     : no\n" SKCIPHER(
			"yes") "\n",
		"name         : cbc(aes)\ndriver       : mv-cbc-aes\n\n",
		RECORD("cbc(aes)", LONG, "1", "passed", "no", SKCIPHER("yes")),
		RECORD("cbc(aes)", LONG LONG LONG, "1", "passed", "no", SKCIPHER("yes")),
		RECORD(LONG LONG LONG LONG LONG, "mv-cbc-aes", "1", "passed", "no",
		       SKCIPHER("yes")),
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		static struct kc_drivers drivers;

		drivers.n = 0;
		parse(&drivers, texts[i], strlen(texts[i]));
		if (drivers.n)
			fail_msg("taken: %s", texts[i]);
	}
}

TEST(noise_is_survived)
{
	static char noise[sizeof(text)];
	size_t len = strlen(text);
	uint32_t x = 2463534242u;

	for (int round = 0; round < 2000; round++) {
		static struct kc_drivers drivers;

		drivers.n = 0;
		memcpy(noise, text, len);
		for (int i = 0; i < 64; i++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			noise[x % len] = (char)(x >> 24);
		}
		parse(&drivers, noise, len);
		for (size_t i = 0; i < drivers.n; i++)
			assert_true(drivers.v[i].driver[0] && drivers.v[i].name[0]);
	}
}

TEST(reading_this_kernels_list_leaves_nothing_open)
{
	int before = dup(0), after, err;
	static struct kc_drivers drivers;

	close(before);
	errno = ENOTTY;
	err = kc_procfs_read(&drivers);
	assert_int_equal(errno, ENOTTY);
	assert_true(err == 0 || (err == -ENOENT && access("/proc/crypto", F_OK) != 0));
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

static void write_text(void)
{
	for (size_t i = 0; i < COUNT(records); i++)
		strcat(text, records[i]);
}

const struct suite suite = { .set_up = write_text };
