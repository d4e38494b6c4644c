// SPDX-License-Identifier: Apache-2.0
/*
 * Which drivers are hardware: every family of drivers in kernels 5.10 to 7.3, as shown by netlink
 * and by /proc/crypto. Names are the kernel's, flags those of its sources.
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>

#include "core/driver.h"

enum { K = 1, A = 2 }; /* KERN_DRIVER_ONLY, ASYNC */

static const struct {
	const char *driver;
	int flags;
} off_cpu[] = {
	{ "mv-cbc-aes", K | A },
	{ "mv-ecb-des3-ede", K | A },
	{ "cpt_cbc_aes", A },
	{ "cpt_ecb_des3_ede", A },
	{ "cbc-aes-caam", K | A },
	{ "ctr-aes-caam", K | A },
	{ "cbc-aes-caam-qi", K | A },
	{ "cbc-aes-caam-qi2", K | A },
	{ "cbc-aes-talitos", K | A },
	{ "cbc-aes-geode", K },
	{ "ecb-aes-geode", K },
	{ "virtio_crypto_aes_cbc", A },
	{ "qat_aes_cbc", A },
	{ "qat_aes_ctr", A },
	{ "cbc-aes-ccp", K | A },
	{ "cbc-aes-ccree", K | A },
	{ "hisi_sec_cbc_aes", A },
	{ "hisi_sec_aes_cbc", A },
	{ "safexcel-cbc-aes", K | A },
	{ "safexcel-ctr-aes", K | A },
	{ "cbc(aes-eip93)", K | A },
	{ "ctr(aes-eip93)", K | A },
	{ "cbc-aes-qce", K | A },
	{ "cbc-3des-qce", K | A },
	{ "atmel-cbc-aes", K | A },
	{ "atmel-cbc-tdes", K | A },
	{ "cbc-aes-omap", K | A },
	{ "omap-cbc-aes", K | A },
	{ "cbc-aes-sa2ul", K | A },
	{ "cbc-aes-dthev2", K | A },
	{ "stm32-cbc-aes", K | A },
	{ "cbc-aes-s5p", K | A },
	{ "exynos-cbc-aes", K | A },
	{ "aspeed-cbc-aes", K | A },
	{ "cbc-aes-ppc4xx", K | A },
	{ "cbc-aes-iproc", K | A },
	{ "artpec6-cbc-aes", K | A },
	{ "cbc(aes)-ixp4xx", K | A },
	{ "cbc-aes-keembay-ocs", K | A },
	{ "cbc-aes-sun4i-ss", K },
	{ "ecb-aes-sun4i-ss", K },
	{ "cbc-aes-sun8i-ce", A },
	{ "cbc-aes-sun8i-ss", A },
	{ "cbc-aes-rk", A },
	{ "cbc-aes-dcp", A },
	{ "sahara-cbc-aes", A },
	{ "cbc-aes-tegra", A },
	{ "starfive-cbc-aes", A },
	{ "cbc-aes-starfive", A },
	{ "cbc-aes-gxl", A },
	{ "cbc-aes-sl3516", A },
	{ "img-cbc-aes", A },
	{ "cbc-aes-chcr", A },
	{ "n5_cbc(aes)", A },
	{ "cavium-cbc-aes", A },
	{ "cbc-aes-nx", 0 },
	{ "ctr-aes-nx", 0 },
	/* templates over a device */
	{ "xts(ecb-aes-caam)", A },
	{ "ctr(geode-aes)", 0 },
	{ "cryptd(cbc-aes-sun8i-ce)", A },
};

