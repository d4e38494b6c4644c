/* SPDX-License-Identifier: Apache-2.0 */
/* Adds to counters and reads them. Knows nothing of where a table lies. */
#include "stats/table.h"

#include <string.h>

static void write_head(struct kc_stats_head *head)
{
	head->rows = KC_ALG_COUNT;
	head->row_size = sizeof(struct kc_stats_row);
	memset(head->name, 0, sizeof(head->name));
	for (size_t i = 0; i < KC_ALG_COUNT; i++)
		strcpy(head->name[i], kc_alg_name(&kc_algs[i]));
	atomic_store(&head->magic, KC_STATS_MAGIC);
}

/* The magic number of a head that is being written. */
#define BEGUN 1

void kc_stats_begin(struct kc_stats *stats)
{
	uint32_t none = 0;

	if (atomic_compare_exchange_strong(&stats->head.magic, &none, BEGUN))
		write_head(&stats->head);
}

void kc_stats_begin_shared(struct kc_stats *stats)
{
	kc_stats_begin(stats);
	if (atomic_load(&stats->head.magic) == BEGUN)
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

uint64_t kc_stats_errors_of(const struct kc_stats_backend *backend, enum kc_reason why)
{
	return kc_count_read(&backend->error[why - KC_OPEN_FAILED]);
}

struct kc_stats_sum kc_stats_sum(const struct kc_stats_row *row)
{
	struct kc_stats_sum sum = { 0, 0, 0, 0 };

	for (unsigned i = 0; i < KC_MAX_BACKENDS; i++) {
		const struct kc_stats_backend *w = &row->backend[i];

		sum.requests += kc_count_read(&w->work.requests);
		sum.bytes += kc_count_read(&w->work.bytes);
		sum.failed += kc_stats_errors_of(w, KC_REQUEST_FAILED);
		sum.lied += kc_stats_errors_of(w, KC_LIED);
	}
	return sum;
}
