// SPDX-License-Identifier: Apache-2.0
/*
 * Which drivers are hardware: every family of drivers in kernels 5.10 to 7.3, as shown by
 * /dev/kcrypto and by /proc/crypto, which does not show KERN_DRIVER_ONLY. Names are the kernel's,
 * flags those of its sources.
 */
#include "unit/check.h"

#include <stdio.h>
#include <string.h>

#include "core/driver.h"
#include <kcrypto_drivers.h>

enum { K = 1, A = 2 }; /* KERN_DRIVER_ONLY, ASYNC */

/* Drivers with the same flags that are all hardware, or all not. */
static const struct {
	enum kc_nature nature;
	int flags;
	const char *drivers; /* separated by colons */
} families[] = {
	{ KC_HARDWARE, K | A,
	  "mv-cbc-aes:mv-ecb-des3-ede:cbc-aes-caam:ctr-aes-caam:cbc-aes-caam-qi:"
	  "cbc-aes-caam-qi2:cbc-aes-talitos:cbc-aes-ccp:cbc-aes-ccree:"
	  "safexcel-cbc-aes:safexcel-ctr-aes:cbc(aes-eip93):ctr(aes-eip93):"
	  "cbc-aes-qce:cbc-3des-qce:atmel-cbc-aes:atmel-cbc-tdes:cbc-aes-omap:"
	  "omap-cbc-aes:cbc-aes-sa2ul:cbc-aes-dthev2:stm32-cbc-aes:cbc-aes-s5p:"
	  "exynos-cbc-aes:aspeed-cbc-aes:cbc-aes-ppc4xx:cbc-aes-iproc:"
	  "artpec6-cbc-aes:cbc(aes)-ixp4xx:cbc-aes-keembay-ocs:mv-hmac-sha256:mv-md5:"
	  "aspeed-sha256:atmel-sha1:sha256-iproc:hmac-sha1-ccp:omap-sha1:exynos-sha256:"
	  "sha512-sa2ul:stm32-hmac-sha256:safexcel-hmac-sha512:gcm-aes-ppc4xx:"
	  "xilinx-zynqmp-aes-gcm:artpec-gcm-aes:gcm-aes-omap" },
	{ KC_HARDWARE, A,
	  "cpt_cbc_aes:cpt_ecb_des3_ede:virtio_crypto_aes_cbc:qat_aes_cbc:"
	  "qat_aes_ctr:hisi_sec_cbc_aes:hisi_sec_aes_cbc:cbc-aes-sun8i-ce:"
	  "cbc-aes-sun8i-ss:cbc-aes-rk:cbc-aes-dcp:sahara-cbc-aes:cbc-aes-tegra:"
	  "starfive-cbc-aes:cbc-aes-starfive:cbc-aes-gxl:cbc-aes-sl3516:img-cbc-aes:"
	  "cbc-aes-chcr:n5_cbc(aes):cavium-cbc-aes:xts(ecb-aes-caam):"
	  "cryptd(cbc-aes-sun8i-ce):sha256-sun8i-ce:hmac-sha1-sun8i-ss:rk-sha256:"
	  "sha256-dcp:sahara-sha1:img-md5:sha256-keembay-ocs:hmac-sha256-ux500:"
	  "stm32-gcm-aes:artpec-sha256:md5-iproc:hmac-sha256-talitos:n5_aes_gcm" },
	{ KC_HARDWARE, K,
	  "cbc-aes-geode:ecb-aes-geode:cbc-aes-sun4i-ss:ecb-aes-sun4i-ss:zynqmp-sha3-384" },
	{ KC_HARDWARE, 0,
	  "cbc-aes-nx:ctr-aes-nx:sha256-nx:ctr(geode-aes):md5-sun4i-ss:sha1-sun4i-ss" },
	{ KC_SOFTWARE, 0,
	  "cbc-aes-aesni:ctr-aes-aesni-avx:ctr-aes-vaes-avx2:ctr-aes-ce:aes-arm64:"
	  "cbc(aes-arm):cbc(aes-ce):p8_aes_cbc:cbc-aes-p10:cbc-ppc-spe:cbc-aes-s390:"
	  "cbc-aes-padlock:ecb-aes-padlock-nano:cbc-des3_ede-asm:cbc-twofish-3way:"
	  "cbc-aes-lib:cbc-aes-sparc64:cbc-aes-riscv64-zvkned:"
	  "ctr-aes-riscv64-zvkned-zvkb:cbc(aes-generic):cbc(des3_ede-generic):"
	  "cbc(ecb(aes-fixed-time)):xts(ecb(aes-fixed-time)):ecb(aes-fixed-time):"
	  "ctr(aes-aesni)" },
	{ KC_SOFTWARE, A,
	  "cbc-aes-aesni:ctr-aes-vaes-avx512:cbc-serpent-avx2:cbc-serpent-sse2:"
	  "cbc-aes-ce:cbc-aes-neon:cbc-aes-neonbs:cryptd(cbc(aes-generic)):"
	  "cryptd(__cbc-aes-aesni):cryptd(cbc-aes-unheard-of):"
	  "pcrypt(rfc4106-gcm-aesni):cbc(cryptd(aes-generic)):__cbc-aes-neonbs:"
	  "gcm_base(ctr-aes-neonbs,cryptd(ghash-ce-sync))" },
};

