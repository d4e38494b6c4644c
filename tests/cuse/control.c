/* SPDX-License-Identifier: Apache-2.0 */
/* The control file: its names, and mapping it. */
#include "cuse/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const control_names[CONTROL_COUNT] = {
	[FAIL_AT] = "fail_at",
	[FAIL_EVERY] = "fail_every",
	[FAIL_ERRNO] = "fail_errno",
	[OPEN_ERRNO] = "open_errno",
	[REFUSE_FROM] = "refuse_from",
	[MAX_LIVE] = "max_live",
	[REFUSE_ERRNO] = "refuse_errno",
	[DELAY_MS] = "delay_ms",
	[CORRUPT_FROM] = "corrupt_from",
	[CORRUPT_LEN] = "corrupt_len",
	[FILES_OPENED] = "files_opened",
	[FILES_RELEASED] = "files_released",
	[SESSIONS_ASKED] = "sessions_asked",
	[SESSIONS_OPENED] = "sessions_opened",
	[SESSIONS_CLOSED] = "sessions_closed",
	[SESSIONS_LIVE] = "sessions_live",
	[SESSIONS_UNKNOWN] = "sessions_unknown",
	[REQUESTS] = "requests",
	[COPIED] = "copied",
	[BYTES] = "bytes",
	[FAILED] = "failed",
	[CORRUPTED] = "corrupted",
	[INVALID] = "invalid",
	[IOCTLS_UNKNOWN] = "ioctls_unknown",
};

struct control *control_map(const char *dir, bool make)
{
	struct control *c = MAP_FAILED;
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/control", dir);
	/*
	 * Not truncated: a process that has the old one mapped would be killed by its next access.
	 */
	if (make)
		unlink(path);
	fd = open(path, O_RDWR | O_CLOEXEC | (make ? O_CREAT | O_EXCL : 0), 0666);
	if (fd < 0)
		return NULL;
	if (!make || ftruncate(fd, sizeof(*c)) == 0)
		c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (c == MAP_FAILED)
		return NULL;
	if (make) {
		control_set(c, FAIL_ERRNO, EIO);
		control_set(c, REFUSE_ERRNO, EINVAL);
	}
	return c;
}

uint64_t control_add(struct control *c, enum control_id id, uint64_t n)
{
	return atomic_fetch_add(&c->value[id], n);
}

uint64_t control_get(const struct control *c, enum control_id id)
{
	return atomic_load(&c->value[id]);
}

void control_set(struct control *c, enum control_id id, uint64_t value)
{
	atomic_store(&c->value[id], value);
}
