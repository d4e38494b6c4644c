/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells this process from the one that it was forked from, by fork() or a raw clone(), and holds
 * data that a child must not inherit. A child that shares the memory (vfork(), CLONE_VM) is the
 * same process here, as a thread would be; its descriptors may be others, which their identity
 * shows.
 */
#ifndef KC_CORE_PROCESS_H
#define KC_CORE_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/*
 * Written at load or by a first fetch: on a page that the loader writes to, unlike those of .bss,
 * where each page costs a fault, and a second one if it is read first. And what runs in all
 * processes that load the module lies together: each 64 KiB of code are a page fault.
 */
#define KC_AT_LOAD	__attribute__((section(".data")))
#define KC_RUNS_AT_LOAD __attribute__((cold))

/* In bytes. */
static inline size_t kc_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * The module has one instance more or less. Its page is unmapped if the module is unloaded without
 * any.
 */
void kc_process_begin(void);
/* One instance less. */
void kc_process_end(void);

struct kc_per_process {
	atomic_uint mark; /* 0: not yet known */
	atomic_uint sessions;
};

extern struct kc_per_process *_Atomic kc_process_own; /* NULL before the first mark */

/* Finds the mark, and maps the page for it. */
unsigned kc_process_new_mark(void);

/* Never 0. Two processes of one line of descent never have the same one. Lock-free. */
static inline unsigned kc_process_mark(void)
{
	struct kc_per_process *own = atomic_load_explicit(&kc_process_own, memory_order_acquire);
	unsigned mark = own ? atomic_load_explicit(&own->mark, memory_order_relaxed) : 0;

	return mark ? mark : kc_process_new_mark();
}

/* Maps @size bytes that are zero now, and in each child when it begins. NULL: not here. */
void *kc_process_map(size_t size);

/* The number of sessions that this process has open; 0 in a new child. */
atomic_uint *kc_process_sessions(void);

/*
 * Once an instance has begun, free in a child made by fork(), even if a thread of its parent holds
 * it. Data that the thread was changing is as it was at the fork, and nothing will complete the
 * change.
 */
pthread_mutex_t *kc_process_lock(void);

#endif
