/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a few buffers in slots that are swapped atomically: no lock, and nothing per thread that a
 * dying thread or a dlclose() could leave behind. Allocates only until there are as many buffers as
 * requests ever ran at the same time.
 */
#include "session/buffers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend.h"
#include "core/process.h"
#include "core/quiet.h"

#define SLOTS	   (1 << SLOTS_LOG2)
#define SLOTS_LOG2 3
#define CACHE_LINE 64 /* bytes, of most processors */

/* On lines of their own, because threads that run at the same time begin at different ones. */
static KC_AT_LOAD struct slot {
	_Alignas(CACHE_LINE) _Atomic(uint8_t *) kept;
} slots[SLOTS];

/* Each thread has a stack of its own: returns the slot to begin with, which only saves time. */
static unsigned slot_here(void)
{
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0) >> 17;

	return (uint32_t)stack * 2654435761u >> (32 - SLOTS_LOG2);
}

void *kc_pages_new(size_t size)
{
	KC_KEEPS_ERRNO;
	size_t page = kc_page_size();
	void *pages;

	if (posix_memalign(&pages, page, (size + page - 1) / page * page) != 0)
		return NULL;
	return pages;
}

uint8_t *kc_buffer_take(void)
{
	unsigned here = slot_here();

	for (unsigned i = 0; i < SLOTS; i++) {
		_Atomic(uint8_t *) *kept = &slots[here ^ i].kept;
		uint8_t *buf = atomic_load_explicit(kept, memory_order_relaxed);

		if (buf)
			buf = atomic_exchange(kept, NULL);
		if (buf)
			return buf;
	}
	return kc_pages_new(KC_MAX_REQUEST);
}

void kc_buffer_give(uint8_t *buf, size_t used)
{
	KC_KEEPS_ERRNO;
	unsigned here = slot_here();

	if (!buf)
		return;
	explicit_bzero(buf, used);
	for (unsigned i = 0; i < SLOTS; i++) {
		_Atomic(uint8_t *) *kept = &slots[here ^ i].kept;
		uint8_t *empty = atomic_load_explicit(kept, memory_order_relaxed);

		if (!empty && atomic_compare_exchange_strong(kept, &empty, buf))
			return;
	}
	free(buf);
}

void kc_buffer_free(void)
{
	for (struct slot *slot = slots; slot < slots + SLOTS; slot++)
		free(atomic_exchange(&slot->kept, NULL));
}
