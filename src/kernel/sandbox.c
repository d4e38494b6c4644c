/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A filter cannot be read, and many kill for calls they do not know; systemd's do by default. So
 * under any filter nothing new is tried, unless the administrator vouches for the filters that the
 * process had when it loaded us, such as a container's. The filters are examined at load only in
 * that case, because opening and reading the file takes as long as the rest of loading. We ask by
 * opening a file, which sandboxes that know libraries refuse with an errno. A filter that kills
 * even for that cannot be detected: every question is a system call.
 */
#include "kernel/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alg.h"
#include "core/process.h"

struct state {
	bool known;
	long mode;    /* 0 none, 1 strict, 2 filter */
	long filters; /* -1 if the kernel (before 5.9) does not count them */
};

static struct state noted;  /* at first load, if the administrator vouches; else unknown */
static atomic_bool trusted; /* the noted state */
static KC_AT_LOAD pthread_once_t once = PTHREAD_ONCE_INIT;

static long field(const char *status, const char *name)
{
	const char *end = status + strlen(status);
	size_t len = strlen(name);

	while (status && (*status != *name || strncmp(status, name, len) != 0)) {
		status = memchr(status, '\n', (size_t)(end - status));
		status += status != NULL;
	}
	return status ? (long)kc_decimal(status + len) : -1;
}

/* Filters belong to a thread; /proc/self would show the first thread's. */
static struct state look(void)
{
	struct state s = { .known = false };
	char text[4096];
	ssize_t n;
	int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return s;
	do {
		n = read(fd, text, sizeof(text) - 1);
	} while (n < 0 && errno == EINTR);
	close(fd);
	if (n <= 0)
		return s;
	text[n] = '\0';
	s.mode = field(text, "Seccomp:");
	s.filters = field(text, "Seccomp_filters:");
	s.known = s.mode >= 0;
	return s;
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

bool kc_sandbox_is_shut(bool is_trusted)
{
	struct state now = look();

	if (is_trusted)
		atomic_store(&trusted, true);
	return now.known && now.mode != 0 && !is_trusted_state(&now);
}

bool kc_sandbox_permits(void)
{
	struct state now = look();

	return now.known && (now.mode == 0 || is_trusted_state(&now));
}
