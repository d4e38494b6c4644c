/* SPDX-License-Identifier: Apache-2.0 */
/* A sentence about the figures of an algorithm, with nothing that they do not show. */
#include "cli/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/table.h"

#define FASTER 1.05 /* times software: a smaller gain may be noise */

/*
 * The rows of an algorithm: one for each contender, size after size. The first contender is
 * software.
 */
struct block {
	struct json_object *rows;
	size_t start, lines, sizes;
};

/* A contender compared with software, over all sizes. */
struct against {
	size_t measured, won, in_row; /* sizes; @in_row: the last ones, if all were won */
	size_t from;		      /* bytes: the first of those in a row */
	size_t longest;		      /* bytes: the size of the next two figures */
	double speed, cpu;	      /* its figures, divided by software's */
	bool is_noisy;
};

static struct json_object *row_of(const struct block *b, size_t line, size_t size)
{
	return json_object_array_get_idx(b->rows, b->start + size * b->lines + line);
}

static bool is_noisy(const struct json_object *row)
{
	return kc_bench_number(row, "spread") > KC_BENCH_NOISY;
}

static void add_length(struct against *a, struct json_object *soft, struct json_object *row)
{
	double speed = kc_bench_number(row, "mb_per_s") / kc_bench_number(soft, "mb_per_s");
	size_t size = (size_t)kc_bench_number(row, "size");

	if (!(speed > 0) || isinf(speed))
		return;
	a->measured++;
	a->is_noisy |= is_noisy(row) || is_noisy(soft);
	a->longest = size;
	a->speed = speed;
	a->cpu = kc_bench_number(row, "machine_s_per_gb") /
		 kc_bench_number(soft, "machine_s_per_gb");
	if (speed < FASTER) {
		a->in_row = 0;
		return;
	}
	a->won++;
	if (a->in_row++ == 0)
		a->from = size;
}

static struct against compare_line(const struct block *b, size_t line)
{
	struct against a = { .measured = 0 };

	for (size_t s = 0; s < b->sizes; s++)
		add_length(&a, row_of(b, 0, s), row_of(b, line, s));
	return a;
}

/* Finds the kernel's contender that is the fastest at the longest request; 0: none was measured. */
static size_t find_fastest(const struct block *b, struct against *best)
{
	size_t found = 0;

	*best = (struct against){ .measured = 0 };
	for (size_t line = 1; line < b->lines; line++) {
		struct against a = compare_line(b, line);

		/* A contender as configured mixes software and kernel, so it is left out. */
		if (!json_object_object_get(row_of(b, line, 0), "kind") || !a.measured)
			continue;
		if (found && a.speed <= best->speed)
			continue;
		*best = a;
		found = line;
	}
	return found;
}

static void put_win(char *text, size_t size, const char *line, const struct against *a)
{
	if (a->in_row == a->measured)
		snprintf(text, size, "%s is faster than software at every length", line);
	else if (a->in_row == 1)
		snprintf(text, size, "%s is faster than software at %zu bytes", line, a->from);
	else if (a->in_row)
		snprintf(text, size, "%s is faster than software from %zu bytes on", line, a->from);
	else if (a->won)
		snprintf(text, size, "%s is faster than software at %zu of %zu lengths", line,
			 a->won, a->measured);
	else
		snprintf(text, size, "software is as fast as %s or faster, at every length", line);
}

static const char *put_sentence(char *text, size_t size, const struct block *b)
{
	struct against a;
	size_t best = find_fastest(b, &a), n;

	if (!best)
		return "there is only software to measure";
	if (a.is_noisy)
		return "the results vary too much to tell";
	put_win(text, size, kc_json_get(row_of(b, best, 0), "line"), &a);
	n = strlen(text);
	snprintf(text + n, size - n,
		 "; with %zu bytes, it reaches %.2g times software's throughput and takes %.2g "
		 "times its CPU time",
		 a.longest, a.speed, a.cpu);
	return text;
}

void kc_bench_conclude(struct json_object *conclusions, struct json_object *rows, size_t lines,
		       size_t sizes)
{
	struct block b = { rows, json_object_array_length(rows) - lines * sizes, lines, sizes };
	char text[512];

	kc_json(kc_json_row(conclusions), "algorithm=%s text=%s",
		kc_json_get(row_of(&b, 0, 0), "algorithm"), put_sentence(text, sizeof(text), &b));
}