static const struct {
	const char *driver;
	int flags;
} on_cpu[] = {
	{ "cbc-aes-aesni", 0 },
	{ "cbc-aes-aesni", A },
	{ "ctr-aes-aesni-avx", 0 },
	{ "ctr-aes-vaes-avx2", 0 },
	{ "ctr-aes-vaes-avx512", A },
	{ "cbc-serpent-avx2", A },
	{ "cbc-serpent-sse2", A },
	{ "cbc-aes-ce", A },
	{ "ctr-aes-ce", 0 },
	{ "cbc-aes-neon", A },
	{ "cbc-aes-neonbs", A },
	{ "aes-arm64", 0 },
	{ "cbc(aes-arm)", 0 },
	{ "cbc(aes-ce)", 0 },
	{ "p8_aes_cbc", 0 },
	{ "cbc-aes-p10", 0 },
	{ "cbc-ppc-spe", 0 },
	{ "cbc-aes-s390", 0 },
	{ "cbc-aes-padlock", 0 },
	{ "ecb-aes-padlock-nano", 0 },
	{ "cbc-des3_ede-asm", 0 },
	{ "cbc-twofish-3way", 0 },
	{ "cbc-aes-lib", 0 },
	{ "cbc-aes-sparc64", 0 },
	{ "cbc-aes-riscv64-zvkned", 0 },
	{ "ctr-aes-riscv64-zvkned-zvkb", 0 },
	{ "cbc(aes-generic)", 0 },
	{ "cbc(des3_ede-generic)", 0 },
	{ "cbc(ecb(aes-fixed-time))", 0 },
	{ "xts(ecb(aes-fixed-time))", 0 },
	{ "ecb(aes-fixed-time)", 0 },
	{ "ctr(aes-aesni)", 0 },
	{ "cryptd(cbc(aes-generic))", A },
	{ "cryptd(__cbc-aes-aesni)", A },
	{ "cryptd(cbc-aes-unheard-of)", A },
	{ "pcrypt(rfc4106-gcm-aesni)", A },
	{ "cbc(cryptd(aes-generic))", A },
	{ "__cbc-aes-neonbs", A },
};

static struct kc_driver make(const char *driver, int flags, bool flags_known)
{
	struct kc_driver d = { .name = "cbc(aes)", .flags_known = flags_known };

	snprintf(d.driver, sizeof(d.driver), "%s", driver);
	d.async = flags & A;
	d.kernel_driver_only = flags_known && (flags & K);
	kc_driver_classify(&d);
	return d;
}

static void expect(const char *driver, int flags, enum kc_nature nature)
{
	for (int known = 0; known < 2; known++) {
		struct kc_driver d = make(driver, flags, known);
		enum kc_nature got = kc_driver_nature(&d, 0);

		if (got != nature)
			fail_msg("%s with%s flags: %s", driver, known ? "" : "out",
				 kc_nature_word(got));
	}
}

TEST(every_driver_off_the_cpu_is_hardware_with_and_without_flags)
{
	for (size_t i = 0; i < COUNT(off_cpu); i++)
		expect(off_cpu[i].driver, off_cpu[i].flags, KC_HARDWARE);
}

TEST(every_driver_on_the_cpu_is_software_with_and_without_flags)
{
	for (size_t i = 0; i < COUNT(on_cpu); i++)
		expect(on_cpu[i].driver, on_cpu[i].flags, KC_SOFTWARE);
}

TEST(a_driver_of_no_known_name_is_what_its_flags_say)
{
	static const struct {
		int flags;
		bool known;
		enum kc_nature nature;
	} cases[] = {
		{ 0, true, KC_SOFTWARE },     { 0, false, KC_UNKNOWN }, { A, true, KC_HARDWARE },
		{ A, false, KC_HARDWARE },    { K, true, KC_HARDWARE }, { K, false, KC_UNKNOWN },
		{ K | A, true, KC_HARDWARE },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kc_driver d = make("cbc-aes-newchip", cases[i].flags, cases[i].known);

		assert_int_equal(kc_driver_nature(&d, 0), cases[i].nature);
		assert_int_equal(kc_driver_nature(&d, 32), cases[i].nature);
	}
}

TEST(the_kernels_own_flag_outweighs_a_name_that_looks_like_software)
{
	struct kc_driver d = make("cbc-aes-ce", K | A, true);

	assert_int_equal(kc_driver_nature(&d, 16), KC_HARDWARE);
}

TEST(geode_is_hardware_for_keys_of_16_bytes_only)
{
	static const char *const names[] = { "cbc-aes-geode", "ecb-aes-geode", "ctr(geode-aes)" };

	for (size_t i = 0; i < COUNT(names); i++)
		for (int known = 0; known < 2; known++) {
			struct kc_driver d = make(names[i], K, known);

			assert_int_equal(kc_driver_nature(&d, 0), KC_HARDWARE);
			assert_int_equal(kc_driver_nature(&d, 16), KC_HARDWARE);
			assert_int_equal(kc_driver_nature(&d, 24), KC_SOFTWARE);
			assert_int_equal(kc_driver_nature(&d, 32), KC_SOFTWARE);
		}
}

TEST(any_other_device_is_hardware_for_every_key)
{
	struct kc_driver d = make("mv-cbc-aes", K | A, true);

	assert_int_equal(kc_driver_nature(&d, 16), KC_HARDWARE);
	assert_int_equal(kc_driver_nature(&d, 32), KC_HARDWARE);
}

