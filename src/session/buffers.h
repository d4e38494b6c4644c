/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers on pages of their own. A fork shares every page with the child, and whoever writes to one
 * first gets a copy: where that is a thread of ours, a device that holds the page writes its answer
 * for the child. So a page is lent to the kernel only while nobody writes to it.
 */
#ifndef KC_SESSION_BUFFERS_H
#define KC_SESSION_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

/* At least @size bytes in whole pages that nothing else is on; NULL where memory is short. */
void *kc_pages_new(size_t size);

/* KC_MAX_REQUEST bytes in whole pages; NULL where memory is short. */
uint8_t *kc_buffer_take(void);

/* Wipes the first @used bytes and keeps the buffer for the next one. NULL is fine. */
void kc_buffer_give(uint8_t *buf, size_t used);

/* Frees what is kept. */
void kc_buffer_free(void);

#endif
