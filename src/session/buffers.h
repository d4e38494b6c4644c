/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers on pages of their own. After a fork, parent and child share every page until one of them
 * writes to it, and the writer gets a copy. If the parent writes while a device uses the page, the
 * device's answer goes to the child's page. So a page is lent to the kernel only while nothing
 * writes to it.
 */
#ifndef KC_SESSION_BUFFERS_H
#define KC_SESSION_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns at least @size bytes in whole pages with nothing else on them; NULL if memory is short.
 */
void *kc_pages_new(size_t size);

/* Returns KC_MAX_REQUEST bytes in whole pages; NULL if memory is short. */
uint8_t *kc_buffer_take(void);

/* Wipes the first @used bytes and keeps the buffer for later use. @buf may be NULL. */
void kc_buffer_give(uint8_t *buf, size_t used);

/* Frees the buffers that were kept. */
void kc_buffer_free(void);

#endif
