/* SPDX-License-Identifier: Apache-2.0 */
/* What drivers leave to software, or must not get, as policy and sessions apply it. */
#include "unit/fixture.h"

#include <errno.h>
#include <unistd.h>

#include "policy/first_terms.h"

const struct suite suite = { .set_up = open_base, .tear_down = close_base };

static struct kc_policy decided;

static bool splits(void)
{
	return true;
}

/* The decision about one row, by a backend that copies or divides hashes. */
static const struct kc_candidate *decide(const char *name, const char *driver, enum kc_alg_id id,
					 bool copies, bool is_split)
{
	struct kc_backend backend = *kc_backends[0];
	struct kc_config config;

	backend.copies = copies;
	backend.splits_hashes = is_split ? splits : NULL;
	kc_config_init(&config);
	kc_config_set(&config, "tune_file", "none");
	kc_config_set(&config, "digests", "ALL");
	kc_config_set(&config, "macs", "ALL");
	standin_reset();
	standin_driver(name, driver, 300, true);
	kc_policy_free(&decided);
	kc_policy_add(&decided, &config, &backend, &standin.drivers, NULL);
	return decided.row[id];
}

TEST(a_device_for_whole_messages_gets_no_hash_from_a_way_that_splits_them)
{
	static const struct {
		const char *name, *driver;
		enum kc_alg_id id;
		bool is_whole_only;
	} cases[] = {
		{ "sha256", "sha256-sun8i-ce", KC_ALG_SHA256, true },
		{ "sha1", "sha1-sun8i-ss", KC_ALG_SHA1, true },
		{ "sha1", "rk-sha1", KC_ALG_SHA1, true },
		{ "md5", "img-md5", KC_ALG_MD5, true },
		{ "sha256", "sha256-sa2ul", KC_ALG_SHA256, true },
		{ "sha256", "sha256-starfive", KC_ALG_SHA256, true },
		{ "sha1", "sha1-sun4i-ss", KC_ALG_SHA1, false },
		{ "sha256", "mv-sha256", KC_ALG_SHA256, false },
		{ "cbc(aes)", "cbc-aes-sun8i-ce", KC_ALG_AES_128_CBC, false },
	};

	for (size_t i = 0; i < COUNT(cases) * 2; i++) {
		bool is_split = i % 2, is_left = is_split && cases[i / 2].is_whole_only;
		const struct kc_candidate *c = decide(cases[i / 2].name, cases[i / 2].driver,
						      cases[i / 2].id, false, is_split);

		print_message("  %s\n", cases[i / 2].driver);
		assert_int_equal(c->reason, is_left ? KC_DRIVERS_SOFTWARE : KC_OK);
		assert_int_equal(c->nature, is_left ? KC_SOFTWARE : KC_HARDWARE);
	}
}

/* The device has one state, and between a message's parts the driver leaves the state there. */
TEST(a_driver_that_mixes_messages_gets_none_in_parts)
{
	static const struct {
		const char *name, *driver;
		enum kc_alg_id id;
		bool mixes;
	} cases[] = {
		{ "sha1", "sha1-dcp", KC_ALG_SHA1, true },
		{ "sha256", "sha256-dcp", KC_ALG_SHA256, true },
		{ "cbc(aes)", "cbc-aes-dcp", KC_ALG_AES_128_CBC, false },
		{ "sha1", "sha1-sun4i-ss", KC_ALG_SHA1, false },
	};

	for (size_t i = 0; i < COUNT(cases) * 2; i++) {
		bool is_split = i % 2, is_barred = is_split && cases[i / 2].mixes;
		const struct kc_candidate *c = decide(cases[i / 2].name, cases[i / 2].driver,
						      cases[i / 2].id, false, is_split);

		print_message("  %s\n", cases[i / 2].driver);
		assert_int_equal(c->reason, is_barred ? KC_MIXES_MESSAGES : KC_OK);
		assert_int_equal(c->is_offered, !is_barred);
	}
}

TEST(a_request_is_no_longer_than_the_device_does)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), most = KC_MAX_REQUEST;
	const struct {
		const char *driver;
		size_t apart, copied;
	} cases[] = {
		{ "cbc-aes-sun8i-ce", 7 * page < most ? 7 * page : most, most },
		{ "cbc-aes-sa2ul", 65472, 65472 },
		{ "cbc-aes-talitos", 65472, 65472 },
		{ "cpt_cbc_aes", 65472, 65472 },
		{ "mv-cbc-aes", most, most },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *driver = cases[i].driver;

		assert_int_equal(
			decide("cbc(aes)", driver, KC_ALG_AES_128_CBC, false, false)->max_request,
			cases[i].apart);
		assert_int_equal(
			decide("cbc(aes)", driver, KC_ALG_AES_128_CBC, true, false)->max_request,
			cases[i].copied);
	}
}

