/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output from one description: the rows are JSON objects, or arrays of them, and a table of columns
 * says which of their keys a person sees, and how. What --json prints is the same objects.
 */
#ifndef KC_CLI_TABLE_H
#define KC_CLI_TABLE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

#define KC_MAX_COLUMNS 20

struct kc_column {
	const char *head;
	const char *key; /* of the row's value; booleans become yes and no, nothing a dash */
	bool is_number;	 /* aligned right */
	bool is_cut;	 /* gives way if the line would be longer than KC_COLUMNS; whole below */
};

/*
 * Prints the array @rows as a table whose columns are as wide as their longest cell, after a line
 * of heads.
 */
void kc_table_print(FILE *out, const struct kc_column *columns, size_t n, struct json_object *rows);

/*
 * Returns an array of lines for a table of nested @rows: an object with arrays of objects stands
 * for those, each with its own members and its parents'. The caller releases it.
 */
struct json_object *kc_table_lines(struct json_object *rows);

/*
 * For people: if @o has the lengths @from and @to, the text "FROM-TO" takes the place of the first.
 */
void kc_json_range(struct json_object *o, const char *from, const char *to);

/* Prints it as JSON, over several lines, if @json. Releases it. */
void kc_json_finish(FILE *out, struct json_object *o, bool json);

/*
 * Adds members to @o, or to a new object if that is NULL, and returns it: "name=%s bytes=%zu". A
 * text that is empty or NULL is null, like a real number (%g, printed with four significant digits)
 * that is not finite, and SIZE_MAX. %hhd is a boolean, %p an object or array, which from then on is
 * @o's.
 */
__attribute__((format(printf, 2, 3))) struct json_object *kc_json(struct json_object *o,
								  const char *members, ...);

/* Adds an empty object at the end of @array and returns it. */
struct json_object *kc_json_row(struct json_object *array);

/* Adds an empty array and returns it. */
struct json_object *kc_json_array(struct json_object *o, const char *key);

/*
 * Returns a member's text, or "-" if it is null or absent. @o may be an array of objects: the first
 * one that has it.
 */
const char *kc_json_get(struct json_object *o, const char *key);

#endif
