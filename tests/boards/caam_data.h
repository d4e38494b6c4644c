/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What CAAM's commands move: bytes that grow, and sequences in the machine's memory. */
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
/* Takes the first n away, as far as there are so many, into to unless it is NULL. */
void caam_take(struct caam_bytes *from, void *to, size_t n);

/*
 * What a command named SEQ reads or writes, one piece behind the other: memory, or what a table of
 * pieces names. left: of its length.
 */
struct caam_sequence {
	uint32_t at, left;
	bool in_table;
	size_t done;
};
/* The next n bytes, as far as there are so many; NULL skips them. */
void caam_read(struct caam_sequence *s, void *to, size_t n);
void caam_write(struct caam_sequence *s, const void *from, size_t n);

/* An output in which a command may reserve a place before the data that belong there are made. */
struct caam_output {
	struct caam_sequence to;
	struct caam_bytes made;
	struct caam_place {
		size_t at, n;
	} places[8];
	unsigned int n_places;
};
/* Goes on behind n bytes, which are for what is made, or stay as they are. */
void caam_reserve(struct caam_output *o, size_t n, bool is_for_data);
/* Writes what has been made to the places that wait for it. */
void caam_settle(struct caam_output *o);

#endif
