/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells this process from the one that it was forked from, by fork() or a raw clone(), and holds
 * data that a child must not inherit. A child that shares the memory (vfork(), CLONE_VM) counts as
 * the same process, as a thread does. Its descriptors may differ; their identity shows that.
 */
#ifndef KC_CORE_PROCESS_H
#define KC_CORE_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/*
 * Placement, for processes that load the module and use little of it. Variables written at load or
 * at the first fetch lie in .data, on a page that the loader writes anyway: each page of .bss would
 * cost a fault, and a second one if it is read first. Functions that run in every process lie
 * together, because each 64 KiB of code costs a page fault.
 */
#define KC_AT_LOAD	__attribute__((section(".data")))
#define KC_RUNS_AT_LOAD __attribute__((cold))

/* Returns the size of a page in bytes. */
static inline size_t kc_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * Counts one more instance of the module. If all instances have ended when the module is unloaded,
 * its page is unmapped.
 */
void kc_process_begin(void);
/* Counts one instance less. */
void kc_process_end(void);

struct kc_per_process {
	atomic_uint mark; /* 0: not known yet */
	atomic_uint sessions;
};

extern struct kc_per_process *_Atomic kc_process_own; /* NULL before the first mark */

/* Takes a new mark; the first call also maps the page for it. */
unsigned kc_process_new_mark(void);

/* Returns this process's mark, which differs from those of its ancestors; never 0. Lock-free. */
static inline unsigned kc_process_mark(void)
{
	struct kc_per_process *own = atomic_load_explicit(&kc_process_own, memory_order_acquire);
	unsigned mark = own ? atomic_load_explicit(&own->mark, memory_order_relaxed) : 0;

	return mark ? mark : kc_process_new_mark();
}

/* True if this process has taken that mark; otherwise an ancestor has. */
static inline bool kc_process_has(unsigned mark)
{
	struct kc_per_process *own = atomic_load_explicit(&kc_process_own, memory_order_acquire);

	return atomic_load_explicit(&own->mark, memory_order_relaxed) == mark;
}

/* Maps @size bytes, zero now and again in each new child. NULL: the kernel can't. */
void *kc_process_map(size_t size);

/* Returns the counter of this process's open sessions; it is 0 in a new child. */
atomic_uint *kc_process_sessions(void);

/*
 * Returns the process's lock. Once an instance has begun, the lock is free in a child made by
 * fork(), even if a thread of its parent holds it. Data that this thread was changing stays as it
 * was at the fork, and nothing will complete the change.
 */
pthread_mutex_t *kc_process_lock(void);

#endif