TEST(odd_names_are_nothing_in_particular)
{
	static const char *const names[] = { "",   "(",	  ")",	     ")(",     "()",
					     "((", "a(b", "cbc()",   "*",      "-",
					     "mv", "nx",  "aes-nxx", "-caamx", "qat-aes" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct kc_driver d = make(names[i], 0, false);

		assert_int_equal(kc_driver_nature(&d, 0), KC_UNKNOWN);
	}
}

TEST(only_algorithms_of_the_table_are_listed)
{
	static const char *const wanted[] = { "cbc(aes)", "ctr(aes)", "ecb(aes)", "cbc(des3_ede)" };
	static const char *const others[] = { "",    "cbc(aes",	     "cbc(aes))", "CBC(AES)",
					      "aes", "cbc(twofish)", "__cbc(aes)" };
	static struct kc_drivers drivers;
	struct kc_driver d = make("mv-cbc-aes", K | A, true);

	for (size_t i = 0; i < COUNT(others); i++) {
		strcpy(d.name, others[i]);
		kc_drivers_add(&drivers, &d);
		assert_int_equal(drivers.n, 0);
	}
	for (size_t i = 0; i < COUNT(wanted); i++) {
		strcpy(d.name, wanted[i]);
		kc_drivers_add(&drivers, &d);
		assert_int_equal(drivers.n, i + 1);
	}
}

TEST(a_list_takes_drivers_until_it_is_full)
{
	static struct kc_drivers drivers;
	struct kc_driver d = make("mv-cbc-aes", K | A, true);

	for (int i = 0; i < KC_MAX_DRIVERS + 3; i++) {
		d.priority = i;
		kc_drivers_add(&drivers, &d);
	}
	assert_int_equal(drivers.n, KC_MAX_DRIVERS);
	assert_int_equal(drivers.v[KC_MAX_DRIVERS - 1].priority, KC_MAX_DRIVERS - 1);
	assert_string_equal(drivers.software, "");
}

TEST(software_to_ask_with_is_no_template_if_there_is_another)
{
	/* of any algorithm; never cryptd, which may add one for the whole system when bound */
	static const struct {
		const char *added, *remembered;
	} in_order[] = {
		{ "mv-cbc-aes", "" },
		{ "cbc-aes-newchip", "" },
		{ "cryptd(cbc(aes-generic))", "" },
		{ "cbc(aes-generic)", "cbc(aes-generic)" },
		{ "ecb(aes-generic)", "cbc(aes-generic)" },
		{ "cryptd(__cbc-aes-neonbs)", "cbc(aes-generic)" },
		{ "cbc-serpent-avx2", "cbc-serpent-avx2" },
		{ "ctr(aes-generic)", "cbc-serpent-avx2" },
		{ "cbc-aes-aesni", "cbc-serpent-avx2" },
	};
	static struct kc_drivers drivers;

	for (size_t i = 0; i < COUNT(in_order); i++) {
		struct kc_driver d = make(in_order[i].added, 0, false);

		strcpy(d.name, "cbc(serpent)");
		kc_drivers_add(&drivers, &d);
		assert_string_equal(drivers.software, in_order[i].remembered);
	}
	assert_int_equal(drivers.n, 0);
}

TEST(a_driver_knows_its_rows)
{
	static struct kc_drivers drivers;
	struct kc_driver d = make("mv-cbc-aes", K | A, true);

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_driver *got = drivers.v;

		kc_drivers_init(&drivers);
		strcpy(d.name, kc_algs[i].kernel_name);
		d.kind = kc_kernel_kind(&kc_algs[i]);
		kc_drivers_add(&drivers, &d);
		assert_int_equal(drivers.n, 1);
		assert_true(i >= got->row && i < got->row + got->rows);
		for (size_t row = 0; row < KC_ALG_COUNT; row++)
			assert_int_equal(strcmp(kc_algs[row].kernel_name, d.name) == 0,
					 row >= got->row && row < got->row + got->rows);
		d.kind = d.kind == KC_AEAD ? KC_DIGEST : KC_AEAD;
		kc_drivers_add(&drivers, &d);
		assert_int_equal(drivers.n, 1);
	}
}

TEST(every_nature_has_its_word)
{
	assert_string_equal(kc_nature_word(KC_UNKNOWN), "unknown");
	assert_string_equal(kc_nature_word(KC_SOFTWARE), "software");
	assert_string_equal(kc_nature_word(KC_HARDWARE), "hardware");
}
