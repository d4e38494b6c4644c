/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for people and JSON for programs. Knows nothing of their subject. */
#include "cli/table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli/screen.h"
#include "cli/text.h"

#define SPACE 2 /* columns between two cells */

/* Returns "2 lied, 1 open-failed", until the next call. */
static const char *words_of(struct json_object *counts)
{
	static char text[200];
	struct kc_list list = { text, sizeof(text) };

	json_object_object_foreach(counts, word, count)
		kc_list_add(&list, ", ", "%s %s", json_object_get_string(count), word);
	if (list.n)
		return text;
	return "-";
}

/* Returns the member of an object, or of the first object in an array that has the key; or NULL. */
static struct json_object *member_of(const struct json_object *o, const char *key)
{
	struct json_object *value = NULL;
	size_t n;

	if (!json_object_is_type(o, json_type_array)) {
		json_object_object_get_ex(o, key, &value);
		return value;
	}
	n = json_object_array_length(o);
	for (size_t i = 0; i < n; i++)
		if (json_object_object_get_ex(json_object_array_get_idx(o, i), key, &value))
			break;
	return value;
}

const char *kc_json_get(const struct json_object *o, const char *key)
{
	struct json_object *value = member_of(o, key);

	if (json_object_is_type(value, json_type_boolean)) {
		if (json_object_get_boolean(value))
			return "yes";
		return "no";
	}
	if (json_object_is_type(value, json_type_object))
		return words_of(value);
	if (value)
		return json_object_get_string(value);
	return "-";
}

/* Row 0 is the heads. */
static const char *cell(struct json_object *rows, size_t i, const struct kc_column *column)
{
	if (i)
		return kc_json_get(json_object_array_get_idx(rows, i - 1), column->key);
	return column->head;
}

static int larger(int a, int b)
{
	if (a > b)
		return a;
	return b;
}

/*
 * Makes columns that may be cut narrower, but not narrower than their heads, until the lines fit.
 */
static void cut(int width[], const struct kc_column *columns, size_t n, int excess)
{
	for (size_t k = 0; k < n && excess > 0; k++) {
		int before = width[k];

		if (!columns[k].is_cut)
			continue;
		width[k] = larger(before - excess, (int)strlen(columns[k].head));
		excess -= before - width[k];
	}
}

static void set_widths(int width[], const struct kc_column *columns, size_t n,
		       struct json_object *rows)
{
	int total = -SPACE;

	for (size_t k = 0; k < n; k++) {
		width[k] = 0;
		for (size_t i = 0; i <= json_object_array_length(rows); i++)
			width[k] = larger(width[k], (int)strlen(cell(rows, i, &columns[k])));
		total += width[k] + SPACE;
	}
	cut(width, columns, n, total - KC_COLUMNS);
}

static bool is_too_wide(const char *text, int width)
{
	return (int)strlen(text) > width;
}

/* @pad: least columns of a text on the left. */
static void print_cell(FILE *out, const char *text, const struct kc_column *column, int width,
		       int pad)
{
	if (is_too_wide(text, width))
		fprintf(out, "%.*s...", width - 3, text);
	else if (column->is_number)
		fprintf(out, "%*s", width, text);
	else
		fprintf(out, "%-*s", pad, text);
}

/* No line ends in blanks. */
static void print_line(FILE *out, const struct kc_column *columns, size_t n, const int width[],
		       struct json_object *rows, size_t i)
{
	const size_t last = n - 1;

	for (size_t k = 0; k < last; k++) {
		print_cell(out, cell(rows, i, &columns[k]), &columns[k], width[k], width[k]);
		fprintf(out, "%*s", SPACE, "");
	}
	print_cell(out, cell(rows, i, &columns[last]), &columns[last], width[last], 0);
	putc('\n', out);
}

/* Returns the first row with the same text as row @i. */
static size_t first_like(struct json_object *rows, size_t i, const struct kc_column *column)
{
	size_t first = 1;

	while (strcmp(cell(rows, first, column), cell(rows, i, column)) != 0)
		first++;
	return first;
}

/* Prints below the table the texts that were cut in it, each once. */
static void print_whole(FILE *out, const struct kc_column *column, int width,
			struct json_object *rows)
{
	for (size_t i = 1; i <= json_object_array_length(rows); i++) {
		const char *text = cell(rows, i, column), *space = " ";

		if (!is_too_wide(text, width) || first_like(rows, i, column) != i)
			continue;
		if (width + 2 + strlen(text) > KC_COLUMNS)
			space = "\n  ";
		fprintf(out, "%.*s...:%s%s\n", width - 3, text, space, text);
	}
}

