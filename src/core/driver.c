// SPDX-License-Identifier: Apache-2.0
/*
 * Decides which of the kernel's drivers use hardware outside the CPU: by their names, and by flags,
 * in a fixed order. Does not know which interface listed them, and makes no system call.
 */
#include "core/driver.h"

#include <string.h>

#include <kcrypto_drivers.h>

#include "core/process.h"

/* Traits of every driver without a row. */
static const struct kcrypto_traits no_traits;

const struct kcrypto_traits *kc_driver_traits(const struct kc_driver *driver)
{
	if (!driver->traits)
		return &no_traits;
	return &kcrypto_traits[driver->traits - 1];
}

static uint32_t traits_of(const char *driver)
{
	const struct kcrypto_traits *traits = kcrypto_traits_of(driver);

	if (!traits)
		return 0;
	return (uint32_t)(traits - kcrypto_traits) + 1;
}

void kc_driver_classify(struct kc_driver *driver)
{
	driver->traits = 0;
	driver->nature = driver->flags_known ? KC_SOFTWARE : KC_UNKNOWN;
	if (kcrypto_is_hardware(driver->driver, driver->kernel_driver_only, driver->async)) {
		driver->nature = KC_HARDWARE;
		driver->traits = traits_of(driver->driver);
	} else if (kcrypto_is_one_of(kcrypto_software, driver->driver)) {
		driver->nature = KC_SOFTWARE;
	}
}

enum kc_nature kc_driver_nature(const struct kc_driver *driver, unsigned key_len)
{
	unsigned keys = kc_driver_traits(driver)->keys;

	if (key_len && keys && !(keys & KCRYPTO_KEY(key_len)))
		return KC_SOFTWARE;
	return driver->nature;
}

bool kc_driver_is_whole_only(const struct kc_driver *driver)
{
	return kc_driver_traits(driver)->whole_only;
}

bool kc_driver_mixes(const struct kc_driver *driver)
{
	return kc_driver_traits(driver)->mixes;
}

bool kc_driver_needs_low_memory(const struct kc_driver *driver)
{
	return kc_driver_traits(driver)->low_memory;
}

bool kc_name_needs_low_memory(const char *driver)
{
	const struct kcrypto_traits *traits = kcrypto_traits_of(driver);

	if (!traits)
		return false;
	return traits->low_memory;
}

unsigned kc_traits_alignmask(const struct kcrypto_traits *t)
{
	if (t->same_pages)
		return (unsigned)kc_page_size() - 1;
	if (!t->align)
		return 0;
	return t->align - 1u;
}

unsigned kc_traits_odd_bits(const struct kcrypto_traits *t)
{
	if (!t->unit)
		return 0;
	return t->unit - 1u;
}

bool kc_traits_want_whole(const struct kcrypto_traits *t)
{
	return t->whole_only || t->mixes;
}

bool kc_traits_want_contiguous(const struct kcrypto_traits *t)
{
	if (t->entries || t->align || t->same_pages)
		return true;
	return kc_traits_want_whole(t);
}

bool kc_traits_fit_tweak(const struct kcrypto_traits *t, const uint8_t tweak[KC_MAX_IV])
{
	static const uint8_t zeros[KC_MAX_IV / 2];

	if (!t->numbers_only)
		return true;
	return memcmp(tweak + KC_MAX_IV / 2, zeros, sizeof(zeros)) == 0;
}

bool kc_traits_fit_message(const struct kcrypto_traits *t, size_t len, size_t aad_len)
{
	if (len & kc_traits_odd_bits(t))
		return false;
	if (t->powers && len & (len - 1))
		return false;
	if (!t->aad_unit)
		return true;
	return aad_len % t->aad_unit == 0;
}

size_t kc_traits_least(const struct kcrypto_traits *t)
{
	return t->least;
}

/* One entry is reserved for a buffer that begins within a page and so touches one page more. */
size_t kc_traits_most(const struct kcrypto_traits *t, bool is_contiguous)
{
	size_t most = SIZE_MAX;

	if (t->most)
		most = t->most;
	if (t->entries && !is_contiguous)
		most = kc_min(most, (t->entries - 1u) * kc_page_size());
	if (most == SIZE_MAX)
		return most;
	return most / KC_MAX_BLOCK * KC_MAX_BLOCK;
}

/* Returns the slot of @name, which is zero-padded, as in the table. */
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

/* Returns the row after the last one with @row's kernel name; those rows are adjacent. */
static size_t end_of_name(size_t row)
{
	size_t end = row + 1;

	while (end < KC_ALG_COUNT && is_same(&kc_algs[end], kc_algs[row].kernel_name))
		end++;
	return end;
}

/* Only the first row of each name is in the chains. */
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

	if (drivers->n == KC_MAX_DRIVERS || !row)
		return;
	if (kc_kernel_kind(&kc_algs[row - 1]) != driver->kind)
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
