/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters, in a mapped file. The kernel does the adding: a store of our own would raise SIGBUS
 * after somebody has emptied the file or when the disk is full, and a descriptor kept for writing
 * could become somebody else's.
 */
#include "stats/stats.h"
#include "stats/stats_read.h"

#include <sys/mman.h>

#include "core/process.h"
#include "core/quiet.h"
#include "stats/stats_map.h"

const enum kc_reason kc_stats_errors[KC_STATS_ERRORS] = { KC_OPEN_FAILED, KC_REQUEST_FAILED,
							  KC_WRONG_ANSWER, KC_LIED };

static KC_AT_LOAD unsigned users; /* protected by the callers' lock */
static KC_AT_LOAD atomic_bool is_all;

/*
 * The mapped file. A child of the process that opened it moves to its own file at its first count.
 */
static KC_AT_LOAD struct {
	struct kc_stats *_Atomic page; /* NULL: none */
	bool is_named;		       /* by the environment, and shared by processes */
	atomic_uint mark;	       /* of the process that the file belongs to, */
	atomic_uint coming;	       /* and of the process that is opening its own */
} file;

/* Short requests that have not been reported yet. */
static struct {
	atomic_uint n, most;
	atomic_size_t bytes;
} waiting[KC_ALG_COUNT];

bool kc_stats_is_on(void)
{
	return atomic_load_explicit(&is_all, memory_order_relaxed);
}

/* Drops those that the parent counted. */
static void forget_short(void)
{
	for (size_t i = 0; i < KC_ALG_COUNT; i++) {
		atomic_store(&waiting[i].n, 0);
		atomic_store(&waiting[i].bytes, 0);
	}
}

/* The first count of a child: it never goes into its parent's file. */
static __attribute__((cold)) struct kc_stats *page_of_child(unsigned mark)
{
	unsigned before = atomic_load(&file.coming);
	struct kc_stats *page;
	KC_QUIETLY;

	/* Another thread is opening the file; this thread's count is not seen. */
	if (before == mark || !atomic_compare_exchange_strong(&file.coming, &before, mark))
		return NULL;
	forget_short();
	page = atomic_load(&file.page);
	if (!file.is_named) {
		atomic_store(&file.page, NULL);
		munmap(page, sizeof(*page));
		page = kc_stats_map_own(false);
	}
	atomic_store(&file.page, page);
	atomic_store(&file.mark, mark);
	return page;
}

static struct kc_stats *page_now(void)
{
	struct kc_stats *page = atomic_load_explicit(&file.page, memory_order_acquire);
	unsigned mark;

	if (!page || !kc_stats_is_on())
		return page;
	mark = kc_process_mark();
	if (atomic_load_explicit(&file.mark, memory_order_acquire) == mark)
		return atomic_load_explicit(&file.page, memory_order_relaxed);
	return page_of_child(mark);
}

_Static_assert(KC_MAX_REQUEST < 1ull << 4 * KC_COUNT_DIGITS, "a request's bytes can be counted");

#define LARGEST_DIGIT 2047 /* the most that the kernel can add; the last digit takes the rest */

static void add(struct kc_count *count, uint64_t n)
{
	for (size_t k = 0; n; k++, n >>= 4) {
		bool is_last = k == KC_COUNT_DIGITS - 1;
		uint32_t digit =
			(uint32_t)(is_last ? n < LARGEST_DIGIT ? n : LARGEST_DIGIT : n & 15);

		if (digit)
			kc_stats_map_add(&count->digit[k], digit);
		if (is_last)
			break;
	}
}

/* A mean needs no more than two digits of each time, and each digit is a system call. */
static uint64_t rounded(uint64_t ns)
{
	unsigned k = 0;

	while (ns >> k > 255)
		k += 4;
	return k ? (ns + ((uint64_t)1 << (k - 1))) >> k << k : ns;
}

static void add_time(struct kc_count *timed, struct kc_count *ns, uint64_t took)
{
	add(timed, 1);
	add(ns, rounded(took));
}

void kc_stats_done(const struct kc_alg *alg, unsigned backend, size_t bytes, uint64_t ns)
{
	struct kc_stats *page = page_now();
	struct kc_stats_backend *w;

	if (!page)
		return;
	w = &page->row[alg - kc_algs].backend[backend];
	add(&w->requests, 1);
	add(&w->bytes, bytes);
	if (ns)
		add_time(&w->timed, &w->ns, ns);
}

