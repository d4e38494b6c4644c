// SPDX-License-Identifier: Apache-2.0
/*
 * Which of the kernel's drivers leave the CPU: names of both kinds, and the order in which names
 * and flags decide. Knows nothing of where a list came from, and makes no system call.
 */
#include "core/driver.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/*
 * Off the CPU, though not KERN_DRIVER_ONLY (of 5.10 to 7.3), or synchronous, so that nothing in
 * /proc/crypto shows it. The others need no row: they have that flag and ASYNC.
 */
static const char *const hardware[] = { "virtio_crypto_*", "qat_*",	 "hisi_sec*",  "cpt_*",
					"cavium-*",	   "n5_*",	 "*-chcr",     "*-nx",
					"*-sun*i-ss",	   "*-sun*i-ce", "*-rk",       "*-dcp",
					"sahara-*",	   "*-tegra",	 "*-starfive", "starfive-*",
					"*-gxl",	   "*-sl3516",	 "img-*",      NULL };

/* Devices that do keys of 16 bytes and pass on all others to software. Synchronous too. */
static const char *const hardware_for_16[] = { "*aes-geode", "geode-aes", NULL };

/*
 * On the CPU. Needed because wrappers that only wait for the vector unit are ASYNC too (x86 and
 * ARM, up to 6.12), and so that netlink need not be asked for the flags.
 */
static const char *const software[] = {
	"__*", /* the inner half of such a wrapper */
	"cryptd(*",  "pcrypt(*",  "*-generic",	"*-lib",     "*-fixed-time",
	"*-asm",     "*-3way",	  "*-aesni*",	"*-vaes*",   "*-aeskl",
	"*-avx*",    "*-sse2",	  "*-padlock*", /* an instruction, though under drivers/crypto */
	"*-arm",     "*-arm64",	  "*-ce",	"*-neon",    "*-neonbs",
	"p8_aes_*",  "p10_aes_*", "*-p10",	"*-ppc-spe", "*-s390",
	"*-sparc64", "*-octeon",  "*-riscv64*", NULL
};

/* "cbc(ecb(aes-generic))" is what its innermost part is, so every part is looked at. */
static bool is_one_of(const char *const *patterns, const char *driver)
{
	char name[KC_DRIVER_NAME_SIZE];
	size_t len = strlen(driver);

	while (len && driver[len - 1] == ')')
		len--;
	snprintf(name, sizeof(name), "%.*s", (int)len, driver);
	for (const char *part = name; part; part = strchr(part, '(')) {
		part += *part == '(';
		for (size_t i = 0; patterns[i]; i++)
			if (fnmatch(patterns[i], part, 0) == 0)
				return true;
	}
	return false;
}

enum kc_nature kc_driver_nature(const struct kc_driver *driver, unsigned key_len)
{
	/* Before the flag, which the device also has for the keys that it leaves to software. */
	if (is_one_of(hardware_for_16, driver->driver))
		return key_len == 0 || key_len == 16 ? KC_HARDWARE : KC_SOFTWARE;
	if (driver->kernel_driver_only || is_one_of(hardware, driver->driver))
		return KC_HARDWARE;
	if (is_one_of(software, driver->driver))
		return KC_SOFTWARE;
	if (driver->async)
		return KC_HARDWARE;
	return driver->flags_known ? KC_SOFTWARE : KC_UNKNOWN;
}

static bool is_wanted(const struct kc_driver *driver)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		enum kc_kind kind = kc_algs[i].kind == KC_MAC ? KC_DIGEST : kc_algs[i].kind;

		if (kind == driver->kind && strcmp(kc_algs[i].kernel_name, driver->name) == 0)
			return true;
	}
	return false;
}

/*
 * A plain name before a template: the kernel looks it up and that is all, where for a template
 * that does not have the features asked for it tries to make another (EEXIST from 6.12 on). Never
 * cryptd: what is made is the whole system's, at a higher priority than what it wraps.
 */
static bool is_better_software(const struct kc_driver *driver, const char *than)
{
	return driver->kind == KC_CIPHER && kc_driver_nature(driver, 0) == KC_SOFTWARE &&
	       strncmp(driver->driver, "cryptd(", 7) != 0 &&
	       (!than[0] || (strchr(than, '(') && !strchr(driver->driver, '(')));
}

void kc_drivers_add(struct kc_drivers *drivers, const struct kc_driver *driver)
{
	if (is_better_software(driver, drivers->software))
		memcpy(drivers->software, driver->driver, sizeof(drivers->software));
	if (drivers->n < KC_MAX_DRIVERS && is_wanted(driver))
		drivers->v[drivers->n++] = *driver;
}

const char *kc_nature_word(enum kc_nature nature)
{
	static const char *const words[] = {
		[KC_UNKNOWN] = "unknown",
		[KC_SOFTWARE] = "software",
		[KC_HARDWARE] = "hardware",
	};

	return words[nature];
}
