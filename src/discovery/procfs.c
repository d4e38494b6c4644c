// SPDX-License-Identifier: Apache-2.0
/*
 * Parses /proc/crypto. Owns that file's format, and does not judge drivers. Every process that
 * fetches an algorithm reads it, so it avoids sscanf(), which would take longer than the kernel.
 */
#include "discovery/procfs.h"

#include <string.h>

#include "core/quiet.h"

/* A name that doesn't fit can't be bound either, so its record is left out. */
static void copy_name(char *to, const char *name, size_t len)
{
	if (len < KC_DRIVER_NAME_SIZE)
		memcpy(to, name, len);
}

/* An lskcipher or shash is synchronous, and its record has no async line. */
static void take_type(struct kc_procfs *p, const char *type)
{
	static const struct {
		char type[11];
		uint8_t kind;
	} types[] = {
		{ "skcipher", KC_CIPHER }, { "lskcipher", KC_CIPHER }, { "aead", KC_AEAD },
		{ "ahash", KC_DIGEST },	   { "shash", KC_DIGEST },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type, types[i].type) == 0)
			p->driver.kind = types[i].kind;
}

static int number_in(const char *value)
{
	if (value[0] == '-')
		return -(int)kc_decimal(value + 1);
	return (int)kc_decimal(value);
}

/* The kernel pads every key to the same length. */
#define KEY_LEN		   15
#define HAS_KEY(line, key) (memcmp(line, key, KEY_LEN) == 0)

/* Not inlined: its only caller ignores most lines. */
__attribute__((noinline)) static void take_field(struct kc_procfs *p, const char *line, size_t len)
{
	const char *value = line + KEY_LEN;

	if (HAS_KEY(line, "name         : ")) {
		copy_name(p->driver.name, value, len - KEY_LEN);
		p->skips = !kc_drivers_want(p->drivers, p->driver.name);
	} else if (HAS_KEY(line, "driver       : ")) {
		copy_name(p->driver.driver, value, len - KEY_LEN);
	} else if (HAS_KEY(line, "priority     : ")) {
		p->driver.priority = number_in(value);
	} else if (HAS_KEY(line, "selftest     : ")) {
		/* The kernel binds a driver only once this is "passed". */
		p->is_tested = strcmp(value, "passed") == 0;
	} else if (HAS_KEY(line, "internal     : ")) {
		p->is_external = strcmp(value, "no") == 0;
	} else if (HAS_KEY(line, "type         : ")) {
		take_type(p, value);
	} else if (HAS_KEY(line, "async        : ")) {
		p->driver.async = strcmp(value, "yes") == 0;
	}
}

void kc_procfs_begin(struct kc_procfs *p, struct kc_drivers *drivers)
{
	*p = (struct kc_procfs){ .drivers = drivers,
				 .driver = { .kind = KC_KIND_COUNT, .flags_known = true } };
}

/* kc_drivers_add() rejects records without a name or of unknown type. */
static void end_record(struct kc_procfs *p)
{
	if (p->is_tested && p->is_external && p->driver.driver[0])
		kc_drivers_add(p->drivers, &p->driver);
	kc_procfs_begin(p, p->drivers);
}

/* An empty line ends a record. Its first line, the name, decides whether the others are read. */
void kc_procfs_take(void *arg, const char *line, size_t len)
{
	struct kc_procfs *p = arg;

	if (len == 0) {
		end_record(p);
	} else if (len > KEY_LEN && !p->skips) {
		take_field(p, line, len);
	}
}

int kc_procfs_read(struct kc_drivers *drivers)
{
	struct kc_procfs p;
	/* No thread may be cancelled while a descriptor is open. */
	KC_QUIETLY;

	kc_procfs_begin(&p, drivers);
	drivers->n = 0;
	return kc_lines_read("/proc/crypto", kc_procfs_take, &p);
}
