/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A socket's id is its inode. All open files of a device have the same inode, so each gets a signal
 * number, which the kernel keeps with the open file and nothing here uses.
 */
#include "integration/lives/sessions.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIGNALS 63

static unsigned long id_of_file(int fd)
{
	static int last;
	int id = fcntl(fd, F_GETSIG);

	if (id == 0) {
		id = last++ % SIGNALS + 1;
		fcntl(fd, F_SETSIG, id);
	}
	return (unsigned long)id;
}

static bool is_session(int fd, unsigned long *id)
{
	char path[32], link[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, link, sizeof(link) - 1) <= 0)
		return false;
	if (sscanf(link, "socket:[%lu]", id) == 1)
		return true;
	if (strcmp(link, "/dev/crypto") != 0 && strcmp(link, "/dev/kcrypto") != 0)
		return false;
	*id = id_of_file(fd);
	return true;
}

struct sessions sessions(void)
{
	struct sessions s = { .n = 0 };
	DIR *dir = opendir("/proc/self/fd"); /* which lists them by number */
	struct dirent *e;

	if (!dir)
		abort();
	while ((e = readdir(dir)) && s.n < sizeof(s.fd) / sizeof(s.fd[0])) {
		int fd = atoi(e->d_name);

		if (e->d_name[0] != '.' && is_session(fd, &s.id[s.n]))
			s.fd[s.n++] = fd;
	}
	closedir(dir);
	return s;
}

size_t descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	if (!dir)
		abort();
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 3; /* without . and .., and the directory itself */
}

size_t sessions_in_common(const struct sessions *a, const struct sessions *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			n += a->id[i] == b->id[j];
	return n;
}