void kc_table_print(FILE *out, const struct kc_column *columns, size_t n, struct json_object *rows)
{
	int width[KC_MAX_COLUMNS];

	set_widths(width, columns, n, rows);
	for (size_t i = 0; i <= json_object_array_length(rows); i++)
		print_line(out, columns, n, width, rows, i);
	for (size_t k = 0; k < n; k++)
		print_whole(out, &columns[k], width[k], rows);
}

/* @parents: a line, or NULL. */
static void add_lines(struct json_object *lines, struct json_object *o, struct json_object *parents)
{
	struct json_object *line = json_object_new_array();
	bool is_last = true;

	json_object_array_add(line, json_object_get(o));
	for (size_t i = 0; parents && i < json_object_array_length(parents); i++)
		json_object_array_add(line, json_object_get(json_object_array_get_idx(parents, i)));
	json_object_object_foreach(o, key, value)
	{
		(void)key;
		for (size_t i = 0; json_object_is_type(value, json_type_array) &&
				   i < json_object_array_length(value);
		     i++, is_last = false)
			add_lines(lines, json_object_array_get_idx(value, i), line);
	}
	if (is_last)
		json_object_array_add(lines, line);
	else
		json_object_put(line);
}

struct json_object *kc_table_lines(struct json_object *rows)
{
	struct json_object *lines = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(rows); i++)
		add_lines(lines, json_object_array_get_idx(rows, i), NULL);
	return lines;
}

void kc_json_range(struct json_object *o, const char *from, const char *to)
{
	struct json_object *first = NULL, *last = NULL;
	char text[64];

	json_object_object_get_ex(o, from, &first);
	json_object_object_get_ex(o, to, &last);
	if (!json_object_is_type(first, json_type_int) || !json_object_is_type(last, json_type_int))
		return;
	snprintf(text, sizeof(text), "%s-%s", json_object_get_string(first),
		 json_object_get_string(last));
	json_object_object_add(o, from, json_object_new_string(text));
}

void kc_json_finish(FILE *out, struct json_object *o, bool json)
{
	const int how = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE;

	if (json)
		fprintf(out, "%s\n", json_object_to_json_string_ext(o, how));
	json_object_put(o);
}

static struct json_object *text_of(const char *text)
{
	if (text && *text)
		return json_object_new_string(text);
	return NULL;
}

static struct json_object *real_of(double value)
{
	char text[64];

	if (fabs(value) < 9999.5)
		snprintf(text, sizeof(text), "%.4g", value);
	else
		snprintf(text, sizeof(text), "%.0f", value);
	if (isfinite(value))
		return json_object_new_double_s(value, text);
	return NULL;
}

static struct json_object *size_of(size_t n)
{
	if (n == SIZE_MAX)
		return NULL;
	return json_object_new_int64((int64_t)n);
}

/* @as: the letters after the percent sign. */
static struct json_object *take_member(const char *as, va_list *args)
{
	switch (*as) {
	case 's':
		return text_of(va_arg(*args, const char *));
	case 'g':
		return real_of(va_arg(*args, double));
	case 'd':
		return json_object_new_int64(va_arg(*args, int));
	case 'u':
		return json_object_new_int64(va_arg(*args, unsigned));
	case 'z':
		return size_of(va_arg(*args, size_t));
	case 'j':
		return json_object_new_int64((int64_t)va_arg(*args, uintmax_t));
	case 'h':
		return json_object_new_boolean(va_arg(*args, int));
	default:
		return va_arg(*args, struct json_object *);
	}
}

struct json_object *kc_json(struct json_object *o, const char *members, ...)
{
	char key[64];
	va_list args;

	if (!o)
		o = json_object_new_object();
	va_start(args, members);
	while (*members) {
		size_t len = strcspn(members, "=");

		snprintf(key, sizeof(key), "%.*s", (int)len, members);
		members += len + 2;
		json_object_object_add(o, key, take_member(members, &args));
		members += strcspn(members, " ");
		members += strspn(members, " ");
	}
	va_end(args);
	return o;
}

struct json_object *kc_json_row(struct json_object *array)
{
	struct json_object *o = json_object_new_object();

	json_object_array_add(array, o);
	return o;
}

struct json_object *kc_json_array(struct json_object *o, const char *key)
{
	struct json_object *array = json_object_new_array();

	json_object_object_add(o, key, array);
	return array;
}
