// SPDX-License-Identifier: Apache-2.0
/*
 * Parses /proc/crypto. Owns that file's format; does not judge drivers. Every process that fetches
 * an algorithm reads it, so it uses neither stdio nor sscanf(): they cost more than the kernel.
 */
#include "kernel/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel returns one page per read, however much is asked for. */
#define PIECE 4096

/* A name that doesn't fit can't be bound either: it is left out, together with its record. */
static void copy_name(char *to, const char *value)
{
	if (strlen(value) < KC_DRIVER_NAME_SIZE)
		strcpy(to, value);
}

/* An lskcipher and an shash are synchronous, and have no such line. */
static void take_type(struct kc_procfs *p, const char *type)
{
	static const struct {
		char type[12];
		enum kc_kind kind;
	} types[] = {
		{ "skcipher", KC_CIPHER }, { "lskcipher", KC_CIPHER }, { "aead", KC_AEAD },
		{ "ahash", KC_DIGEST },	   { "shash", KC_DIGEST },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(type, types[i].type) == 0) {
			p->driver.kind = types[i].kind;
			p->has_kind = true;
		}
	}
}

/* Most keys are not: there are ten lines in a record, and 50 to 200 records. */
static bool is(const char *key, const char *wanted)
{
	return key[0] == wanted[0] && strcmp(key, wanted) == 0;
}

static void take_field(struct kc_procfs *p, const char *key, const char *value)
{
	if (is(key, "name"))
		copy_name(p->driver.name, value);
	else if (is(key, "driver"))
		copy_name(p->driver.driver, value);
	else if (is(key, "priority"))
		p->driver.priority = (int)strtol(value, NULL, 10);
	else if (is(key, "selftest")) /* the kernel binds it only once this is "passed" */
		p->is_tested = strcmp(value, "passed") == 0;
	else if (is(key, "internal"))
		p->is_external = strcmp(value, "no") == 0;
	else if (is(key, "type"))
		take_type(p, value);
	else if (is(key, "async"))
		p->driver.async = strcmp(value, "yes") == 0;
}

static void end_record(struct kc_procfs *p)
{
	if (p->has_kind && p->is_tested && p->is_external && p->driver.name[0] &&
	    p->driver.driver[0])
		kc_drivers_add(p->drivers, &p->driver);
	memset(&p->driver, 0, sizeof(p->driver));
	p->has_kind = p->is_tested = p->is_external = false;
}

/* A line is "key          : value", or empty, which ends a record. */
static void take_line(struct kc_procfs *p)
{
	char *key = p->line, *value;

	key[p->len] = '\0';
	if (p->len == 0) {
		end_record(p);
		return;
	}
	for (value = key; *value && *value != ' ' && *value != ':'; value++)
		;
	while (*value == ' ')
		*value++ = '\0';
	if (*value != ':')
		return;
	*value++ = '\0';
	while (*value == ' ')
		value++;
	take_field(p, key, value);
}

void kc_procfs_parse(struct kc_procfs *p, const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		size_t room = sizeof(p->line) - 1 - p->len, kept = n < room ? n : room;

		memcpy(p->line + p->len, text, kept);
		p->len += kept;
		if (end) {
			take_line(p);
			p->len = 0;
		}
		n += end != NULL;
		text += n;
		len -= n;
	}
}

int kc_procfs_read(struct kc_drivers *drivers)
{
	struct kc_procfs p = { .drivers = drivers };
	int fd = open("/proc/crypto", O_RDONLY | O_CLOEXEC), err = fd < 0 ? -errno : 0;
	char piece[PIECE];

	kc_drivers_init(drivers);
	while (!err) {
		ssize_t n = read(fd, piece, sizeof(piece));

		if (n == 0)
			break;
		if (n > 0)
			kc_procfs_parse(&p, piece, (size_t)n);
		else if (errno != EINTR)
			err = -errno;
	}
	if (fd >= 0)
		close(fd);
	return err;
}
