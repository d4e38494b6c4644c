/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of counters. */
#include "stats/stats_read.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The value of the variable that has the effect of the configuration's key. */
#define YES "yes"

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

uint64_t kc_count_read(const struct kc_count *count)
{
	uint64_t sum = 0;

	for (size_t k = KC_COUNT_DIGITS; k-- > 0;)
		sum = (sum << 4) + atomic_load_explicit(&count->digit[k], memory_order_relaxed);
	return sum;
}

uint64_t kc_stats_errors_of(const struct kc_stats_backend *backend, enum kc_reason why)
{
	for (unsigned i = 0; i < KC_STATS_ERRORS; i++)
		if (kc_stats_errors[i] == why)
			return kc_count_read(&backend->error[i]);
	return 0;
}

struct kc_stats_sum kc_stats_sum(const struct kc_stats_row *row)
{
	struct kc_stats_sum sum = { 0, 0, 0, 0 };

	for (unsigned i = 0; i < KC_MAX_BACKENDS; i++) {
		const struct kc_stats_backend *w = &row->backend[i];

		sum.requests += kc_count_read(&w->requests);
		sum.bytes += kc_count_read(&w->bytes);
		sum.failed += kc_stats_errors_of(w, KC_REQUEST_FAILED);
		sum.lied += kc_stats_errors_of(w, KC_LIED);
	}
	return sum;
}

void kc_stats_arrange(struct kc_stats *stats)
{
	_Atomic uint32_t *digit = (_Atomic uint32_t *)(void *)stats->row;
	const size_t n = sizeof(stats->row) / (sizeof(*digit));

	for (size_t i = 0; stats->order != 1 && i < n; i++)
		digit[i] = __builtin_bswap32(digit[i]);
	stats->order = 1;
}

bool kc_stats_file_fits(int fd, uid_t uid, off_t *size)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	*size = st.st_size;
	return st.st_uid == uid && st.st_nlink == 1 && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

bool kc_stats_read_from(int fd, uid_t uid, struct kc_stats *stats)
{
	off_t size;

	if (!kc_stats_file_fits(fd, uid, &size) ||
	    pread(fd, stats, sizeof(*stats), 0) != (ssize_t)sizeof(*stats) ||
	    memcmp(stats->head.magic, KC_STATS_MAGIC, sizeof(stats->head.magic)) != 0 ||
	    stats->head.rows != KC_ALG_COUNT || stats->head.row_size != sizeof(stats->row[0]))
		return false;
	kc_stats_arrange(stats);
	return true;
}

bool kc_stats_read(struct kc_stats *stats)
{
	const char *path = kc_stats_named();
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) : -1;
	bool ok = fd >= 0 && kc_stats_read_from(fd, geteuid(), stats);

	if (fd >= 0)
		close(fd);
	return ok;
}
