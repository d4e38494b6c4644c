// SPDX-License-Identifier: Apache-2.0
/*
 * Which of the kernel's drivers leave the CPU: the names of both kinds, and the order in which
 * names and flags decide. Knows nothing of where a list came from, and makes no system call.
 */
#include "core/driver.h"

#include <string.h>

#include "core/alg.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct known {
	enum kc_nature nature;
	unsigned key_len;	/* bytes; the device does keys of this length only; 0: of any */
	const char *pattern;	/* of the driver's name; '*' is any text, all else itself */
};

/* The order is of no importance: hardware is looked for first. */
static const struct known known[] = {
	/*
	 * Off the CPU. Needed where flags don't say so: drivers without KERN_DRIVER_ONLY, drivers
	 * that are synchronous (then /proc/crypto shows nothing), keys that the device passes on
	 * to software. The others are here so that /proc/crypto alone is enough to tell.
	 */
	{ KC_HARDWARE, 16, "*aes-geode" },	/* ecb-aes-geode, cbc-aes-geode */
	{ KC_HARDWARE, 16, "geode-aes" },	/* its single blocks, inside a template */
	{ KC_HARDWARE, 0, "*-sun*i-ss" },	/* sun4i: synchronous; sun8i: no KERN_DRIVER_ONLY */
	{ KC_HARDWARE, 0, "*-sun*i-ce" },
	{ KC_HARDWARE, 0, "*-nx" },	/* no flags at all */
	{ KC_HARDWARE, 0, "virtio_crypto_*" },
	{ KC_HARDWARE, 0, "qat_*" },
	{ KC_HARDWARE, 0, "hisi_sec*" },
	{ KC_HARDWARE, 0, "cpt_*" },
	{ KC_HARDWARE, 0, "cavium-*" },
	{ KC_HARDWARE, 0, "n5_*" },
	{ KC_HARDWARE, 0, "*-chcr" },
	{ KC_HARDWARE, 0, "*-rk" },
	{ KC_HARDWARE, 0, "*-dcp" },
	{ KC_HARDWARE, 0, "sahara-*" },
	{ KC_HARDWARE, 0, "*-tegra" },
	{ KC_HARDWARE, 0, "*-starfive" },
	{ KC_HARDWARE, 0, "starfive-*" },
	{ KC_HARDWARE, 0, "*-gxl" },
	{ KC_HARDWARE, 0, "*-sl3516" },
	{ KC_HARDWARE, 0, "img-*" },
	{ KC_HARDWARE, 0, "mv-*" },
	{ KC_HARDWARE, 0, "*-caam" },
	{ KC_HARDWARE, 0, "*-caam-qi*" },
	{ KC_HARDWARE, 0, "*-talitos" },
	{ KC_HARDWARE, 0, "*-ccp" },
	{ KC_HARDWARE, 0, "*-ccree" },
	{ KC_HARDWARE, 0, "safexcel-*" },
	{ KC_HARDWARE, 0, "*-eip93" },
	{ KC_HARDWARE, 0, "*-qce" },
	{ KC_HARDWARE, 0, "atmel-*" },
	{ KC_HARDWARE, 0, "*-omap" },
	{ KC_HARDWARE, 0, "omap-*" },
	{ KC_HARDWARE, 0, "*-sa2ul" },
	{ KC_HARDWARE, 0, "*-dthev2" },
	{ KC_HARDWARE, 0, "stm32-*" },
	{ KC_HARDWARE, 0, "*-s5p" },
	{ KC_HARDWARE, 0, "exynos-*" },
	{ KC_HARDWARE, 0, "aspeed-*" },
	{ KC_HARDWARE, 0, "*-ppc4xx" },
	{ KC_HARDWARE, 0, "*-iproc" },
	{ KC_HARDWARE, 0, "artpec6-*" },
	{ KC_HARDWARE, 0, "*-ixp4xx" },
	{ KC_HARDWARE, 0, "*-keembay-ocs" },
	{ KC_HARDWARE, 0, "*-hifn*" },
	{ KC_HARDWARE, 0, "*-mtk" },	/* this and the next two: up to 5.15 */
	{ KC_HARDWARE, 0, "*-ux500" },
	{ KC_HARDWARE, 0, "*-picoxcell" },
	/*
	 * On the CPU. Needed because wrappers that only wait for the vector unit are ASYNC too
	 * (x86 and ARM, up to 6.12), and so that flags need not be asked for.
	 */
	{ KC_SOFTWARE, 0, "__*" },	/* the inner half of such a wrapper */
	{ KC_SOFTWARE, 0, "cryptd(*" },
	{ KC_SOFTWARE, 0, "pcrypt(*" },
	{ KC_SOFTWARE, 0, "*-generic" },
	{ KC_SOFTWARE, 0, "*-lib" },
	{ KC_SOFTWARE, 0, "*-fixed-time" },
	{ KC_SOFTWARE, 0, "*-asm" },
	{ KC_SOFTWARE, 0, "*-3way" },
	{ KC_SOFTWARE, 0, "*-aesni*" },
	{ KC_SOFTWARE, 0, "*-vaes*" },
	{ KC_SOFTWARE, 0, "*-aeskl" },
	{ KC_SOFTWARE, 0, "*-avx*" },
	{ KC_SOFTWARE, 0, "*-sse2" },
	{ KC_SOFTWARE, 0, "*-padlock*" },	/* an instruction, though under drivers/crypto */
	{ KC_SOFTWARE, 0, "*-arm" },
	{ KC_SOFTWARE, 0, "*-arm64" },
	{ KC_SOFTWARE, 0, "*-ce" },
	{ KC_SOFTWARE, 0, "*-neon" },
	{ KC_SOFTWARE, 0, "*-neonbs" },
	{ KC_SOFTWARE, 0, "p8_aes_*" },
	{ KC_SOFTWARE, 0, "p10_aes_*" },
	{ KC_SOFTWARE, 0, "*-p10" },
	{ KC_SOFTWARE, 0, "*-ppc-spe" },
	{ KC_SOFTWARE, 0, "*-s390" },
	{ KC_SOFTWARE, 0, "*-sparc64" },
	{ KC_SOFTWARE, 0, "*-octeon" },
	{ KC_SOFTWARE, 0, "*-riscv64*" },
};

