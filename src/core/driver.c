// SPDX-License-Identifier: Apache-2.0
/*
 * Decides which of the kernel's drivers use hardware outside the CPU: by names of both kinds, and
 * by flags, in a fixed order. Does not know where a list came from, and makes no system call.
 */
#include "core/driver.h"

#include <string.h>

/*
 * A '*' at either end stands for any text. No pointers: each would cost a relocation. The length is
 * stored because it is needed for each of the kernel's drivers.
 */
struct pattern {
	unsigned char len;
	char text[15];
};
#define P(text)                                                                                    \
	{                                                                                          \
		sizeof(text) - 1, text                                                             \
	}

/*
 * Outside the CPU, but not KERN_DRIVER_ONLY (from 5.10 to 7.3), or synchronous, so that nothing in
 * /proc/crypto shows it. Other such drivers need no row: they have ASYNC.
 */
static const struct pattern hardware[] = {
	P("virtio_crypto_*"), P("qat_*"),      P("hisi_sec*"),	P("cpt_*"),
	P("cavium-*"),	      P("n5_*"),       P("*-chcr"),	P("*-nx"),
	P("*-sun4i-ss"),      P("*-sun8i-ss"), P("*-sun8i-ce"), P("*-rk"),
	P("*-dcp"),	      P("sahara-*"),   P("*-tegra"),	P("*-starfive"),
	P("starfive-*"),      P("*-gxl"),      P("*-sl3516"),	P("img-*"),
	P("zynqmp-*"),	      { 0 },
};

/* Devices that do 16-byte keys and leave all others to software. Synchronous too. */
#define GEODE_KEY 16
static const struct pattern geode[] = { P("*aes-geode"), P("geode-aes"), { 0 } };

/*
 * On the CPU. This list is needed because wrappers that only wait for the vector unit are ASYNC too
 * (x86 and ARM, up to 6.12), and for sessions that tell only a driver's name. "__": the inner half
 * of such a wrapper; padlock: an instruction, although under drivers/crypto.
 */
static const struct pattern software[] = {
	P("__*"),	   P("cryptd(*"),   P("pcrypt(*"),  P("*-generic"),  P("*-lib"),
	P("*-fixed-time"), P("*-asm"),	    P("*-3way"),    P("*-aesni*"),   P("*-vaes*"),
	P("*-aeskl"),	   P("*-avx*"),	    P("*-sse2"),    P("*-padlock*"), P("*-arm"),
	P("*-arm64"),	   P("*-ce"),	    P("*-neon"),    P("*-neonbs"),   P("p8_aes_*"),
	P("p10_aes_*"),	   P("*-p10"),	    P("*-ppc-spe"), P("*-s390"),     P("*-sparc64"),
	P("*-octeon"),	   P("*-riscv64*"), { 0 },
};

/* Most differ in the first letter compared, so check that before any call. */
static bool ends_with(const char *name, size_t len, const char *text, size_t n)
{
	return n <= len && name[len - 1] == text[n - 1] && memcmp(name + len - n, text, n) == 0;
}

static bool matches(const struct pattern *p, const char *name, size_t len)
{
	bool head = p->text[0] == '*', tail = p->text[p->len - 1] == '*';
	const char *text = p->text + head;
	size_t n = p->len - head - tail;

	if (!tail)
		return (head || n == len) && ends_with(name, len, text, n);
	for (; n <= len; name++, len--) {
		if (*name == *text && memcmp(name, text, n) == 0)
			return true;
		if (!head)
			break;
	}
	return false;
}

/*
 * Looks at every part, each with all that follows it: the innermost one decides the nature of
 * "cbc(ecb(aes-generic))", and any that of "gcm_base(ctr-aes-neonbs,cryptd(ghash-ce-sync))".
 */
static bool is_one_of(const struct pattern *patterns, const char *driver)
{
	const char *end = driver + strlen(driver);

	while (end > driver && end[-1] == ')')
		end--;
	for (const char *part = driver; part < end; part++) {
		for (const struct pattern *p = patterns; p->len; p++)
			if (matches(p, part, (size_t)(end - part)))
				return true;
		part += strcspn(part, "(,");
	}
	return false;
}

void kc_driver_classify(struct kc_driver *driver)
{
	driver->only_key_len = 0;
	driver->nature = driver->flags_known ? KC_SOFTWARE : KC_UNKNOWN;
	/* Before the flag, which these devices also have for keys that they leave to software. */
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

/* The slot of @name, which is zero up to its end, as in the table. */
static size_t slot_of(const char name[KC_KERNEL_NAME_SIZE])
{
	uint64_t word[KC_KERNEL_NAME_SIZE / sizeof(uint64_t)], hash = 0;

	memcpy(word, name, sizeof(word));
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		hash = (hash ^ word[i]) * 0x9e3779b97f4a7c15;
	return hash >> 32 & (KC_NAME_SLOTS - 1);
}

static bool is_same(const struct kc_alg *alg, const char name[KC_KERNEL_NAME_SIZE])
{
	return memcmp(alg->kernel_name, name, KC_KERNEL_NAME_SIZE) == 0;
}

_Static_assert(KC_ALG_COUNT < UINT8_MAX, "a row's number plus 1 fits the index");

/* Rows with the same name are adjacent: returns the first one after those of @row's name. */
static size_t end_of_name(size_t row)
{
	size_t end = row + 1;

	while (end < KC_ALG_COUNT && is_same(&kc_algs[end], kc_algs[row].kernel_name))
		end++;
	return end;
}

/* The first row of a name stands for all. */
void kc_drivers_init(struct kc_drivers *drivers, const bool *wanted)
{
	drivers->n = 0;
	memset(drivers->first, 0, sizeof(drivers->first));
	for (size_t row = 0, end; row < KC_ALG_COUNT; row = end) {
		uint8_t *slot = &drivers->first[slot_of(kc_algs[row].kernel_name)];

		end = end_of_name(row);
		if (wanted && !memchr(&wanted[row], true, end - row))
			continue;
		drivers->next[row] = *slot;
		*slot = (uint8_t)(row + 1);
	}
	drivers->is_indexed = true;
}

size_t kc_drivers_want(struct kc_drivers *drivers, const char *name)
{
	char padded[KC_KERNEL_NAME_SIZE] = "";
	size_t len = strlen(name), row;

	if (len >= sizeof(padded))
		return 0;
	if (!drivers->is_indexed)
		kc_drivers_init(drivers, NULL);
	memcpy(padded, name, len);
	row = drivers->first[slot_of(padded)];
	while (row && !is_same(&kc_algs[row - 1], padded))
		row = drivers->next[row - 1];
	return row;
}

void kc_drivers_add(struct kc_drivers *drivers, const struct kc_driver *driver)
{
	size_t row = kc_drivers_want(drivers, driver->name);
	struct kc_driver *to = &drivers->v[drivers->n];

	if (drivers->n == KC_MAX_DRIVERS || !row ||
	    kc_kernel_kind(&kc_algs[row - 1]) != driver->kind)
		return;
	*to = *driver;
	kc_driver_classify(to);
	to->row = (uint32_t)(row - 1);
	to->rows = (uint32_t)(end_of_name(to->row) - to->row);
	drivers->n++;
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
