/* SPDX-License-Identifier: Apache-2.0 */
/* cuse-control: the device's counters and commands for scripts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuse/control.h"

static void usage(FILE *to)
{
	fputs("usage: cuse-control DIR [NAME=VALUE|NAME=+VALUE|NAME]...\n\n"
	      "Sets values of the device that was started with DIR, or prints them, all if none is\n"
	      "named. fail_at, corrupt_from=+N: at the N-th request from now; refuse_from=+N: the\n"
	      "N-th session; any other value: so much more.\n\n"
	      "  cuse-control /run/cuse fail_errno=12 fail_at=+3\n",
	      to);
}

static enum control_id id_of(const char *name, size_t len)
{
	for (enum control_id id = 0; id < CONTROL_COUNT; id++)
		if (strlen(control_names[id]) == len && memcmp(control_names[id], name, len) == 0)
			return id;
	fprintf(stderr, "cuse-control: no such value: %.*s\n", (int)len, name);
	exit(1);
}

/* The base for a value with a + in front. */
static uint64_t now(const struct control *c, enum control_id id)
{
	switch (id) {
	case FAIL_AT:
	case CORRUPT_FROM:
		return control_get(c, REQUESTS);
	case REFUSE_FROM:
		return control_get(c, SESSIONS_ASKED);
	default:
		return control_get(c, id);
	}
}

static void set(struct control *c, enum control_id id, const char *value)
{
	bool more = value[0] == '+';
	char *end;
	uint64_t n;

	value += more;
	n = strtoull(value, &end, 10);
	if (end == value || *end) {
		fprintf(stderr, "cuse-control: %s wants a number\n", control_names[id]);
		exit(1);
	}
	control_set(c, id, (more ? now(c, id) : 0) + n);
}

int main(int argc, char **argv)
{
	struct control *c;

	if (argc < 2 || strcmp(argv[1], "--help") == 0) {
		usage(argc < 2 ? stderr : stdout);
		return argc < 2;
	}
	c = control_map(argv[1], false);
	if (!c) {
		perror(argv[1]);
		return 1;
	}
	for (int i = 2; i < argc; i++) {
		size_t len = strcspn(argv[i], "=");
		enum control_id id = id_of(argv[i], len);

		if (argv[i][len])
			set(c, id, argv[i] + len + 1);
		else
			printf("%" PRIu64 "\n", control_get(c, id));
	}
	for (enum control_id id = 0; argc == 2 && id < CONTROL_COUNT; id++)
		printf("%s %" PRIu64 "\n", control_names[id], control_get(c, id));
	return 0;
}