static const struct {
	const char *driver;
	bool needs_low;
} reaching[] = {
	{ "cbc-aes-geode", true }, { "ctr(geode-aes)", true }, { "cbc-aes-dcp", true },
	{ "mv-cbc-aes", false },   { "cbc-aes-rk", false },
};

TEST(a_driver_that_takes_wrong_addresses_of_high_memory_is_not_even_tried)
{
	for (size_t i = 0; i < COUNT(reaching) * 4; i++) {
		bool is_high = i & 1, copies = i & 2;
		bool is_barred = is_high && !copies && reaching[i / 4].needs_low;
		const struct kc_candidate *c;

		if (is_high)
			setenv("KC_STANDIN_HIGH_MEMORY", "1", 1);
		c = decide("cbc(aes)", reaching[i / 4].driver, KC_ALG_AES_128_CBC, copies, false);
		unsetenv("KC_STANDIN_HIGH_MEMORY");
		print_message("  %s\n", reaching[i / 4].driver);
		assert_int_equal(c->reason, is_barred ? KC_HIGH_MEMORY : KC_OK);
		assert_int_equal(c->is_offered, !is_barred);
	}
}

TEST(nor_is_it_by_who_has_no_policy)
{
	const struct kc_key k = { .bytes = key, .len = 16 };

	standin_reset();
	setenv("KC_STANDIN_HIGH_MEMORY", "1", 1);
	for (size_t i = 0; i < COUNT(reaching); i++) {
		struct kc_session session;
		int err = kc_session_begin(&session, kc_backends[0], &kc_algs[KC_ALG_AES_128_CBC],
					   reaching[i].driver, &k);

		assert_int_equal(err, reaching[i].needs_low ? -EFAULT : 0);
		assert_int_equal(standin.opened, !err + standin.closed);
		if (!err)
			kc_session_drop(&session);
	}
	unsetenv("KC_STANDIN_HIGH_MEMORY");
}

/* Whether the kernel was asked for XTS of @len bytes with this tweak. */
static bool is_kernels(const char *driver, const uint8_t tweak[16], size_t len)
{
	const struct kc_alg *alg = &kc_algs[KC_ALG_AES_256_XTS];
	const struct kc_base *base = kc_base_get(alg);
	struct kc_cipher *c;
	uint8_t both[64];
	unsigned before;
	size_t n = 0;

	for (unsigned i = 0; i < sizeof(both); i++)
		both[i] = (uint8_t)i;
	standin_reset();
	standin_driver("xts(aes)", driver, 300, true);
	load_policy("ciphers", "AES-256-XTS:0", NULL);
	c = kc_cipher_new(base, policy.row[KC_ALG_AES_256_XTS]);
	for (int i = 0; i < 2; i++) {
		before = standin.requests;
		assert_true(base->init(base, c->base_ctx, KC_ENCRYPT, both, tweak));
		kc_cipher_started(c, KC_ENCRYPT, both, sizeof(both), tweak, 16, true);
		assert_true(kc_cipher_update(c, out, &n, sizeof(out), in, len));
	}
	kc_cipher_free(c);
	return standin.requests != before;
}

TEST(a_tweak_that_the_device_does_not_do_is_the_bases)
{
	static const uint8_t number[16] = { 7 }, longer[16] = { 7, [15] = 1 };

	assert_true(is_kernels("xts-aes-caam", number, 4096));
	assert_false(is_kernels("xts-aes-caam", longer, 4096));
	assert_true(is_kernels("mv-xts-aes", longer, 4096));
}

TEST(xts_of_lengths_that_the_device_does_not_do_is_the_bases)
{
	static const uint8_t number[16] = { 7 };

	assert_true(is_kernels("xts-aes-qce", number, 1024));
	assert_false(is_kernels("xts-aes-qce", number, 512));
	assert_false(is_kernels("xts-aes-qce", number, 1040));
}

