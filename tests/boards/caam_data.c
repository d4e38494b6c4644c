// SPDX-License-Identifier: GPL-2.0-or-later
/* Byte strings that grow, and sequences: pieces of memory that a table lists. */
#include "caam_data.h"

#include <stdlib.h>
#include <string.h>

#include "board.h"

/* Bits of an entry of the table. */
#define LAST   0x40000000u
#define LENGTH 0x3fffffffu

void caam_append(struct caam_bytes *to, const void *from, size_t n)
{
	if (n == 0)
		return;
	to->data = realloc(to->data, to->n + n);
	memcpy(to->data + to->n, from, n);
	to->n += n;
}

void caam_take(struct caam_bytes *from, void *to, size_t n)
{
	if (n > from->n)
		n = from->n;
	if (n == 0)
		return;
	if (to)
		memcpy(to, from->data, n);
	from->n -= n;
	memmove(from->data, from->data + n, from->n);
}

/* Reads or writes memory that is one piece, or that a table of pieces describes. */
static void at_sequence(const struct caam_sequence *s, size_t at, uint8_t *data, size_t n,
			bool is_write)
{
	struct {
		uint32_t address[2], length, offset;
	} entry = { { s->at }, s->in_table ? 0 : ~0u, 0 };
	uint32_t table = s->at, length = ~0u;
	size_t now;

	while (n) {
		if (s->in_table) {
			dma_read(table, &entry, sizeof(entry));
			table += sizeof(entry);
			length = entry.length & LENGTH;
		}
		if (at < length) {
			/* The order of the two halves of an address depends on the chip. */
			uint32_t address = (entry.address[0] | entry.address[1]) +
					   (entry.offset & 0x1fff) + at;

			now = n < length - at ? n : length - at;
			if (is_write)
				dma_write(address, data, now);
			else
				dma_read(address, data, now);
			data += now, n -= now, at = 0;
		} else {
			at -= length;
		}
		if (s->in_table && entry.length & LAST)
			return;
	}
}

void caam_read(struct caam_sequence *s, void *to, size_t n)
{
	if (n > s->left)
		n = s->left;
	if (to)
		at_sequence(s, s->done, to, n, false);
	s->done += n;
	s->left -= n;
}

void caam_write(struct caam_sequence *s, const void *from, size_t n)
{
	if (n > s->left)
		n = s->left;
	if (from)
		at_sequence(s, s->done, (uint8_t *)from, n, true);
	s->done += n;
	s->left -= n;
}

void caam_reserve(struct caam_output *o, size_t n, bool is_for_data)
{
	if (is_for_data && n && o->n_places < 8)
		o->places[o->n_places++] = (struct caam_place){ o->to.done, n };
	caam_write(&o->to, NULL, n);
}

void caam_settle(struct caam_output *o)
{
	struct caam_place *p = o->places;
	size_t n;

	while (o->n_places && o->made.n) {
		n = p->n < o->made.n ? p->n : o->made.n;
		at_sequence(&o->to, p->at, o->made.data, n, true);
		caam_take(&o->made, NULL, n);
		p->at += n;
		p->n -= n;
		if (p->n)
			return;
		o->n_places--;
		memmove(p, p + 1, o->n_places * sizeof(*p));
	}
}
