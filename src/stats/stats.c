/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owns the table that this process counts in. The process's own table lies in private memory that
 * the kernel wipes in a child, so a child counts for itself from the start, without a call. Parent
 * and child share the other one.
 */
#include "stats/stats.h"

#include "core/process.h"

static KC_AT_LOAD unsigned users; /* under the callers' lock */
KC_AT_LOAD atomic_bool kc_stats_all;
KC_AT_LOAD struct kc_stats *_Atomic kc_stats_table;

/* Other processes read it; "used" keeps it in the module. */
static KC_AT_LOAD __attribute__((used)) volatile struct kc_stats_here here = { KC_STATS_HERE, 0 };

/*
 * Returns a row of the table; NULL if nothing is counted. In a child the head was wiped with the
 * table.
 */
static struct kc_stats_row *row_of(const struct kc_alg *alg)
{
	struct kc_stats *s = atomic_load_explicit(&kc_stats_table, memory_order_acquire);

	if (s && !atomic_load_explicit(&s->head.magic, memory_order_relaxed))
		kc_stats_begin(s);
	if (!s)
		return NULL;
	return &s->row[alg - kc_algs];
}

static void add_work(struct kc_stats_work *w, size_t bytes, uint64_t ns)
{
	kc_count_add(&w->requests, 1);
	kc_count_add(&w->bytes, bytes);
	if (!ns)
		return;
	kc_count_add(&w->timed, 1);
	kc_count_add(&w->ns, ns);
}

void kc_stats_add_done(const struct kc_alg *alg, unsigned backend, size_t bytes, uint64_t ns)
{
	struct kc_stats_row *row = row_of(alg);

	if (row)
		add_work(&row->backend[backend].work, bytes, ns);
}

void kc_stats_error(const struct kc_alg *alg, unsigned backend, enum kc_stats_error which)
{
	struct kc_stats_row *row = row_of(alg);

	if (row)
		kc_count_add(&row->backend[backend].error[which], 1);
}

void kc_stats_soft(const struct kc_alg *alg, enum kc_stats_why why, size_t bytes, uint64_t ns)
{
	struct kc_stats_row *row = row_of(alg);

	if (row)
		add_work(&row->soft[why], bytes, ns);
}

/* Includes the first one, so that a program's only request has a time, too. */
#define SHORT_PER_TIME 64

bool kc_stats_times_short(const struct kc_alg *alg)
{
	struct kc_stats_row *row = row_of(alg);

	if (!row)
		return false;
	return kc_count_read(&row->soft[KC_SOFT_SMALL].requests) % SHORT_PER_TIME == 0;
}

void kc_stats_open(void)
{
	const char *path = kc_stats_named();

	if (users++ == 0 && path)
		atomic_store(&kc_stats_table, kc_stats_map(path));
}

static void use_own(void)
{
	struct kc_stats *s = kc_process_map(sizeof(*s));

	if (!s)
		return;
	kc_stats_begin(s);
	atomic_store(&kc_stats_table, s);
	here.address = (uintptr_t)s;
}

void kc_stats_turn(bool is_on)
{
	if (!is_on && !kc_stats_asked_for())
		return;
	if (!atomic_load(&kc_stats_table) && !kc_stats_named())
		use_own();
	atomic_store(&kc_stats_all, atomic_load(&kc_stats_table) != NULL);
}

/* The module may be unloaded after this, so the mapping must go. */
void kc_stats_close(void)
{
	struct kc_stats *s;

	if (--users > 0)
		return;
	kc_stats_all = false;
	here.address = 0;
	s = atomic_exchange(&kc_stats_table, NULL);
	if (s)
		kc_stats_unmap(s);
}