/* The requests for CBC of @len bytes, with a threshold of 0; bytes: the shortest one. */
static unsigned requests_of(const char *driver, size_t len)
{
	struct kc_cipher *c;
	unsigned before;

	standin_reset();
	standin_driver("cbc(aes)", driver, 300, true);
	load_policy("ciphers", "AES-128-CBC:0", NULL);
	c = started(KC_ALG_AES_128_CBC, KC_DECRYPT);
	for (int i = 0; i < 4; i++) {
		restart(c);
		feed(c, 65536);
	}
	restart(c);
	software(KC_ALG_AES_128_CBC, KC_DECRYPT, len);
	before = standin.requests;
	c->base->set_padding(c->base, c->base_ctx, false);
	feed(c, len);
	assert_memory_equal(out, want, len);
	kc_cipher_free(c);
	return standin.requests - before;
}

TEST(a_request_is_no_shorter_than_the_device_does_whatever_the_threshold)
{
	static const struct {
		const char *driver;
		size_t len;
		unsigned requests;
	} cases[] = {
		{ "cbc-aes-omap", 192, 0 },
		{ "cbc-aes-omap", 208, 1 },
		{ "cbc-aes-sa2ul", 256, 0 },
		{ "cbc-aes-sa2ul", 272, 1 },
		{ "mv-cbc-aes", 16, 1 },
		/* The remainder after the longest one. */
		{ "cbc-aes-sa2ul", 65472 + 256, 1 },
		{ "cbc-aes-sa2ul", 65472 + 272, 2 },
		{ "mv-cbc-aes", 65536 + 16, 2 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		print_message("  %s, %zu bytes\n", cases[i].driver, cases[i].len);
		assert_int_equal(requests_of(cases[i].driver, cases[i].len), cases[i].requests);
	}
}

/* Neither does a process learn, nor a tune file say, that shorter ones pay. */
TEST(no_threshold_falls_below_what_the_device_does)
{
	static const struct kc_measured low = { .threshold = { 64, 64 }, .longest = SIZE_MAX };
	struct kc_candidate *c;

	standin_reset();
	standin_driver("cbc(aes)", "cbc-aes-omap", 300, true);
	load_policy("ciphers", "AES-128-CBC", NULL);
	c = policy.row[KC_ALG_AES_128_CBC];
	kc_terms_tuned(c, &low);
	assert_int_equal(kc_terms_threshold(&c->terms, KC_ENCRYPT), 200);
	kc_terms_set_threshold(&c->terms, KC_ENCRYPT, 16, 512);
	assert_int_equal(kc_terms_threshold(&c->terms, KC_ENCRYPT), 200);
	assert_int_equal(kc_terms_alone(&c->terms, KC_ENCRYPT), 512);
}

TEST(xts_that_the_device_would_divide_into_sectors_is_the_bases)
{
	static const uint8_t number[16] = { 7 };

	assert_true(is_kernels("xts-aes-caam-qi", number, 32768));
	assert_false(is_kernels("xts-aes-caam-qi", number, 32784));
	assert_true(is_kernels("mv-xts-aes", number, 32784));
}

/* The address of the output. The program's is 4 bytes from a page's start. */
static const uint8_t *place_of_output(const char *driver)
{
	static uint8_t room[3 * 65536] __attribute__((aligned(65536)));
	struct kc_cipher *c;
	size_t n = 0;

	standin_reset();
	standin_driver("cbc(aes)", driver, 300, true);
	load_policy("ciphers", "AES-128-CBC:0", NULL);
	c = started(KC_ALG_AES_128_CBC, KC_ENCRYPT);
	software(KC_ALG_AES_128_CBC, KC_ENCRYPT, 4096);
	for (int i = 0; i < 40; i++) {
		restart(c);
		assert_true(kc_cipher_update(c, room + 4, &n, sizeof(room) - 4, in, 4096));
		assert_memory_equal(room + 4, want, 4096);
	}
	kc_cipher_free(c);
	return standin.last_out == room + 4 ? NULL : standin.last_out;
}

TEST(output_is_where_the_device_can_write_it)
{
	assert_null(place_of_output("mv-cbc-aes"));
	assert_null(place_of_output("cbc-aes-sun8i-ce"));
	assert_non_null(place_of_output("cbc-aes-sun8i-ss"));
	assert_non_null(place_of_output("cbc-aes-gxl"));
	assert_int_equal((uintptr_t)place_of_output("cbc-aes-rk") % 4096, 0);
}
