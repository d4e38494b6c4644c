/* SPDX-License-Identifier: Apache-2.0 */
/* The control file: the names of its values, and its creation. */
#include "cuse/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const names[CONTROL_COUNT] = {
	[FAIL_EVERY] = "fail_every",
	[FAIL_ERRNO] = "fail_errno",
	[OPEN_ERRNO] = "open_errno",
	[REFUSE_FROM] = "refuse_from",
	[MAX_LIVE] = "max_live",
	[REFUSE_ERRNO] = "refuse_errno",
	[DELAY_MS] = "delay_ms",
	[CORRUPT_FROM] = "corrupt_from",
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

struct control *control_make(const char *dir)
{
	struct control *c = MAP_FAILED;
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/control", dir);
	/*
	 * Not truncated: a process that has mapped the old file would be killed by its next access.
	 */
	unlink(path);
	fd = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0666);
	if (fd < 0)
		return NULL;
	if (ftruncate(fd, sizeof(*c)) == 0)
		c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (c == MAP_FAILED)
		return NULL;
	for (enum control_id id = 0; id < CONTROL_COUNT; id++)
		snprintf(c->row[id].name, sizeof(c->row[id].name), "%s", names[id]);
	atomic_store(&c->row[FAIL_ERRNO].value, EIO);
	atomic_store(&c->row[REFUSE_ERRNO].value, EINVAL);
	return c;
}

uint64_t control_add(struct control *c, enum control_id id, uint64_t n)
{
	return atomic_fetch_add(&c->row[id].value, n);
}

uint64_t control_get(const struct control *c, enum control_id id)
{
	return atomic_load(&c->row[id].value);
}
