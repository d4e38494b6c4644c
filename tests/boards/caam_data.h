/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What CAAM's commands move: byte strings that grow, and sequences in the machine's memory. */
#ifndef BOARDS_CAAM_DATA_H
#define BOARDS_CAAM_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct caam_bytes {
	uint8_t *data;
	size_t n;
};
void caam_append(struct caam_bytes *to, const void *from, size_t n);
/* Removes the first n bytes, or all if there are fewer, and copies them to to unless it is NULL. */
void caam_take(struct caam_bytes *from, void *to, size_t n);

/*
 * What a command named SEQ reads or writes, piece after piece: one block of memory, or the blocks
 * that a table lists. left: bytes that remain of its length.
 */
struct caam_sequence {
	uint32_t at, left;
	bool in_table;
	size_t done;
};
/* Reads the next n bytes, or all that remain if they are fewer. A NULL to skips them. */
void caam_read(struct caam_sequence *s, void *to, size_t n);
void caam_write(struct caam_sequence *s, const void *from, size_t n);

/* An output in which a command may reserve room for data that are made later. */
struct caam_output {
	struct caam_sequence to;
	struct caam_bytes made;
	struct caam_place {
		size_t at, n;
	} places[8];
	unsigned int n_places;
};
/*
 * Skips n bytes of the output: they are reserved for the data that are made (is_for_data), or stay
 * as they are.
 */
void caam_reserve(struct caam_output *o, size_t n, bool is_for_data);
/* Writes the data that have been made into the room that was reserved for them. */
void caam_settle(struct caam_output *o);

#endif
