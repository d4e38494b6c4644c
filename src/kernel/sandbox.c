/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A filter cannot be read, and many kill for calls that they do not know; systemd's do by default.
 * So under any filter nothing new is tried, unless the administrator vouches for the filters that
 * the process had when it loaded us, such as a container's. Only then are filters counted at load,
 * because reading that file takes as long as the rest of loading. We ask by opening a file.
 * Sandboxes that know libraries refuse that with an errno, which is an answer, too. A filter that
 * kills even for that cannot be detected: every question is a system call.
 */
#include "core/backend.h"

#include <stdatomic.h>
#include <string.h>

#include "core/alg.h"
#include "core/process.h"
#include "discovery/lines.h"

/* Values in place of a number of filters. */
#define UNCOUNTED (-1) /* there are some, or it can't tell */
#define NOT_NOTED (-2)

static KC_AT_LOAD atomic_long noted = NOT_NOTED; /* at first load, if the administrator vouches */
static atomic_bool trusted;			 /* trust the noted filters */

/* Returns the number after @key; -1: this is not its line. */
static long number_after(const char *key, const char *line)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) != 0)
		return -1;
	return (long)kc_decimal(line + len);
}

/*
 * A kernel without seccomp has neither line; before 5.9 there is only the first, the mode: 0 for
 * none.
 */
static void take_status_line(void *arg, const char *line, size_t len)
{
	long mode = number_after("Seccomp:\t", line), n = number_after("Seccomp_filters:\t", line);
	long *filters = arg;

	(void)len;
	if (mode == 0)
		*filters = 0;
	if (mode > 0)
		*filters = UNCOUNTED;
	if (n > 0)
		*filters = n;
}

/* Filters belong to a thread; /proc/self would show the first thread's. */
static long count_filters(void)
{
	long filters = 0;

	if (kc_lines_read("/proc/thread-self/status", take_status_line, &filters) != 0)
		return UNCOUNTED;
	return filters;
}

KC_RUNS_AT_LOAD void kc_sandbox_loaded(bool is_trusted)
{
	long none = NOT_NOTED, filters = UNCOUNTED;

	if (atomic_load(&noted) != none)
		return;
	if (is_trusted)
		filters = count_filters();
	atomic_compare_exchange_strong(&noted, &none, filters);
}

void kc_sandbox_trust(void)
{
	atomic_store(&trusted, true);
}

bool kc_sandbox_permits(void)
{
	long filters = count_filters();

	if (filters == 0)
		return true;
	if (filters < 0)
		return false;
	/* The tool is not loaded as a module, so this is its first call. */
	kc_sandbox_loaded(true);
	if (!atomic_load(&trusted))
		return false;
	return filters == atomic_load(&noted);
}
