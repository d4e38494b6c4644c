/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first request after a device has rested: the kernel suspends an idle device after some time,
 * and what its driver forgets to set up again is missing then.
 */
#include "cli/selftest/selftest.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "core/clock.h"

#define LONGEST	   5000 /* ms: for a device that rests later, it does not wait */
#define STEP	   100	/* ms: between two looks */
#define NS_PER_MS  1000000
#define MODULE_MAX 64

/* Finds the module of a driver in the kernel's list. False: it is built in, or not listed. */
static bool find_module(const char *driver, char module[MODULE_MAX])
{
	KC_FILE *file = fopen("/proc/crypto", "re");
	char line[256], name[KC_DRIVER_NAME_SIZE] = "";

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "driver : %63s", name);
		if (sscanf(line, "module : %63s", module) == 1 && strcmp(name, driver) == 0)
			return strcmp(module, "kernel") != 0;
	}
	return false;
}

/* Reads a word in a device's directory power; "": there is none. */
static void read_word(const char *power, const char *name, char word[16])
{
	char path[PATH_MAX];
	KC_FILE *file;

	snprintf(path, sizeof(path), "%s/%s", power, name);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%15s", word) != 1)
		*word = '\0';
}

/* Returns the ms until the device rests; 0: it does not rest by itself. */
static unsigned delay_of(const char *power)
{
	char control[16], delay[16];
	long ms;

	read_word(power, "control", control);
	read_word(power, "autosuspend_delay_ms", delay);
	ms = strtol(delay, NULL, 10);
	if (strcmp(control, "auto") == 0 && ms > 0)
		return (unsigned)ms;
	return 0;
}

/* The state of a module's devices that rest by themselves. */
struct devices {
	unsigned longest; /* ms until they rest; 0: there are none */
	bool is_awake;	  /* one does not rest now */
};

static struct devices look_at(const char *module)
{
	char pattern[MODULE_MAX + 64], status[16];
	struct devices found = { 0 };
	glob_t dirs;

	snprintf(pattern, sizeof(pattern), "/sys/module/%s/drivers/*/*/power", module);
	if (glob(pattern, 0, NULL, &dirs) != 0)
		return found;
	for (size_t i = 0; i < dirs.gl_pathc; i++) {
		unsigned ms = delay_of(dirs.gl_pathv[i]);

		if (!ms)
			continue;
		read_word(dirs.gl_pathv[i], "runtime_status", status);
		found.longest = ms > found.longest ? ms : found.longest;
		found.is_awake |= strcmp(status, "suspended") != 0;
	}
	globfree(&dirs);
	return found;
}

/* One algorithm stands for all of a device. */
static bool is_asked_before(const struct kc_exam *e, const char *module)
{
	char other[MODULE_MAX];

	for (size_t i = 0; e->all->candidate[i] != e->candidate; i++)
		if (e->all->candidate[i]->backend == e->candidate->backend &&
		    find_module(e->all->candidate[i]->driver, other) && strcmp(other, module) == 0)
			return true;
	return false;
}

static void wait_ms(unsigned ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (nanosleep(&t, &t) != 0)
		;
}

static bool has_time(const struct kc_exam *e, unsigned ms)
{
	return kc_now_ns() + (uint64_t)ms * NS_PER_MS < e->end;
}

/* Does not wait for ever: another program may use the device. */
static void wait_for_rest(const struct kc_exam *e, const char *module, unsigned ms)
{
	wait_ms(ms + STEP);
	for (ms = 0; ms < LONGEST && look_at(module).is_awake && has_time(e, STEP); ms += STEP)
		wait_ms(STEP);
}

bool kc_ask_rested(struct kc_exam *e)
{
	struct kc_question q = { .len = kc_exam_fit(e, 4096) };
	char module[MODULE_MAX] = "";
	unsigned ms;

	if (!find_module(e->candidate->driver, module))
		return kc_exam_find(e, KC_NOT_ASKED, "its device is not known");
	if (is_asked_before(e, module))
		return kc_exam_find(e, KC_NOT_ASKED, "it was, with another algorithm");
	ms = look_at(module).longest;
	if (!ms || ms > LONGEST)
		return kc_exam_find(e, KC_NOT_ASKED, "its device does not rest within %d s",
				    LONGEST / 1000);
	if (!has_time(e, ms + 2 * STEP)) {
		atomic_fetch_add(&e->shared->left_out, 1);
		return true;
	}
	if (!kc_exam_ask_both(e, q))
		return false;
	wait_for_rest(e, module, ms);
	/* Its part of the time was spent on the wait. */
	e->until = e->end;
	return kc_exam_ask_both(e, q);
}
