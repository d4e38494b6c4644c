/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers on pages of their own. After a fork, parent and child share every page, and the first to
 * write to one gets a copy. If that is a thread of this process, a device that holds the page
 * writes its answer to the child's. So a page is lent to the kernel only while nothing writes to
 * it.
 */
#ifndef KC_SESSION_BUFFERS_H
#define KC_SESSION_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

/* At least @size bytes in whole pages with nothing else on them; NULL if memory is short. */
void *kc_pages_new(size_t size);

/* KC_MAX_REQUEST bytes in whole pages; NULL if memory is short. */
uint8_t *kc_buffer_take(void);

/* Wipes the first @used bytes and keeps the buffer for later use. NULL is accepted. */
void kc_buffer_give(uint8_t *buf, size_t used);

/* Frees the buffers that are kept. */
void kc_buffer_free(void);

#endif
