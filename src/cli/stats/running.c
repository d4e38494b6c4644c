/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds our modules in /proc/PID/maps, in their data the address of the table, and reads both from
 * /proc/PID/mem. A process can put anything there, but harms only itself: nothing but a length is
 * believed.
 */
#include "cli/stats/stats.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define MOST_DATA 65536 /* bytes of a module's writable data that are searched */

const char *kc_running_module = "/kcrypto";

struct walk {
	kc_running_fn *seen;
	void *arg;
	struct kc_not_shown *not_shown;
	struct kc_running now;
	struct kc_stats one; /* room for a module's table */
	char data[MOST_DATA];
};

struct region {
	uint64_t start, size;
};

static FILE *open_of(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
	return fopen(path, "re");
}

/* Reads a line of /proc/PID/maps; true if it is for the data of one of our modules. */
static bool read_region(const char *line, struct region *region)
{
	uint64_t end;
	char may[5];
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &region->start, &end, may,
		   &path) != 3)
		return false;
	if (!path || strncmp(may, "rw", 2) != 0)
		return false;
	region->size = end - region->start;
	return strstr(line + path, kc_running_module);
}

/* Returns the address of the table, or 0. */
static uint64_t address_in(const char *data, size_t size)
{
	struct kc_stats_here here;
	const char *at = memmem(data, size, KC_STATS_HERE, sizeof(here.word));

	if (!at || (size_t)(data + size - at) < sizeof(here))
		return 0;
	memcpy(&here, at, sizeof(here));
	return here.address;
}

/* Adds the module's counters. True if it counts. */
static bool add_module(struct walk *w, int mem, const struct region *region)
{
	size_t size = region->size < MOST_DATA ? (size_t)region->size : MOST_DATA;
	ssize_t n = pread(mem, w->data, size, (off_t)region->start);
	uint64_t address;

	if (n <= 0)
		return false;
	address = address_in(w->data, (size_t)n);
	if (!address)
		return false;
	if (pread(mem, &w->one, sizeof(w->one), (off_t)address) != (ssize_t)sizeof(w->one))
		return false;
	if (kc_stats_fits(&w->one)) {
		kc_stats_add(&w->now.stats, &w->one);
		return true;
	}
	/* A child that has counted nothing yet has no head. */
	w->not_shown->foreign += atomic_load(&w->one.head.magic) != 0;
	return false;
}

/* Opens only the memory of programs with a module, because the kernel may log that. */
static bool count_modules(struct walk *w, FILE *maps)
{
	bool is_refused = false, counts = false;
	KC_FILE *mem = NULL;
	struct region region;
	char *line = NULL;
	size_t size = 0;

	while (!is_refused && getline(&line, &size, maps) > 0) {
		if (!read_region(line, &region))
			continue;
		if (!mem)
			mem = open_of(w->now.pid, "mem");
		is_refused = !mem && (errno == EACCES || errno == EPERM);
		counts |= mem && add_module(w, fileno(mem), &region);
	}
	free(line);
	w->not_shown->refused += is_refused;
	return counts;
}

/* Makes the name printable: a program may use any name. */
static bool read_status(struct kc_running *r)
{
	KC_FILE *status = open_of(r->pid, "status");
	bool has_uid = false;
	char line[128];

	while (status && !has_uid && fgets(line, sizeof(line), status)) {
		unsigned long uid;

		sscanf(line, "Name:%*c%31[^\n]", r->program);
		has_uid = sscanf(line, "Uid: %*u %lu", &uid) == 1;
		r->uid = (uid_t)uid;
	}
	for (char *c = r->program; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return has_uid;
}

static void look_at_process(struct walk *w, pid_t pid)
{
	KC_FILE *maps = open_of(pid, "maps");

	if (!maps) {
		w->not_shown->others += errno == EACCES || errno == EPERM;
		return;
	}
	memset(&w->now, 0, sizeof(w->now));
	w->now.pid = pid;
	if (count_modules(w, maps) && read_status(&w->now))
		w->seen(w->arg, &w->now);
}

void kc_running_walk(kc_running_fn *seen, void *arg, struct kc_not_shown *not_shown)
{
	static struct walk w;
	DIR *d = opendir("/proc");
	const struct dirent *entry;

	*not_shown = (struct kc_not_shown){ 0 };
	w.seen = seen;
	w.arg = arg;
	w.not_shown = not_shown;
	while (d && (entry = readdir(d))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid > 0)
			look_at_process(&w, (pid_t)pid);
	}
	if (d)
		closedir(d);
}