/* Not fnmatch(3): that takes ten times as long in a UTF-8 locale, and depends on the locale. */
static bool matches(const char *pattern, const char *text, size_t len)
{
	const char *end = text + len, *after_star = NULL, *resume = NULL;

	while (text < end) {
		if (*pattern == '*') {
			after_star = ++pattern;
			resume = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (after_star) {
			pattern = after_star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

static const struct known *find(enum kc_nature nature, const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].nature == nature && matches(known[i].pattern, text, len))
			return &known[i];
	return NULL;
}

/* "cbc(ecb(aes-generic))" is what its innermost part is, so that is looked at too. */
static const struct known *find_nested(enum kc_nature nature, const char *driver)
{
	size_t len = strlen(driver);

	for (;;) {
		const struct known *row = find(nature, driver, len);
		const char *open, *close;

		if (row)
			return row;
		open = memchr(driver, '(', len);
		close = memrchr(driver, ')', len);
		if (!open || !close || close < open)
			return NULL;
		driver = open + 1;
		len = (size_t)(close - driver);
	}
}

enum kc_nature kc_driver_nature(const struct kc_driver *driver, unsigned key_len)
{
	const struct known *device = find_nested(KC_HARDWARE, driver->driver);

	/* Before the flag, which a device also has for the keys that it leaves to software. */
	if (device) {
		bool does_key = !key_len || !device->key_len || device->key_len == key_len;

		return does_key ? KC_HARDWARE : KC_SOFTWARE;
	}
	if (driver->kernel_driver_only)
		return KC_HARDWARE;
	if (find_nested(KC_SOFTWARE, driver->driver))
		return KC_SOFTWARE;
	if (driver->async)
		return KC_HARDWARE;
	return driver->flags_known ? KC_SOFTWARE : KC_UNKNOWN;
}

bool kc_driver_wanted(const char *name)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (strcmp(kc_algs[i].kernel_name, name) == 0)
			return true;
	return false;
}

/* Binding one of these may make the kernel register another, for the whole system. */
static bool makes_others(const struct kc_driver *driver)
{
	return matches("cryptd(*", driver->driver, strlen(driver->driver)) ||
	       matches("pcrypt(*", driver->driver, strlen(driver->driver));
}

void kc_drivers_add(struct kc_drivers *drivers, const struct kc_driver *driver)
{
	if (!drivers->software[0] && !makes_others(driver) &&
	    kc_driver_nature(driver, 0) == KC_SOFTWARE)
		memcpy(drivers->software, driver->driver, sizeof(drivers->software));
	if (drivers->n < KC_MAX_DRIVERS && kc_driver_wanted(driver->name))
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
