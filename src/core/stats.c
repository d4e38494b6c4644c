/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters: relaxed atomics in this process's memory, and the same once more in a mapped file.
 * There the kernel adds: a store of our own would be SIGBUS where somebody has emptied the file or
 * the disk is full, and a descriptor kept for writing could become somebody else's.
 */
#include "core/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where time has 64 bits only. */
#ifndef SYS_futex
#define SYS_futex SYS_futex_time64
#endif

static struct kc_stats own;
static struct kc_stats *_Atomic shared; /* the mapped file, or NULL */
static unsigned users;			/* under the callers' lock */

static void fill(struct kc_stats *s)
{
	memcpy(s->magic, KC_STATS_MAGIC, sizeof(s->magic));
	s->rows = KC_ALG_COUNT;
	s->row_size = sizeof(s->row[0]);
	s->order = 1;
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		kc_alg_name(&kc_algs[i], s->name[i], sizeof(s->name[i]));
}

/* Of linux/futex.h: FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, and its operations. */
#define WAKE_OP (5 | 128)
enum operation { SET, ADD };

/* Nobody waits at @at, so nobody wakes: what is left is the operation. @n: at most 2047. */
static void by_kernel(void *at, enum operation op, uint32_t n)
{
	int saved_errno = errno;

	syscall(SYS_futex, at, WAKE_OP, 0, 0, at, (uint32_t)op << 28 | n << 12);
	errno = saved_errno;
}

/* A file of which nobody else can say what is in it. */
static bool is_ours(int fd, off_t *size)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	*size = st.st_size;
	return st.st_uid == geteuid() && st.st_nlink == 1 && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* To grow beyond the limit is a signal. */
static bool may_have(off_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= (rlim_t)size;
}

/* Makes an empty file, or one of zeros, one of ours. Another process may be at it too. */
static bool make_ready(int fd, off_t size)
{
	const size_t head = offsetof(struct kc_stats, order);
	char magic[sizeof(own.magic)] = "";

	if (size == 0 && (!may_have(sizeof(own)) || ftruncate(fd, sizeof(own)) != 0))
		return false;
	if (size != 0 && size != (off_t)sizeof(own))
		return false;
	if (pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic))
		return false;
	if (magic[0] == '\0')
		return may_have(head) && pwrite(fd, &own, head, 0) == (ssize_t)head;
	return memcmp(magic, own.magic, sizeof(magic)) == 0;
}

static struct kc_stats *map(int fd)
{
	struct kc_stats *s;
	off_t size;

	if (!is_ours(fd, &size) || !make_ready(fd, size))
		return NULL;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s == MAP_FAILED)
		return NULL;
	by_kernel(&s->order, SET, 1);
	return s;
}

static int open_file(int flags)
{
	const char *path = secure_getenv("KCRYPTO_STATS");

	if (!path || !*path)
		return -1;
	return open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
}

static void open_shared(void)
{
	int fd = open_file(O_RDWR | O_CREAT);

	fill(&own);
	if (fd < 0)
		return;
	atomic_store(&shared, map(fd));
	close(fd);
}

void kc_stats_open(void)
{
	if (users++ == 0)
		open_shared();
}

/* The module may be unloaded after this, and would leave the mapping behind. */
void kc_stats_close(void)
{
	struct kc_stats *s;

	if (--users == 0) {
		s = atomic_exchange(&shared, NULL);
		if (s)
			munmap(s, sizeof(*s));
	}
}

_Static_assert(KC_MAX_REQUEST < 1 << 4 * KC_COUNT_DIGITS, "a request's bytes can be counted");

/* @count: one of own. */
static void add(struct kc_count *count, size_t n)
{
	char *file = (char *)atomic_load_explicit(&shared, memory_order_relaxed);
	size_t offset = (size_t)((char *)count->digit - (char *)&own);

	for (size_t k = 0; n; k++, n >>= 4, offset += sizeof(count->digit[0])) {
		uint32_t digit = n & 15;

		if (!digit)
			continue;
		atomic_fetch_add_explicit(&count->digit[k], digit, memory_order_relaxed);
		if (file)
			by_kernel(file + offset, ADD, digit);
	}
}

void kc_stats_done(const struct kc_alg *alg, size_t bytes)
{
	struct kc_stats_row *row = &own.row[alg - kc_algs];

	add(&row->requests, 1);
	add(&row->bytes, bytes);
}

void kc_stats_redone(const struct kc_alg *alg)
{
	add(&own.row[alg - kc_algs].redone, 1);
}

void kc_stats_wrong(const struct kc_alg *alg, unsigned way)
{
	add(&own.row[alg - kc_algs].wrong[way], 1);
}

const struct kc_stats *kc_stats_get(void)
{
	return &own;
}

uint64_t kc_count_read(const struct kc_count *count)
{
	uint64_t sum = 0;

	for (size_t k = KC_COUNT_DIGITS; k-- > 0;)
		sum = (sum << 4) + atomic_load_explicit(&count->digit[k], memory_order_relaxed);
	return sum;
}

void kc_stats_arrange(struct kc_stats *stats)
{
	_Atomic uint32_t *digit = stats->row[0].requests.digit;

	const size_t n = KC_ALG_COUNT * sizeof(stats->row[0]) / sizeof(*digit);

	for (size_t i = 0; stats->order != 1 && i < n; i++)
		digit[i] = __builtin_bswap32(digit[i]);
	stats->order = 1;
}

bool kc_stats_read(struct kc_stats *stats)
{
	int fd = open_file(O_RDONLY);
	off_t size;
	bool ok;

	if (fd < 0)
		return false;
	ok = is_ours(fd, &size) && pread(fd, stats, sizeof(*stats), 0) == (ssize_t)sizeof(*stats) &&
	     memcmp(stats->magic, KC_STATS_MAGIC, sizeof(stats->magic)) == 0;
	close(fd);
	if (ok)
		kc_stats_arrange(stats);
	return ok;
}
