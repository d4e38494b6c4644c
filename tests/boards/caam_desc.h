/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CAAM's descriptors. */
#ifndef BOARDS_CAAM_DESC_H
#define BOARDS_CAAM_DESC_H

#include <stddef.h>
#include <stdint.h>

/* Runs the descriptor in memory and returns its status; counts the bytes of messages. */
uint32_t caam_run(uint32_t at, size_t *bytes);
/* Runs these words of one. */
uint32_t caam_run_words(const uint32_t *words, size_t n);

#endif
