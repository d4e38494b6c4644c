/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Facts that drivers' names tell: which drivers use hardware outside the CPU, and which requests
 * they silently leave to the kernel's software. For the module and for programs, so that both admit
 * the same drivers. The includer provides bool, size_t and the functions of string.h.
 */
#ifndef KCRYPTO_DRIVERS_H
#define KCRYPTO_DRIVERS_H

/*
 * A '*' at either end stands for any text. An array, because a pointer would cost a relocation. The
 * length is stored because every registered driver is compared with every pattern.
 */
struct kcrypto_pattern {
	unsigned char len;
	char text[15];
};

#define KCRYPTO_PATTERN(text) { sizeof(text) - 1, text }

/*
 * Hardware outside the CPU that nothing in /proc/crypto shows: not KERN_DRIVER_ONLY (from 5.10 to
 * 7.3), or synchronous. Other drivers for hardware need no row, because they are ASYNC.
 */
static const struct kcrypto_pattern kcrypto_hardware[] = {
	KCRYPTO_PATTERN("virtio_crypto_*"),
	KCRYPTO_PATTERN("qat_*"),
	KCRYPTO_PATTERN("hisi_sec*"),
	KCRYPTO_PATTERN("cpt_*"),
	KCRYPTO_PATTERN("cavium-*"),
	KCRYPTO_PATTERN("n5_*"),
	KCRYPTO_PATTERN("*-chcr"),
	KCRYPTO_PATTERN("*-nx"),
	KCRYPTO_PATTERN("*aes-geode"),
	KCRYPTO_PATTERN("geode-aes"),
	KCRYPTO_PATTERN("*-sun4i-ss"),
	KCRYPTO_PATTERN("*-sun8i-ss"),
	KCRYPTO_PATTERN("*-sun8i-ce"),
	KCRYPTO_PATTERN("*-rk"),
	KCRYPTO_PATTERN("*-dcp"),
	KCRYPTO_PATTERN("sahara-*"),
	KCRYPTO_PATTERN("*-tegra"),
	KCRYPTO_PATTERN("*-starfive"),
	KCRYPTO_PATTERN("starfive-*"),
	KCRYPTO_PATTERN("*-gxl"),
	KCRYPTO_PATTERN("*-sl3516"),
	KCRYPTO_PATTERN("img-*"),
	KCRYPTO_PATTERN("zynqmp-*"),
	{ 0 },
};

/*
 * Software on the CPU. The list is needed because wrappers that only wait for the vector unit are
 * ASYNC, too (x86 and ARM, up to 6.12), and for sessions that tell only a driver's name. "__": the
 * inner half of such a wrapper; padlock: an instruction, although under drivers/crypto.
 */
static const struct kcrypto_pattern kcrypto_software[] = {
	KCRYPTO_PATTERN("__*"),
	KCRYPTO_PATTERN("cryptd(*"),
	KCRYPTO_PATTERN("pcrypt(*"),
	KCRYPTO_PATTERN("*-generic"),
	KCRYPTO_PATTERN("*-lib"),
	KCRYPTO_PATTERN("*-fixed-time"),
	KCRYPTO_PATTERN("*-asm"),
	KCRYPTO_PATTERN("*-3way"),
	KCRYPTO_PATTERN("*-aesni*"),
	KCRYPTO_PATTERN("*-vaes*"),
	KCRYPTO_PATTERN("*-aeskl"),
	KCRYPTO_PATTERN("*-avx*"),
	KCRYPTO_PATTERN("*-sse2"),
	KCRYPTO_PATTERN("*-padlock*"),
	KCRYPTO_PATTERN("*-arm"),
	KCRYPTO_PATTERN("*-arm64"),
	KCRYPTO_PATTERN("*-ce"),
	KCRYPTO_PATTERN("*-neon"),
	KCRYPTO_PATTERN("*-neonbs"),
	KCRYPTO_PATTERN("p8_aes_*"),
	KCRYPTO_PATTERN("p10_aes_*"),
	KCRYPTO_PATTERN("*-p10"),
	KCRYPTO_PATTERN("*-ppc-spe"),
	KCRYPTO_PATTERN("*-s390"),
	KCRYPTO_PATTERN("*-sparc64"),
	KCRYPTO_PATTERN("*-octeon"),
	KCRYPTO_PATTERN("*-riscv64*"),
	{ 0 },
};

/* The bit for keys of @len bytes, at most 64; XTS has two keys. */
#define KCRYPTO_KEY(len) (1 << (len) / 8)

/* A key length that only XTS has: with it, another driver does no message that programs make. */
#define KCRYPTO_NO_KEY KCRYPTO_KEY(64)

/* A unit that no AAD but the empty one is a multiple of. */
#define KCRYPTO_NO_AAD 0x8000

