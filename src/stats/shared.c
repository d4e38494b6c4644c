/* SPDX-License-Identifier: Apache-2.0 */
/* Makes, checks, maps and reads memory files with counters. */
#include "stats/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The value of the variable that has the effect of the configuration's key. */
#define YES "yes"

/* Of a file; more than any table, so that what makes one need not know the table. */
#define FILE_SIZE 65536
_Static_assert(sizeof(struct kc_stats) <= FILE_SIZE, "a table fits");

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

const char *kc_stats_named(void)
{
	const char *path = secure_getenv("KCRYPTO_STATS");

	return path && *path && strcmp(path, YES) != 0 ? path : NULL;
}

bool kc_stats_asked_for(void)
{
	const char *word = secure_getenv("KCRYPTO_STATS");

	return word && strcmp(word, YES) == 0;
}

/* Only memory files have seals. Its pages must be there: a full memory would raise SIGBUS, too. */
static bool is_safe(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	return seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(fd, &st) == 0 &&
	       st.st_uid == geteuid() && st.st_size >= FILE_SIZE && st.st_blocks * 512 >= FILE_SIZE;
}

/* NULL: it is not one of ours. */
static struct kc_stats *map_named(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct kc_stats *s = MAP_FAILED;

	if (fd >= 0 && is_safe(fd))
		s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return s == MAP_FAILED ? NULL : s;
}

struct kc_stats *kc_stats_map(const char *path)
{
	struct kc_stats *s = map_named(path);

	if (!s)
		return NULL;
	kc_stats_begin_shared(s);
	if (kc_stats_fits(s))
		return s;
	kc_stats_unmap(s);
	return NULL;
}

void kc_stats_unmap(struct kc_stats *stats)
{
	munmap(stats, sizeof(*stats));
}

int kc_stats_make(char path[KC_STATS_PATH])
{
	int fd = memfd_create("kcrypto-counters", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	errno = posix_fallocate(fd, 0, FILE_SIZE);
	if (errno || fcntl(fd, F_ADD_SEALS, SEALS) != 0) {
		close(fd);
		return -1;
	}
	snprintf(path, KC_STATS_PATH, "/proc/%ld/fd/%d", (long)getpid(), fd);
	return fd;
}

bool kc_stats_read(struct kc_stats *stats)
{
	const char *path = kc_stats_named();
	struct kc_stats *s = path ? map_named(path) : NULL;
	bool fits = s && kc_stats_fits(s);

	if (fits)
		memcpy(stats, s, sizeof(*stats));
	if (s)
		kc_stats_unmap(s);
	return fits;
}
