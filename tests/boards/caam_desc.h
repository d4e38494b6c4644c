/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CAAM's descriptors. */
#ifndef BOARDS_CAAM_DESC_H
#define BOARDS_CAAM_DESC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Runs the descriptor at that address of memory and returns its status. Adds the length of each
 * message to *bytes.
 */
uint32_t caam_run(uint32_t at, size_t *bytes);
/* Runs a descriptor of n words and returns its status. */
uint32_t caam_run_words(const uint32_t *words, size_t n);

#endif
