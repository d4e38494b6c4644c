/* SPDX-License-Identifier: Apache-2.0 */
/* Adds to counters and reads them; makes, checks, maps and reads memory files with tables. */
#include "stats/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_head(struct kc_stats_head *head)
{
	head->rows = KC_ALG_COUNT;
	head->row_size = sizeof(struct kc_stats_row);
	memset(head->name, 0, sizeof(head->name));
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		strcpy(head->name[i], kc_alg_name(&kc_algs[i]));
	atomic_store(&head->magic, KC_STATS_MAGIC);
}

/* The magic number while a head is being written. */
#define BEGUN 1

void kc_stats_begin(struct kc_stats *stats)
{
	uint32_t none = 0;

	if (atomic_compare_exchange_strong(&stats->head.magic, &none, BEGUN))
		write_head(&stats->head);
}

bool kc_stats_fits(const struct kc_stats *stats)
{
	struct kc_stats_head ours;

	write_head(&ours);
	return memcmp(&ours, &stats->head, sizeof(ours)) == 0;
}

void kc_count_add(struct kc_count *count, uint64_t n)
{
	uint32_t low = (uint32_t)n, high = (uint32_t)(n >> 32);
	uint32_t before = atomic_fetch_add_explicit(&count->low, low, memory_order_relaxed);

	high += before + low < before;
	if (high)
		atomic_fetch_add_explicit(&count->high, high, memory_order_relaxed);
}

uint64_t kc_count_read(const struct kc_count *count)
{
	uint64_t high = atomic_load_explicit(&count->high, memory_order_relaxed);

	return high << 32 | atomic_load_explicit(&count->low, memory_order_relaxed);
}

void kc_stats_add(struct kc_stats *to, const struct kc_stats *from)
{
	struct kc_count *sum = (struct kc_count *)(void *)to->row;
	const struct kc_count *count = (const struct kc_count *)(const void *)from->row;

	for (size_t i = 0; i < sizeof(to->row) / (sizeof(*sum)); i++)
		kc_count_add(&sum[i], kc_count_read(&count[i]));
}

const enum kc_reason kc_stats_reasons[KC_STATS_ERRORS] = {
	[KC_STATS_OPEN_FAILED] = KC_OPEN_FAILED,
	[KC_STATS_REQUEST_FAILED] = KC_REQUEST_FAILED,
	[KC_STATS_WRONG_ANSWER] = KC_WRONG_ANSWER,
	[KC_STATS_LIED] = KC_LIED,
};

uint64_t kc_stats_errors_of(const struct kc_stats_backend *backend, enum kc_stats_error which)
{
	return kc_count_read(&backend->error[which]);
}

struct kc_stats_sum kc_stats_sum(const struct kc_stats_row *row)
{
	struct kc_stats_sum sum = { 0, 0, 0, 0 };

	for (unsigned i = 0; i < KC_MAX_BACKENDS; i++) {
		const struct kc_stats_backend *w = &row->backend[i];

		sum.requests += kc_count_read(&w->work.requests);
		sum.bytes += kc_count_read(&w->work.bytes);
		sum.failed += kc_stats_errors_of(w, KC_STATS_REQUEST_FAILED);
		sum.lied += kc_stats_errors_of(w, KC_STATS_LIED);
	}
	return sum;
}

/* The variable's value that has the effect of the configuration's key. */
#define YES "yes"

/* Bytes: more than any table, so that the maker of a file need not know the table. */
#define FILE_SIZE 65536
_Static_assert(sizeof(struct kc_stats) <= FILE_SIZE, "a table fits");

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

const char *kc_stats_named(void)
{
	const char *path = secure_getenv("KCRYPTO_STATS");

	if (!path || !*path || strcmp(path, YES) == 0)
		return NULL;
	return path;
}

bool kc_stats_asked_for(void)
{
	const char *word = secure_getenv("KCRYPTO_STATS");

	if (!word)
		return false;
	return strcmp(word, YES) == 0;
}

/*
 * Only memory files have seals. All pages must be allocated: full memory would raise SIGBUS, too.
 */
static bool is_safe(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	if (seals < 0 || !(seals & F_SEAL_SHRINK))
		return false;
	if (fstat(fd, &st) != 0 || st.st_uid != geteuid())
		return false;
	return st.st_size >= FILE_SIZE && st.st_blocks * 512 >= FILE_SIZE;
}

/* NULL: the file is not safe, or can't be mapped. */
static struct kc_stats *map_named(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct kc_stats *s = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (is_safe(fd))
		s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (s == MAP_FAILED)
		return NULL;
	return s;
}

struct kc_stats *kc_stats_map(const char *path)
{
	struct kc_stats *s = map_named(path);

	if (!s)
		return NULL;
	kc_stats_begin(s);
	/* Another process began the head, and may be slow or dead. */
	if (atomic_load(&s->head.magic) == BEGUN)
		write_head(&s->head);
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
	struct kc_stats *s = NULL;
	bool fits;

	if (path)
		s = map_named(path);
	if (!s)
		return false;
	fits = kc_stats_fits(s);
	if (fits)
		memcpy(stats, s, sizeof(*stats));
	kc_stats_unmap(s);
	return fits;
}
