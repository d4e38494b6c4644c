/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private output buffers: a request whose input lies where its output goes lands here first, so
 * that the input is still there if the request fails.
 */
#ifndef KC_CORE_SCRATCH_H
#define KC_CORE_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* KC_MAX_REQUEST bytes, aligned to 4096; NULL where memory is short. */
uint8_t *kc_scratch_take(void);

/* Wipes the first @used bytes and keeps the buffer for the next one. NULL is fine. */
void kc_scratch_give(uint8_t *buf, size_t used);

/* Frees what is kept. */
void kc_scratch_free(void);

#endif
