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

#define SLOTS 8

static KC_AT_LOAD _Atomic(uint8_t *) slot[SLOTS];

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
	for (size_t i = 0; i < SLOTS; i++) {
		uint8_t *kept = atomic_exchange(&slot[i], NULL);

		if (kept)
			return kept;
	}
	return kc_pages_new(KC_MAX_REQUEST);
}

void kc_buffer_give(uint8_t *buf, size_t used)
{
	KC_KEEPS_ERRNO;

	if (!buf)
		return;
	explicit_bzero(buf, used);
	for (size_t i = 0; i < SLOTS; i++) {
		uint8_t *empty = NULL;

		if (atomic_compare_exchange_strong(&slot[i], &empty, buf))
			return;
	}
	free(buf);
}

void kc_buffer_free(void)
{
	for (size_t i = 0; i < SLOTS; i++)
		free(atomic_exchange(&slot[i], NULL));
}
