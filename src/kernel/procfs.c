// SPDX-License-Identifier: Apache-2.0
/*
 * Parses /proc/crypto. Owns that file's format; what a driver is, is not known here.
 */
#include "kernel/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An lskcipher is never asynchronous, and has no line that says so. */
static bool is_skcipher_type(const char *type)
{
	return strcmp(type, "skcipher") == 0 || strcmp(type, "lskcipher") == 0 ||
	       strcmp(type, "blkcipher") == 0 || strcmp(type, "ablkcipher") == 0;
}

/* A name that doesn't fit can't be bound either: such a record is not for us. */
static void copy_name(struct kc_procfs *state, char *to, const char *value)
{
	size_t len = strlen(value);

	if (len == 0 || len >= KC_DRIVER_NAME_SIZE)
		state->is_unfit = true;
	else
		memcpy(to, value, len + 1);
}

static int parse_int(const char *value)
{
	long n = strtol(value, NULL, 10);

	if (n > INT_MAX)
		return INT_MAX;
	return n < INT_MIN ? INT_MIN : (int)n;
}

static void begin_record(struct kc_procfs *state)
{
	memset(&state->record, 0, sizeof(state->record));
	state->is_skcipher = state->is_internal = state->is_untested = state->is_unfit = false;
}

static void end_record(struct kc_procfs *state)
{
	if (state->record.name[0] && state->record.driver[0] && state->is_skcipher &&
	    !state->is_internal && !state->is_untested && !state->is_unfit)
		kc_drivers_add(state->drivers, &state->record);
	begin_record(state);
}

static void take_field(struct kc_procfs *state, const char *key, const char *value)
{
	if (strcmp(key, "name") == 0) {
		begin_record(state);
		copy_name(state, state->record.name, value);
		return;
	}
	if (strcmp(key, "driver") == 0)
		copy_name(state, state->record.driver, value);
	else if (strcmp(key, "priority") == 0)
		state->record.priority = parse_int(value);
	else if (strcmp(key, "selftest") == 0)	/* the kernel refuses to bind it until "passed" */
		state->is_untested = strcmp(value, "passed") != 0;
	else if (strcmp(key, "internal") == 0)
		state->is_internal = strcmp(value, "no") != 0;
	else if (strcmp(key, "type") == 0)
		state->is_skcipher = is_skcipher_type(value);
	else if (strcmp(key, "async") == 0)
		state->record.async = strcmp(value, "yes") == 0;
}

static void trim(char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		text[--len] = '\0';
}

/* "key          : value", in state->line. */
static void end_line(struct kc_procfs *state)
{
	char *colon;

	if (state->line_len == 0) {
		end_record(state);
		return;
	}
	if (state->line_len >= sizeof(state->line)) {
		state->is_unfit = true;
		return;
	}
	state->line[state->line_len] = '\0';
	colon = strstr(state->line, ": ");
	if (!colon)
		return;
	*colon = '\0';
	trim(state->line);
	trim(colon + 2);
	take_field(state, state->line, colon + 2);
}

void kc_procfs_parse(struct kc_procfs *state, const char *chunk, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (chunk[i] == '\n') {
			end_line(state);
			state->line_len = 0;
			continue;
		}
		if (state->line_len < sizeof(state->line))
			state->line[state->line_len++] = chunk[i];
	}
}

int kc_procfs_read(struct kc_drivers *drivers)
{
	struct kc_procfs state = { .drivers = drivers };
	char chunk[4096];	/* the kernel fills a page at most, with whole records */
	int fd, err = 0;
	ssize_t n;

	memset(drivers, 0, sizeof(*drivers));
	fd = open("/proc/crypto", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n > 0) {
			kc_procfs_parse(&state, chunk, (size_t)n);
		} else if (errno != EINTR) {
			err = -errno;
			break;
		}
	}
	close(fd);
	return err;
}
