/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process's mark. It is on a page that the kernel wipes in a child; a child finds 0 there and
 * takes the next number. If the kernel can't wipe, pthread_atfork() does, which misses a raw
 * clone(). The page is mapped at its first use, which saves four system calls in a process to which
 * nothing is offered.
 */
#include "core/process.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Maps to a page instead of static memory, which would cost each process more pages of .data. */
KC_AT_LOAD struct kc_per_process *_Atomic kc_process_own;
static KC_AT_LOAD struct kc_per_process spare; /* used if no page can be mapped */
static KC_AT_LOAD atomic_uint generation;      /* a child inherits its parent's last number */
static KC_AT_LOAD atomic_uint begun, ended;    /* instances of the module */
static KC_AT_LOAD pthread_once_t once = PTHREAD_ONCE_INIT;

static const pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static KC_AT_LOAD pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Compares first, because the kernel copies each page that a child writes to. */
static void renew_lock(void)
{
	if (memcmp(&lock, &free_lock, sizeof(lock)) != 0)
		lock = free_lock;
}

static void wipe_in_child(void)
{
	atomic_store(&kc_process_own->mark, 0);
	atomic_store(&kc_process_own->sessions, 0);
}

/* qemu-user accepts any advice and wipes nothing; so a kernel that accepts -1 is not believed. */
static bool kernel_wipes(void *page, size_t size)
{
	if (madvise(page, size, -1) == 0)
		return false;
	return madvise(page, size, MADV_WIPEONFORK) == 0;
}

void *kc_process_map(size_t size)
{
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (kernel_wipes(page, size))
		return page;
	munmap(page, size);
	return NULL;
}

static void place_page(void)
{
	struct kc_per_process *own = kc_process_map(kc_page_size());

	if (!own) {
		own = &spare;
		pthread_atfork(NULL, NULL, wipe_in_child);
	}
	/* The first access must be a write: after a read, the write would fault a second time. */
	atomic_store(&own->mark, 0);
	atomic_store_explicit(&kc_process_own, own, memory_order_release);
}

/*
 * The last destructor of a module that is being unloaded. It unmaps the page only if all instances
 * have ended: at a process's exit they may not have, and other threads may still use the page.
 */
static __attribute__((destructor(101))) void drop_page(void)
{
	struct kc_per_process *own = kc_process_own;
	unsigned n = atomic_load(&begun);
	bool has_ended = n && n == atomic_load(&ended);

	if (has_ended && own && own != &spare)
		munmap(own, kc_page_size());
}

KC_RUNS_AT_LOAD void kc_process_begin(void)
{
	if (atomic_fetch_add(&begun, 1) == 0)
		pthread_atfork(NULL, NULL, renew_lock);
}

KC_RUNS_AT_LOAD void kc_process_end(void)
{
	atomic_fetch_add(&ended, 1);
}

unsigned kc_process_new_mark(void)
{
	unsigned mark = 0, next;

	pthread_once(&once, place_page);
	do {
		next = atomic_fetch_add(&generation, 1) + 1;
	} while (next == 0);
	/* Several threads may get here after a fork; the first number written wins. */
	if (atomic_compare_exchange_strong(&kc_process_own->mark, &mark, next))
		return next;
	return mark;
}

atomic_uint *kc_process_sessions(void)
{
	pthread_once(&once, place_page);
	return &kc_process_own->sessions;
}

pthread_mutex_t *kc_process_lock(void)
{
	return &lock;
}