/**
 * struct kcrypto_traits - the requests that a device does, if its driver leaves others to software
 * @name: the drivers; the first row that fits counts
 * @keys: KCRYPTO_KEY() of each length that the device does; 0: all
 * @least: shortest request in bytes that the device does
 * @most: longest request in bytes that it does; 0: any
 * @entries: most pages in which a request's input or output may lie; 0: any number
 * @align: bytes; other addresses of input and output are left to software; 0 or 1: any address
 * @unit: bytes, a power of two; a message that only goes as a whole (of a digest, MAC, AEAD or XTS)
 *	is left to software if it is no multiple of this; 0 or 1: any length
 * @aad_unit: bytes; the same for the AAD of an AEAD's message
 * @powers: XTS only of lengths that are powers of two
 * @same_pages: input and output must have the same offset in their pages
 * @whole_only: a digest or MAC only by digest(); init, update and final are left to software
 * @mixes: digests that are made at the same time by init, update and final are all wrong; those
 *	made by digest() are right
 * @plain_state: its exported state within a digest is a struct of its own, longer than that of the
 *	kernel's software; exporting and importing only copy it
 * @numbers_only: XTS only with a tweak whose second half is 0, as in a sector's number
 * @low_memory: takes an address in the kernel's own mapping for the device's, or reads through it,
 *	so a program's memory does harm if it is high memory
 */
struct kcrypto_traits {
	struct kcrypto_pattern name;
	unsigned short keys;
	unsigned short least;
	unsigned short most;
	unsigned short unit;
	unsigned short aad_unit;
	unsigned char entries;
	unsigned char align;
	bool powers;
	bool same_pages;
	bool whole_only;
	bool mixes;
	bool plain_state;
	bool numbers_only;
	bool low_memory;
};

/* From the drivers' sources in Linux 6.1 and, for newer drivers, 7.2. */
static const struct kcrypto_traits kcrypto_traits[] = {
	{ KCRYPTO_PATTERN("*aes-geode"), .keys = KCRYPTO_KEY(16), .low_memory = true },
	{ KCRYPTO_PATTERN("geode-aes"), .keys = KCRYPTO_KEY(16), .low_memory = true },
	{ KCRYPTO_PATTERN("*-dcp"), .keys = KCRYPTO_KEY(16), .mixes = true, .low_memory = true },
	{ KCRYPTO_PATTERN("*-ixp4xx"), .low_memory = true },
	{ KCRYPTO_PATTERN("sahara-*"), .keys = KCRYPTO_KEY(16) },
	{ KCRYPTO_PATTERN("xts-aes-qce"), .keys = KCRYPTO_KEY(32) | KCRYPTO_KEY(64), .least = 513,
	  .unit = 512 },
	{ KCRYPTO_PATTERN("*-aes-qce"), .keys = KCRYPTO_KEY(16) | KCRYPTO_KEY(32) },
	{ KCRYPTO_PATTERN("aspeed-sha*"), .plain_state = true },
	{ KCRYPTO_PATTERN("*-keembay-ocs"), .keys = KCRYPTO_KEY(16) | KCRYPTO_KEY(32) },
	{ KCRYPTO_PATTERN("xilinx-zynqmp-*"), .keys = KCRYPTO_KEY(32), .unit = 4,
	  .aad_unit = KCRYPTO_NO_AAD },
	{ KCRYPTO_PATTERN("zynqmp-*"), .whole_only = true },
	/* The second generation of the device. */
	{ KCRYPTO_PATTERN("xts-aes-ccp"), .keys = KCRYPTO_KEY(32), .least = 512, .most = 4096,
	  .powers = true },
	/* Its counters have 2 and 4 bytes, which no nonce of TLS leaves. */
	{ KCRYPTO_PATTERN("ccm-aes-ppc4xx"), .keys = KCRYPTO_NO_KEY },
	{ KCRYPTO_PATTERN("gcm-aes-ppc4xx"), .least = 16, .aad_unit = 4 },
	/* It only encrypts. */
	{ KCRYPTO_PATTERN("starfive-ccm-*"), .keys = KCRYPTO_NO_KEY },
	{ KCRYPTO_PATTERN("starfive-*"), .align = 16, .aad_unit = 16 },
	{ KCRYPTO_PATTERN("*-starfive"), .whole_only = true },
	/* Up to era 8, other tweaks are left to software. Longer texts are divided into sectors. */
	{ KCRYPTO_PATTERN("xts-aes-caam*"), .most = 32768, .numbers_only = true },
	{ KCRYPTO_PATTERN("*-caam*"), .plain_state = true },
	{ KCRYPTO_PATTERN("*-ccree"), .plain_state = true },
	{ KCRYPTO_PATTERN("*-chcr"), .plain_state = true },
	{ KCRYPTO_PATTERN("*-talitos"), .most = 65535 },
	{ KCRYPTO_PATTERN("cpt_*"), .most = 65535 },
	/* With the AAD, the oldest generation does 8 KiB. */
	{ KCRYPTO_PATTERN("gcm-aes-iproc"), .most = 7936 },
	{ KCRYPTO_PATTERN("ccm-aes-iproc"), .most = 7936 },
	{ KCRYPTO_PATTERN("*-n2"), .whole_only = true },
	/* 240 to 256 bytes are left to software, too, and shorter requests can't pay. */
	{ KCRYPTO_PATTERN("*-sa2ul"), .least = 257, .most = 65535, .whole_only = true },
	{ KCRYPTO_PATTERN("cbc-aes-omap"), .least = 200 },
	{ KCRYPTO_PATTERN("ctr-aes-omap"), .least = 200 },
	{ KCRYPTO_PATTERN("ecb-aes-omap"), .least = 200 },
	{ KCRYPTO_PATTERN("omap-*"), .least = 256 },
	{ KCRYPTO_PATTERN("*-sun8i-ce"), .entries = 8, .align = 4, .unit = 4,
	  .whole_only = true },
	{ KCRYPTO_PATTERN("*-sun8i-ss"), .entries = 8, .align = 16, .unit = 4,
	  .same_pages = true, .whole_only = true },
	{ KCRYPTO_PATTERN("*-gxl"), .same_pages = true },
	{ KCRYPTO_PATTERN("*-sl3516"), .align = 16, .same_pages = true },
	{ KCRYPTO_PATTERN("*-rk"), .align = 4, .same_pages = true },
	{ KCRYPTO_PATTERN("rk-*"), .unit = 4, .whole_only = true },
	{ KCRYPTO_PATTERN("img-*"), .whole_only = true },
	{ { 0 } },
};

