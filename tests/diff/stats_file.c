/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the file and maps it; its name is removed with the process. */
#include "stats_file.h"
#include "stats/stats_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct kc_stats *mapped;
static char path[256];

static void remove_file(void)
{
	unlink(path);
}

void stats_file_make(void)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	snprintf(path, sizeof(path), "%s/kcrypto-stats-XXXXXX", dir ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0 || ftruncate(fd, sizeof(*mapped)) != 0) {
		perror(path);
		exit(1);
	}
	atexit(remove_file);
	mapped = mmap(NULL, sizeof(*mapped), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (mapped == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	setenv("KCRYPTO_STATS", path, 1);
}

const struct kc_stats *stats_file_read(void)
{
	static struct kc_stats now;

	/* As it is, but where an emulator counts: no thread has room for a copy of its own. */
	if (mapped->order == 1)
		return mapped;
	memcpy(&now, mapped, sizeof(now));
	kc_stats_arrange(&now);
	return &now;
}