static struct kc_driver make(const char *driver, int flags, bool flags_known)
{
	struct kc_driver d = { .name = "cbc(aes)", .flags_known = flags_known };

	snprintf(d.driver, sizeof(d.driver), "%s", driver);
	d.async = flags & A;
	d.kernel_driver_only = flags & K;
	kc_driver_classify(&d);
	return d;
}

static void expect(const char *driver, int flags, enum kc_nature nature)
{
	const int shown[] = { flags, flags & ~K };

	for (size_t i = 0; i < COUNT(shown); i++) {
		struct kc_driver d = make(driver, shown[i], true);
		enum kc_nature got = kc_driver_nature(&d, 0);

		if (got != nature)
			fail_msg("%s, flags %d: %s", driver, shown[i], kc_nature_word(got));
	}
}

TEST(every_driver_off_the_cpu_is_hardware_in_every_list_and_all_others_are_software)
{
	for (size_t i = 0; i < COUNT(families); i++) {
		char *rest = strdupa(families[i].drivers), *driver;

		while ((driver = strsep(&rest, ":")))
			expect(driver, families[i].flags, families[i].nature);
	}
}

TEST(a_driver_of_no_known_name_is_what_its_flags_say)
{
	static const struct {
		int flags;
		bool known;
		enum kc_nature nature;
	} cases[] = {
		{ 0, true, KC_SOFTWARE }, { 0, false, KC_UNKNOWN },  { A, true, KC_HARDWARE },
		{ K, true, KC_HARDWARE }, { K, false, KC_HARDWARE }, { K | A, true, KC_HARDWARE },
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

/* The module sees a driver's flags, a program only what /proc/crypto shows of them. */
TEST(the_module_admits_the_drivers_that_programs_take_for_hardware_and_no_others)
{
	for (size_t i = 0; i < COUNT(families); i++) {
		char *rest = strdupa(families[i].drivers), *driver;
		int flags = families[i].flags;

		while ((driver = strsep(&rest, ":"))) {
			struct kc_driver d = make(driver, flags & ~K, true);
			bool is_ours = kc_driver_nature(&d, 0) == KC_HARDWARE;

			if (kcrypto_is_hardware(driver, flags & K, flags & A) != is_ours)
				fail_msg("%s, flags %d", driver, flags);
		}
	}
}

TEST(a_key_that_the_device_leaves_to_software_is_softwares)
{
	static const struct {
		const char *driver;
		unsigned does[2], leaves[2]; /* bytes */
	} cases[] = {
		{ "cbc-aes-geode", { 16 }, { 24, 32 } },
		{ "ecb-aes-geode", { 16 }, { 24, 32 } },
		{ "ctr(geode-aes)", { 16 }, { 24, 32 } },
		{ "cbc-aes-dcp", { 16 }, { 24, 32 } },
		{ "sahara-ecb-aes", { 16 }, { 24, 32 } },
		{ "cbc-aes-qce", { 16, 32 }, { 24 } },
		{ "xts-aes-qce", { 32, 64 }, { 0 } },
		{ "cbc-3des-qce", { 24 }, { 0 } },
		{ "cbc-aes-keembay-ocs", { 16, 32 }, { 24 } },
		{ "xilinx-zynqmp-aes-gcm", { 32 }, { 16, 24 } },
		{ "xts-aes-ccp", { 32 }, { 64 } },
		{ "ccm-aes-ppc4xx", { 0 }, { 16, 32 } },
		{ "starfive-ccm-aes", { 0 }, { 16, 32 } },
		{ "starfive-gcm-aes", { 16, 32 }, { 0 } },
		{ "sha256-dcp", { 0 }, { 0 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		for (int flags = 0; flags <= (K | A); flags++) {
			struct kc_driver d = make(cases[i].driver, flags | A, true);

			assert_int_equal(kc_driver_nature(&d, 0), KC_HARDWARE);
			for (int k = 0; k < 2; k++) {
				assert_int_equal(kc_driver_nature(&d, cases[i].does[k]),
						 KC_HARDWARE);
				if (cases[i].leaves[k])
					assert_int_equal(kc_driver_nature(&d, cases[i].leaves[k]),
							 KC_SOFTWARE);
			}
		}
}

TEST(what_is_left_to_software_is_known_of_the_driver_inside_a_template_too)
{
	struct kc_driver ce = make("cbc-aes-sun8i-ce", A, true);
	struct kc_driver rk = make("xts(ecb-aes-rk)", A, true);
	struct kc_driver mv = make("mv-cbc-aes", K | A, true);

	assert_int_equal(kc_driver_traits(&ce)->entries, 8);
	assert_true(kc_driver_traits(&rk)->same_pages);
	assert_false(kc_driver_traits(&mv)->same_pages || kc_driver_traits(&mv)->entries);
}

TEST(a_message_of_a_length_that_is_left_to_software_does_not_fit)
{
	static const struct {
		const char *driver;
		size_t len, aad_len;
		bool fits;
	} cases[] = {
		{ "xilinx-zynqmp-aes-gcm", 4096, 0, true },
		{ "xilinx-zynqmp-aes-gcm", 4096, 13, false },
		{ "xilinx-zynqmp-aes-gcm", 4096, 256, false },
		{ "xilinx-zynqmp-aes-gcm", 4098, 0, false },
		{ "gcm-aes-ppc4xx", 4097, 20, true },
		{ "gcm-aes-ppc4xx", 4096, 13, false },
		{ "starfive-gcm-aes", 4097, 16, true },
		{ "starfive-gcm-aes", 4096, 20, false },
		{ "xts-aes-qce", 1024, 0, true },
		{ "xts-aes-qce", 1040, 0, false },
		{ "xts-aes-ccp", 2048, 0, true },
		{ "xts-aes-ccp", 1536, 0, false },
		{ "mv-cbc-aes", 4097, 13, true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kc_driver d = make(cases[i].driver, K | A, true);

		print_message("  %s, %zu bytes\n", cases[i].driver, cases[i].len);
		assert_int_equal(kc_traits_fit_message(kc_driver_traits(&d), cases[i].len,
						       cases[i].aad_len),
				 cases[i].fits);
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

/* Rows with one kernel name are adjacent, as no list shows whose keys a driver takes. */
TEST(a_limited_list_takes_only_what_is_wanted)
{
	bool wanted[KC_ALG_COUNT] = { false };
	static struct kc_drivers drivers;
	struct kc_driver d = make("mv-cbc-aes", K | A, true);

	wanted[KC_ALG_AES_192_CBC] = true;
	kc_drivers_init(&drivers, wanted);
	for (int i = 0; i < 2; i++) {
		strcpy(d.name, "cbc(aes)");
		assert_true(kc_drivers_want(&drivers, d.name));
		kc_drivers_add(&drivers, &d);
		assert_int_equal(drivers.n, 1);
		assert_int_equal(drivers.v[0].row, KC_ALG_AES_128_CBC);
		assert_true(drivers.v[0].rows >= 3);
		strcpy(d.name, "ctr(aes)");
		kc_drivers_add(&drivers, &d);
		assert_int_equal(drivers.n, 1);
		drivers.n = 0;
	}
	assert_false(kc_drivers_want(&drivers, d.name));
	kc_drivers_init(&drivers, NULL);
	assert_true(kc_drivers_want(&drivers, d.name));
	kc_drivers_add(&drivers, &d);
	assert_int_equal(drivers.n, 1);
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
}

TEST(each_nature_has_a_word_of_its_own)
{
	for (int i = 0; i <= KC_HARDWARE; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(kc_nature_word((enum kc_nature)i),
						kc_nature_word((enum kc_nature)k));
}

TEST(a_driver_knows_its_rows)
{
	static struct kc_drivers drivers;
	struct kc_driver d = make("mv-cbc-aes", K | A, true);

	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const struct kc_driver *got = drivers.v;

		drivers.n = 0;
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
