/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the kernel by opening a file, which a sandbox refuses with an errno where it would kill
 * for a socket. A process that was born in a container's filter has it from the start and may go
 * on; one that gets a further filter after load may not. No answer means no.
 */
#include "kernel/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct state {
	bool known;
	long mode;    /* 0 none, 1 strict, 2 filter */
	long filters; /* -1 where the kernel (before 5.9) does not count them */
};

static struct state noted;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static long field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? strtol(at + strlen(name), NULL, 10) : -1;
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
	s.mode = field(text, "\nSeccomp:");
	s.filters = field(text, "\nSeccomp_filters:");
	s.known = s.mode >= 0;
	return s;
}

static void note(void)
{
	noted = look();
}

void kc_sandbox_note(void)
{
	pthread_once(&once, note);
}

bool kc_sandbox_as_noted(void)
{
	struct state now = look();

	kc_sandbox_note();
	return noted.known && now.known && now.mode == noted.mode && now.filters == noted.filters &&
	       (now.mode == 0 || now.filters >= 0);
}