void kc_stats_soft(const struct kc_alg *alg, enum kc_stats_why why, unsigned n, size_t bytes,
		   uint64_t ns)
{
	struct kc_stats *page = page_now();
	struct kc_stats_soft *s;

	if (!page)
		return;
	s = &page->row[alg - kc_algs].soft[why];
	add(&s->requests, n);
	add(&s->bytes, bytes);
	if (ns)
		add_time(&s->timed, &s->ns, ns);
}

/* Few at first, so that they become visible soon. */
#define MOST_WAITING 1023

bool kc_stats_short_is_timed(const struct kc_alg *alg)
{
	size_t i = (size_t)(alg - kc_algs);

	return atomic_load_explicit(&waiting[i].n, memory_order_relaxed) >=
	       atomic_load_explicit(&waiting[i].most, memory_order_relaxed);
}

bool kc_stats_short_waits(const struct kc_alg *alg, size_t bytes)
{
	size_t i = (size_t)(alg - kc_algs);

	if (bytes >= KC_MAX_REQUEST || kc_stats_short_is_timed(alg) ||
	    atomic_load_explicit(&file.mark, memory_order_relaxed) != kc_process_mark())
		return false;
	atomic_fetch_add_explicit(&waiting[i].n, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&waiting[i].bytes, bytes, memory_order_relaxed);
	return true;
}

static void tell(const struct kc_alg *alg, uint64_t ns)
{
	size_t i = (size_t)(alg - kc_algs);
	unsigned n = atomic_exchange(&waiting[i].n, 0), most = atomic_load(&waiting[i].most);

	if (n)
		kc_stats_soft(alg, KC_SOFT_SMALL, n, atomic_exchange(&waiting[i].bytes, 0), ns);
	if (most < MOST_WAITING)
		atomic_store(&waiting[i].most, 2 * most + 1);
}

void kc_stats_short(const struct kc_alg *alg, size_t bytes, uint64_t ns)
{
	size_t i = (size_t)(alg - kc_algs);
	unsigned n;

	page_now();
	n = atomic_fetch_add_explicit(&waiting[i].n, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&waiting[i].bytes, bytes, memory_order_relaxed);
	if (n >= atomic_load_explicit(&waiting[i].most, memory_order_relaxed) ||
	    bytes >= KC_MAX_REQUEST)
		tell(alg, ns);
}

static void tell_short(void)
{
	/* A child that has counted nothing has nothing to report. */
	bool is_ours = is_all && atomic_load(&file.mark) == kc_process_mark();

	for (size_t i = 0; is_ours && i < KC_ALG_COUNT; i++)
		if (atomic_load(&waiting[i].n))
			tell(&kc_algs[i], 0);
}

static void use(struct kc_stats *page, bool is_named)
{
	file.is_named = is_named;
	atomic_store(&file.page, page);
	atomic_store(&file.coming, kc_process_mark());
	atomic_store(&file.mark, kc_process_mark());
}

void kc_stats_open(void)
{
	const char *path = kc_stats_named();

	if (users++ > 0)
		return;
	if (!path)
		return;
	use(kc_stats_map_named(path), true);
}

bool kc_stats_turn(bool is_on)
{
	if (!is_on && !kc_stats_asked_for())
		return is_all;
	if (!atomic_load(&file.page) && !kc_stats_named())
		use(kc_stats_map_own(true), false);
	atomic_store(&is_all, atomic_load(&file.page) != NULL);
	return is_all;
}

/* The module may be unloaded after this; the mapping must not stay behind. */
void kc_stats_close(void)
{
	struct kc_stats *s;

	if (--users > 0)
		return;
	tell_short();
	is_all = false;
	s = atomic_exchange(&file.page, NULL);
	if (s)
		munmap(s, sizeof(*s));
}

/* From OpenSSL 4.0 on, providers are not told when the process ends. */
static __attribute__((destructor)) void at_end(void)
{
	if (users)
		tell_short();
}

void kc_stats_error(const struct kc_alg *alg, unsigned backend, enum kc_reason why)
{
	struct kc_stats *page = page_now();

	for (unsigned i = 0; page && i < KC_STATS_ERRORS; i++)
		if (kc_stats_errors[i] == why)
			add(&page->row[alg - kc_algs].backend[backend].error[i], 1);
}
