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

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/alg.h"
#include "core/process.h"
#include "discovery/lines.h"

struct state {
	bool known;
	long mode;    /* 0 none, 1 strict, 2 filter */
	long filters; /* -1 if the kernel (before 5.9) does not count them */
};

static struct state noted;  /* at first load, if the administrator vouches; else unknown */
static atomic_bool trusted; /* the noted state */
static KC_AT_LOAD pthread_once_t once = PTHREAD_ONCE_INIT;

/* The number after @key, if this is its line. */
static void take_number(long *number, const char *key, const char *line)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) == 0)
		*number = (long)kc_decimal(line + len);
}

/* A kernel without seccomp has none of these lines. */
static void take_line(void *arg, const char *line, size_t len)
{
	struct state *state = arg;

	(void)len;
	take_number(&state->mode, "Seccomp:\t", line);
	take_number(&state->filters, "Seccomp_filters:\t", line);
}

/* Filters belong to a thread; /proc/self would show the first thread's. */
static struct state look(void)
{
	struct state state = { .filters = -1 };

	state.known = kc_lines_read("/proc/thread-self/status", take_line, &state) == 0;
	return state;
}

static KC_RUNS_AT_LOAD void note(void)
{
	noted = look();
}

static KC_RUNS_AT_LOAD void note_nothing(void)
{
}

KC_RUNS_AT_LOAD void kc_sandbox_loaded(bool is_trusted)
{
	pthread_once(&once, is_trusted ? note : note_nothing);
}

static bool is_trusted_state(const struct state *now)
{
	/* The tool is not loaded as a module. */
	pthread_once(&once, note);
	return atomic_load(&trusted) && noted.known && now->mode == noted.mode &&
	       now->filters == noted.filters && now->filters >= 0;
}

/* Where nothing tells, as without /proc, nothing is tried. */
bool kc_sandbox_permits(void)
{
	struct state now = look();

	return now.known && (now.mode == 0 || is_trusted_state(&now));
}

bool kc_sandbox_is_shut(bool is_trusted)
{
	if (is_trusted)
		atomic_store(&trusted, true);
	return !kc_sandbox_permits();
}
