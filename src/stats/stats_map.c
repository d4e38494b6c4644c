/* SPDX-License-Identifier: Apache-2.0 */
/* Makes, checks and maps a file. Only the mapping stays. */
#include "stats/stats_map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stats/stats_dir.h"
#include "stats/stats_read.h"

/* On systems whose time is always 64 bits. */
#ifndef SYS_futex
#define SYS_futex SYS_futex_time64
#endif

#define FLAGS (O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

/* From linux/futex.h: FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, and its operations. */
#define WAKE_OP (5 | 128)
enum operation { SET, ADD };

/* Nothing waits at @at, so the call wakes nothing and only does the operation. @n: at most 2047. */
static void by_kernel(void *at, enum operation op, uint32_t n)
{
	int saved_errno = errno;

	syscall(SYS_futex, at, WAKE_OP, 0, 0, at, (uint32_t)op << 28 | n << 12);
	errno = saved_errno;
}

void kc_stats_map_add(void *at, uint32_t n)
{
	by_kernel(at, ADD, n);
}

/* Growing a file beyond the limit raises a signal. */
static bool may_have(off_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= (rlim_t)size;
}

/* @started: as in the file; 0 in one that processes share. */
static struct kc_stats_head head_since(uint64_t started)
{
	struct kc_stats_head head = {
		.magic = KC_STATS_MAGIC,
		.rows = KC_ALG_COUNT,
		.row_size = sizeof(struct kc_stats_row),
		.started = { (uint32_t)started, (uint32_t)(started >> 32) },
	};

	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		kc_alg_name(&kc_algs[i], head.name[i], sizeof(head.name[i]));
	return head;
}

/*
 * Makes an empty or all-zero file one of ours. Another process may be doing the same. 1: it is one
 * of ours; 0: it can't be; -1: it belongs to an earlier process or another version.
 */
static int make_ready(int fd, off_t size, const struct kc_stats_head *like)
{
	const size_t head = sizeof(*like);
	char is[offsetof(struct kc_stats_head, name)] = "";

	if (size == 0 &&
	    (!may_have(sizeof(struct kc_stats)) || ftruncate(fd, sizeof(struct kc_stats)) != 0))
		return 0;
	if (size != 0 && size != (off_t)sizeof(struct kc_stats))
		return -1;
	if (pread(fd, is, sizeof(is), 0) != (ssize_t)sizeof(is))
		return 0;
	if (is[0] == '\0')
		return may_have(head) && pwrite(fd, like, head, 0) == (ssize_t)head;
	return memcmp(is, like, sizeof(is)) == 0 ? 1 : -1;
}

static struct kc_stats *map(int fd, const struct kc_stats_head *like, int *is_ready)
{
	struct kc_stats *s;
	off_t size;

	*is_ready = kc_stats_file_fits(fd, geteuid(), &size) ? make_ready(fd, size, like) : -1;
	if (*is_ready != 1)
		return NULL;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s == MAP_FAILED)
		return NULL;
	by_kernel(&s->order, SET, 1);
	return s;
}

struct kc_stats *kc_stats_map_named(const char *path)
{
	const struct kc_stats_head like = head_since(0);
	int fd = open(path, O_RDWR | O_CREAT | FLAGS, 0600), is_ready;
	struct kc_stats *page = fd >= 0 ? map(fd, &like, &is_ready) : NULL;

	if (fd >= 0)
		close(fd);
	return page;
}

/* A file with this process's number that is not its own belongs to a dead process. */
static struct kc_stats *map_in(int dir, const struct kc_stats_head *like)
{
	struct kc_stats *page = NULL;
	int is_ready = -1;

	for (int i = 0; i < 2 && is_ready < 0; i++) {
		int fd = kc_stats_dir_file(dir);

		if (fd >= 0) {
			page = map(fd, like, &is_ready);
			close(fd);
		}
		if (is_ready < 0)
			kc_stats_dir_drop(dir);
	}
	return page;
}

struct kc_stats *kc_stats_map_own(bool cleans)
{
	uint64_t started = kc_stats_started(0);
	const struct kc_stats_head like = head_since(started);
	struct kc_stats *page = NULL;
	int dir = started ? kc_stats_dir_open() : -1;

	if (dir < 0)
		return NULL;
	if (cleans)
		kc_stats_dir_clean(dir);
	page = map_in(dir, &like);
	close(dir);
	return page;
}
