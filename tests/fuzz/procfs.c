/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/crypto with arbitrary content. The first byte: how often the text is repeated. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/alg.h"
#include "discovery/procfs.h"

#define RECORD(name, driver)                                                                       \
	"name         : " name "\ndriver       : " driver "\nmodule       : kernel\n"              \
	"priority     : 300\nrefcnt       : 1\nselftest     : passed\ninternal     : no\n"         \
	"type         : skcipher\nasync        : yes\nblocksize    : 16\n\n"

void write_seeds(void)
{
	static const char two[] =
		"\001" RECORD("cbc(aes)", "mv-cbc-aes") RECORD("ctr(aes)", "ctr(aes-generic)");
	static const char many[] = "\377" RECORD("ecb(aes)", "ecb-aes-caam");
	static const char other[] = RECORD("name", "cryptd(__cbc-aes-aesni)") RECORD(
		"cbc(des3_ede)", "cbc-aes-name-of-63-bytes-as-many-as-a-socket-address-takes-in");

	seed("two", two, sizeof(two) - 1);
	seed("many", many, sizeof(many) - 1);
	seed("other", other, sizeof(other) - 1);
}

/* Parses the text in two pieces, split at the place that the first byte gives. */
static void parse(struct kc_drivers *drivers, const char *text, size_t len, size_t first)
{
	struct kc_procfs p;
	char *copy = malloc(KC_LINE_SIZE + len);
	size_t n;

	assert(copy);
	kc_procfs_begin(&p, drivers);
	first = first < len ? first : len;
	memcpy(copy, text, first);
	n = kc_lines_feed(copy, first, kc_procfs_take, &p);
	memcpy(copy + n, text + first, len - first);
	kc_lines_feed(copy, n + len - first, kc_procfs_take, &p);
	free(copy);
}

static bool is_ended(const char *name)
{
	return memchr(name, '\0', KC_DRIVER_NAME_SIZE) != NULL;
}

static bool is_in_table(const char *name)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		if (strcmp(kc_algs[i].kernel_name, name) == 0)
			return true;
	return false;
}

/* The list is bounded, its names are terminated, and all of it is for algorithms in the table. */
static void check(const struct kc_drivers *drivers)
{
	assert(drivers->n <= KC_MAX_DRIVERS);
	for (size_t i = 0; i < drivers->n; i++) {
		const struct kc_driver *d = &drivers->v[i];

		assert(is_ended(d->name) && is_ended(d->driver) && d->driver[0]);
		assert(d->flags_known && !d->kernel_driver_only);
		assert(is_in_table(d->name));
		assert(kc_driver_nature(d, 0) <= KC_HARDWARE);
		assert(kc_driver_nature(d, 16) <= KC_HARDWARE);
		assert(kc_driver_nature(d, 32) <= KC_HARDWARE);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kc_drivers drivers;

	if (size < 2)
		return 0;
	kc_drivers_init(&drivers, NULL);
	for (int i = 0; i <= data[0]; i++) {
		size_t n = drivers.n;

		parse(&drivers, (const char *)data + 1, size - 1, data[0]);
		if (n == drivers.n)
			break; /* no driver in it, or the list is full */
	}
	check(&drivers);
	return 0;
}