/* Most names differ in the letter compared first, so it is compared before any call. */
static inline bool kcrypto_ends_with(const char *name, size_t len, const char *text, size_t n)
{
	return n <= len && name[len - 1] == text[n - 1] && memcmp(name + len - n, text, n) == 0;
}

/* True if the pattern fits @name of @len bytes; a star says at which end more may stand. */
static inline bool kcrypto_pattern_fits(const struct kcrypto_pattern *p, const char *name,
					size_t len)
{
	bool head = p->text[0] == '*', tail = p->text[p->len - 1] == '*';
	const char *text = p->text + head;
	size_t n = p->len - head - tail;

	if (!tail)
		return (head || n == len) && kcrypto_ends_with(name, len, text, n);
	for (; n <= len; name++, len--) {
		if (*name == *text && memcmp(name, text, n) == 0)
			return true;
		if (!head)
			break;
	}
	return false;
}

/* Returns the length of a name without the brackets that end it. */
static inline size_t kcrypto_name_len(const char *driver)
{
	size_t len = strlen(driver);

	while (len && driver[len - 1] == ')')
		len--;
	return len;
}

/*
 * Returns the part of a template's name after this one, or @end. Each part counts with all that
 * follows it: the innermost one decides the nature of "cbc(ecb(aes-generic))", and any one that of
 * "gcm_base(ctr-aes-neonbs,cryptd(ghash-ce-sync))".
 */
static inline const char *kcrypto_next_part(const char *part, const char *end)
{
	part += strcspn(part, "(,");
	return part < end ? part + 1 : end;
}

/* True if a pattern fits the driver's name, or a part of it with all that follows. */
static inline bool kcrypto_is_one_of(const struct kcrypto_pattern *patterns, const char *driver)
{
	const char *end = driver + kcrypto_name_len(driver), *part;
	const struct kcrypto_pattern *p;

	for (part = driver; part < end; part = kcrypto_next_part(part, end))
		for (p = patterns; p->len; p++)
			if (kcrypto_pattern_fits(p, part, (size_t)(end - part)))
				return true;
	return false;
}

/*
 * True if a driver of this name uses hardware. @driver_only, @async: it has KERN_DRIVER_ONLY or
 * ASYNC. The former outweighs a name that looks like software.
 */
static inline bool kcrypto_is_hardware(const char *driver, bool driver_only, bool async)
{
	if (driver_only || kcrypto_is_one_of(kcrypto_hardware, driver))
		return true;
	return async && !kcrypto_is_one_of(kcrypto_software, driver);
}

/* Returns the row that fits a driver; NULL if none does. */
static inline const struct kcrypto_traits *kcrypto_traits_of(const char *driver)
{
	const char *end = driver + kcrypto_name_len(driver), *part;
	const struct kcrypto_traits *t;

	for (part = driver; part < end; part = kcrypto_next_part(part, end))
		for (t = kcrypto_traits; t->name.len; t++)
			if (kcrypto_pattern_fits(&t->name, part, (size_t)(end - part)))
				return t;
	return NULL;
}

#endif
