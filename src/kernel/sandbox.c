/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A filter cannot be read, and many kill for calls they do not know; systemd's do by default. So
 * under any filter nothing new is tried, unless the administrator vouches for the filters that the
 * process had when it loaded us, such as a container's. The filters are examined at load only in
 * that case, because opening and reading the file takes as long as the rest of loading. We ask by
 * opening a file, which sandboxes that know libraries refuse with an errno; that is an answer, too.
 * A filter that kills even for that cannot be detected: every question is a system call.
 */
#include "core/backend.h"

#include <stdatomic.h>
#include <string.h>

#include "core/alg.h"
#include "core/process.h"
#include "discovery/lines.h"

/* In place of a number of filters. */
#define UNCOUNTED (-1) /* there are some, or there is no telling */
#define NOT_NOTED (-2)

static KC_AT_LOAD atomic_long noted = NOT_NOTED; /* at first load, if the administrator vouches */
static atomic_bool trusted;			 /* the noted filters */

/* The number after @key; -1: this is not its line. */
static long number_after(const char *key, const char *line)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) != 0)
		return -1;
	return (long)kc_decimal(line + len);
}

/*
 * A kernel without seccomp has neither line, one before 5.9 only the first: the mode, 0 for none.
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
	/* The tool is not loaded as a module. */
	kc_sandbox_loaded(true);
	if (!atomic_load(&trusted))
		return false;
	return filters == atomic_load(&noted);
}
