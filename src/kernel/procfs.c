// SPDX-License-Identifier: Apache-2.0
/*
 * Parses /proc/crypto. Owns that file's format; what a driver is, is not known here.
 */
#include "kernel/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct record {
	struct kc_driver driver;
	bool has_kind, is_tested, is_external;
};

/* A name that doesn't fit can't be bound either: left out, and with it the record. */
static void copy_name(char *to, const char *value)
{
	if (strlen(value) < KC_DRIVER_NAME_SIZE)
		strcpy(to, value);
}

/* An lskcipher and an shash are synchronous, and have no such line. */
static void take_type(struct record *r, const char *type)
{
	static const struct {
		const char *type;
		enum kc_kind kind;
	} types[] = {
		{ "skcipher", KC_CIPHER }, { "lskcipher", KC_CIPHER }, { "aead", KC_AEAD },
		{ "ahash", KC_DIGEST },	   { "shash", KC_DIGEST },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(type, types[i].type) == 0) {
			r->driver.kind = types[i].kind;
			r->has_kind = true;
		}
	}
}

static void take_field(struct record *r, const char *key, const char *value)
{
	if (strcmp(key, "name") == 0)
		copy_name(r->driver.name, value);
	else if (strcmp(key, "driver") == 0)
		copy_name(r->driver.driver, value);
	else if (strcmp(key, "priority") == 0)
		r->driver.priority = (int)strtol(value, NULL, 10);
	else if (strcmp(key, "selftest") == 0) /* the kernel refuses to bind it until "passed" */
		r->is_tested = strcmp(value, "passed") == 0;
	else if (strcmp(key, "internal") == 0)
		r->is_external = strcmp(value, "no") == 0;
	else if (strcmp(key, "type") == 0)
		take_type(r, value);
	else if (strcmp(key, "async") == 0)
		r->driver.async = strcmp(value, "yes") == 0;
}

static void end_record(struct kc_drivers *drivers, const struct record *r)
{
	if (r->has_kind && r->is_tested && r->is_external && r->driver.name[0] &&
	    r->driver.driver[0])
		kc_drivers_add(drivers, &r->driver);
}

int kc_procfs_parse(struct kc_drivers *drivers, FILE *from)
{
	struct record r = { .is_tested = false };
	char line[256], key[16], value[128]; /* the kernel's names have 127 bytes at most */

	while (fgets(line, sizeof(line), from)) {
		if (line[0] == '\n') {
			end_record(drivers, &r);
			memset(&r, 0, sizeof(r));
		} else if (sscanf(line, "%15s : %127[^\n]", key, value) == 2) {
			take_field(&r, key, value);
		}
	}
	return ferror(from) ? -EIO : 0;
}

int kc_procfs_read(struct kc_drivers *drivers)
{
	FILE *file = fopen("/proc/crypto", "re");
	char space[4096]; /* the kernel gives a page at a time; stdio alone would ask for 1 KiB */
	int err;

	memset(drivers, 0, sizeof(*drivers));
	if (!file)
		return -errno;
	setvbuf(file, space, _IOFBF, sizeof(space));
	err = kc_procfs_parse(drivers, file);
	fclose(file);
	return err;
}
