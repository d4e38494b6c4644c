/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After two lines that differ, looks for the nearest pair of equal ones. The diff is not always the
 * shortest, but it is right, and short for the edits made here.
 */
#include "cli/config/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT 3 /* lines */

struct line {
	const char *at;
	size_t len; /* bytes, including the line's end */
};

struct lines {
	struct line *v;
	size_t n;
};

/* A line of the diff: ' ', '-' or '+', and the number of lines before it on either side. */
struct step {
	char mark;
	struct line line;
	size_t before[2];
};

struct steps {
	struct step *v;
	size_t n;
};

static bool split(const struct kc_text *text, struct lines *lines)
{
	const char *at = text->at ? text->at : "", *end = at + text->len;

	lines->n = 0;
	lines->v = calloc(text->len + 1, sizeof(*lines->v));
	while (lines->v && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline + 1 : end) - at);

		lines->v[lines->n++] = (struct line){ at, len };
		at += len;
	}
	return lines->v;
}

static bool is_same(const struct line *a, const struct line *b)
{
	return a->len == b->len && memcmp(a->at, b->at, a->len) == 0;
}

/* Skips the fewest lines, counting both sides together, up to equal ones or to both ends. */
static void find_same(const struct lines *a, const struct lines *b, size_t *i, size_t *j)
{
	size_t left = a->n - *i, right = b->n - *j;

	for (size_t sum = 0; sum < left + right; sum++)
		for (size_t skip = 0; skip <= sum; skip++) {
			size_t x = *i + skip, y = *j + sum - skip;

			if (x >= a->n || y >= b->n || !is_same(&a->v[x], &b->v[y]))
				continue;
			*i = x;
			*j = y;
			return;
		}
	*i = a->n;
	*j = b->n;
}

static void add(struct steps *steps, char mark, const struct lines *lines, size_t from, size_t to)
{
	for (; from < to; from++)
		steps->v[steps->n++] = (struct step){ mark, lines->v[from], { 0, 0 } };
}

static void compare(struct steps *steps, const struct lines *a, const struct lines *b)
{
	size_t i = 0, j = 0;

	while (i < a->n || j < b->n) {
		size_t to_i = i, to_j = j;

		find_same(a, b, &to_i, &to_j);
		add(steps, '-', a, i, to_i);
		add(steps, '+', b, j, to_j);
		if (to_i < a->n)
			add(steps, ' ', a, to_i, to_i + 1);
		i = to_i + (to_i < a->n);
		j = to_j + (to_j < b->n);
	}
	for (size_t n = 1; n < steps->n; n++)
		for (int side = 0; side < 2; side++)
			steps->v[n].before[side] = steps->v[n - 1].before[side] +
						   (steps->v[n - 1].mark != (side ? '-' : '+'));
}

/* The end of the hunk with the change at @i: no other change follows within twice the context. */
static size_t hunk_end(const struct steps *steps, size_t i)
{
	size_t end = i + 1;

	for (; i < steps->n && i <= end - 1 + 2 * CONTEXT; i++)
		if (steps->v[i].mark != ' ')
			end = i + 1;
	return end + CONTEXT < steps->n ? end + CONTEXT : steps->n;
}

/* An empty range is given the number of the line before it. */
static void print_range(char mark, const struct steps *steps, size_t from, size_t to)
{
	char other = mark == '-' ? '+' : '-';
	size_t n = 0, before = steps->v[from].before[mark == '+'];

	for (size_t i = from; i < to; i++)
		n += steps->v[i].mark != other;
	printf(" %c%zu,%zu", mark, before + (n > 0), n);
}

static void print_hunk(const struct steps *steps, size_t from, size_t to)
{
	printf("@@");
	print_range('-', steps, from, to);
	print_range('+', steps, from, to);
	printf(" @@\n");
	for (size_t i = from; i < to; i++) {
		const struct line *line = &steps->v[i].line;

		printf("%c%.*s", steps->v[i].mark, (int)line->len, line->at);
		if (line->at[line->len - 1] != '\n')
			printf("\n\\ No newline at end of file\n");
	}
}

static void print(const struct steps *steps)
{
	for (size_t i = 0; i < steps->n; i++) {
		size_t end;

		if (steps->v[i].mark == ' ')
			continue;
		end = hunk_end(steps, i);
		print_hunk(steps, i < CONTEXT ? 0 : i - CONTEXT, end);
		i = end - 1;
	}
}

void kc_diff_print(const char *path, const struct kc_text *before, const struct kc_text *after)
{
	struct lines a = { .n = 0 }, b = { .n = 0 };
	struct steps steps = { .n = 0 };

	if (!split(before, &a) || !split(after, &b))
		goto out;
	steps.v = calloc(a.n + b.n + 1, sizeof(*steps.v));
	if (!steps.v)
		goto out;
	compare(&steps, &a, &b);
	printf("--- %s\n", before->at ? path : "/dev/null");
	printf("+++ %s\n", after->at ? path : "/dev/null");
	print(&steps);
out:
	free(steps.v);
	free(a.v);
	free(b.v);
}
