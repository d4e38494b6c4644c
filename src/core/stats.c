/* SPDX-License-Identifier: Apache-2.0 */
/* The counters: relaxed atomics in one block of memory, private or a mapped file. */
#include "core/stats.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct kc_stats own;
static struct kc_stats *_Atomic stats = &own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users; /* under the lock */

static void fill(struct kc_stats *s)
{
	memcpy(s->magic, KC_STATS_MAGIC, sizeof(s->magic));
	s->rows = KC_ALG_COUNT;
	s->row_size = sizeof(s->row[0]);
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		kc_alg_name(&kc_algs[i], s->row[i].name, sizeof(s->row[i].name));
}

/* A file of ours or an empty one; anything else is somebody's and stays as it is. */
static struct kc_stats *map(int fd)
{
	struct stat st;
	struct kc_stats *s;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	if (st.st_size != 0 && st.st_size != (off_t)sizeof(*s))
		return NULL;
	if (st.st_size == 0 && ftruncate(fd, sizeof(*s)) != 0)
		return NULL;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s == MAP_FAILED)
		return NULL;
	if (st.st_size != 0 && memcmp(s->magic, KC_STATS_MAGIC, sizeof(s->magic)) != 0 &&
	    s->magic[0] != '\0') {
		munmap(s, sizeof(*s));
		return NULL;
	}
	return s;
}

static void open_file(void)
{
	const char *path = secure_getenv("KCRYPTO_STATS");
	struct kc_stats *s = NULL;
	int fd;

	if (path && *path) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
		if (fd >= 0) {
			s = map(fd);
			close(fd);
		}
	}
	if (s)
		atomic_store(&stats, s);
	fill(atomic_load(&stats));
}

void kc_stats_open(void)
{
	pthread_mutex_lock(&lock);
	if (users++ == 0)
		open_file();
	pthread_mutex_unlock(&lock);
}

/* The module may be unloaded after this, and would leave the mapping behind. */
void kc_stats_close(void)
{
	struct kc_stats *s;

	pthread_mutex_lock(&lock);
	if (--users == 0) {
		s = atomic_exchange(&stats, &own);
		if (s != &own)
			munmap(s, sizeof(*s));
	}
	pthread_mutex_unlock(&lock);
}

static void add(struct kc_count *count, uint32_t n)
{
	uint32_t before = atomic_fetch_add_explicit(&count->low, n, memory_order_relaxed);

	if ((uint32_t)(before + n) < before)
		atomic_fetch_add_explicit(&count->high, 1, memory_order_relaxed);
}

void kc_stats_done(const struct kc_alg *alg, size_t bytes)
{
	struct kc_stats_row *row = &atomic_load(&stats)->row[alg - kc_algs];

	add(&row->requests, 1);
	add(&row->bytes, (uint32_t)bytes);
}

void kc_stats_redone(const struct kc_alg *alg)
{
	add(&atomic_load(&stats)->row[alg - kc_algs].redone, 1);
}

void kc_stats_wrong(const struct kc_alg *alg, unsigned way)
{
	add(&atomic_load(&stats)->row[alg - kc_algs].wrong[way], 1);
}

uint64_t kc_count_read(const struct kc_count *count)
{
	uint64_t high = atomic_load_explicit(&count->high, memory_order_relaxed);

	return high << 32 | atomic_load_explicit(&count->low, memory_order_relaxed);
}

const struct kc_stats *kc_stats_peek(void)
{
	const char *path = secure_getenv("KCRYPTO_STATS");

	if (!path || access(path, R_OK | W_OK) != 0)
		return NULL;
	kc_stats_open();
	return atomic_load(&stats) == &own ? NULL : atomic_load(&stats);
}

const struct kc_stats *kc_stats_get(void)
{
	return atomic_load(&stats);
}
