// SPDX-License-Identifier: Apache-2.0
/*
 * Which of the kernel's drivers leave the CPU: names of both kinds, and the order in which names
 * and flags decide. Knows nothing of where a list came from, and makes no system call.
 */
#include "core/driver.h"

#include <string.h>

/*
 * A '*' stands for anything, before the text or behind it. No pointers, as each costs a relocation.
 */
typedef char pattern[16];

/*
 * Off the CPU, though not KERN_DRIVER_ONLY (of 5.10 to 7.3), or synchronous, so that nothing in
 * /proc/crypto shows it. The others need no row: they have that flag and ASYNC.
 */
static const pattern hardware[] = {
	"virtio_crypto_*", "qat_*",    "hisi_sec*",  "cpt_*",	   "cavium-*",	 "n5_*",
	"*-chcr",	   "*-nx",     "*-sun4i-ss", "*-sun8i-ss", "*-sun8i-ce", "*-rk",
	"*-dcp",	   "sahara-*", "*-tegra",    "*-starfive", "starfive-*", "*-gxl",
	"*-sl3516",	   "img-*",    "",
};

/* Devices that do keys of 16 bytes and pass on all others to software. Synchronous too. */
#define GEODE_KEY 16
static const pattern geode[] = { "*aes-geode", "geode-aes", "" };

/*
 * On the CPU. Needed because wrappers that only wait for the vector unit are ASYNC too (x86 and
 * ARM, up to 6.12), and so that netlink need not be asked for the flags.
 */
static const pattern software[] = {
	"__*", /* the inner half of such a wrapper */
	"cryptd(*",  "pcrypt(*",  "*-generic",	"*-lib",     "*-fixed-time",
	"*-asm",     "*-3way",	  "*-aesni*",	"*-vaes*",   "*-aeskl",
	"*-avx*",    "*-sse2",	  "*-padlock*", /* an instruction, though under drivers/crypto */
	"*-arm",     "*-arm64",	  "*-ce",	"*-neon",    "*-neonbs",
	"p8_aes_*",  "p10_aes_*", "*-p10",	"*-ppc-spe", "*-s390",
	"*-sparc64", "*-octeon",  "*-riscv64*", "",
};

static bool matches(const char *text, const char *name, size_t len)
{
	bool head = *text == '*', tail;
	size_t n = strlen(text += head);

	tail = text[n - 1] == '*';
	n -= tail;
	if (n > len || (!head && !tail && n != len))
		return false;
	if (head && tail)
		return memmem(name, len, text, n) != NULL;
	return memcmp(head ? name + len - n : name, text, n) == 0;
}

/* "cbc(ecb(aes-generic))" is what its innermost part is, so every part is looked at. */
static bool is_one_of(const pattern *patterns, const char *driver)
{
	const char *end = driver + strlen(driver);

	while (end > driver && end[-1] == ')')
		end--;
	for (const char *part = driver; part < end; part++) {
		for (const pattern *p = patterns; **p; p++)
			if (matches(*p, part, (size_t)(end - part)))
				return true;
		part = memchr(part, '(', (size_t)(end - part));
		if (!part)
			break;
	}
	return false;
}

void kc_driver_classify(struct kc_driver *driver)
{
	driver->only_key_len = 0;
	driver->nature = driver->flags_known ? KC_SOFTWARE : KC_UNKNOWN;
	/* Before the flag, which the device also has for the keys that it leaves to software. */
	if (is_one_of(geode, driver->driver)) {
		driver->only_key_len = GEODE_KEY;
		driver->nature = KC_HARDWARE;
	} else if (driver->kernel_driver_only || is_one_of(hardware, driver->driver)) {
		driver->nature = KC_HARDWARE;
	} else if (is_one_of(software, driver->driver)) {
		driver->nature = KC_SOFTWARE;
	} else if (driver->async) {
		driver->nature = KC_HARDWARE;
	}
}

enum kc_nature kc_driver_nature(const struct kc_driver *driver, unsigned key_len)
{
	bool fits = !key_len || !driver->only_key_len || driver->only_key_len == key_len;

	return fits ? driver->nature : KC_SOFTWARE;
}

static uint8_t *slot_of(struct kc_drivers *drivers, const char *name)
{
	unsigned hash = 0;

	while (*name)
		hash = hash * 31 + (unsigned char)*name++;
	return &drivers->first[(hash ^ hash >> 8) % KC_NAME_SLOTS];
}

_Static_assert(KC_ALG_COUNT < UINT8_MAX, "a row's number plus 1 fits the index");

static void index_rows(struct kc_drivers *drivers)
{
	memset(drivers->first, 0, sizeof(drivers->first));
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		const char *name = kc_algs[i].kernel_name;
		uint8_t *slot;

		/* Rows of one name follow each other, and the first stands for all. */
		if (i && strcmp(name, kc_algs[i - 1].kernel_name) == 0)
			continue;
		slot = slot_of(drivers, name);
		drivers->next[i] = *slot;
		*slot = (uint8_t)(i + 1);
	}
	drivers->is_indexed = true;
}

void kc_drivers_init(struct kc_drivers *drivers)
{
	drivers->n = 0;
	drivers->software[0] = '\0';
	index_rows(drivers);
}

/* Fills in the rows that @driver is for; false if there are none. */
static bool find_rows(struct kc_drivers *drivers, struct kc_driver *driver)
{
	size_t row = *slot_of(drivers, driver->name);

	while (row && strcmp(kc_algs[row - 1].kernel_name, driver->name) != 0)
		row = drivers->next[row - 1];
	if (!row)
		return false;
	driver->row = row - 1;
	driver->rows = 1;
	while (row < KC_ALG_COUNT && strcmp(kc_algs[row].kernel_name, driver->name) == 0) {
		driver->rows++;
		row++;
	}
	return kc_kernel_kind(&kc_algs[driver->row]) == driver->kind;
}

/*
 * A plain name before a template: the kernel looks it up and that is all, where for a template
 * that does not have the features asked for it tries to make another (EEXIST from 6.12 on). Never
 * cryptd: what is made is the whole system's, at a higher priority than what it wraps.
 */
static bool is_better_software(const struct kc_driver *driver, const char *than)
{
	if (driver->kind != KC_CIPHER || strncmp(driver->driver, "cryptd(", 7) == 0)
		return false;
	return !than[0] || (strchr(than, '(') && !strchr(driver->driver, '('));
}

void kc_drivers_add(struct kc_drivers *drivers, const struct kc_driver *driver)
{
	struct kc_driver d = *driver;
	bool is_wanted, is_better = is_better_software(driver, drivers->software);

	if (!drivers->is_indexed)
		index_rows(drivers);
	is_wanted = drivers->n < KC_MAX_DRIVERS && find_rows(drivers, &d);
	if (!is_wanted && !is_better)
		return;
	kc_driver_classify(&d);
	if (is_better && d.nature == KC_SOFTWARE)
		memcpy(drivers->software, d.driver, sizeof(drivers->software));
	if (is_wanted)
		drivers->v[drivers->n++] = d;
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
