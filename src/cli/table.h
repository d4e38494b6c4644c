/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables and JSON from one description: the rows are JSON objects, or arrays of them, and a table
 * of columns says which keys a person sees, and how. --json prints the same objects.
 */
#ifndef KC_CLI_TABLE_H
#define KC_CLI_TABLE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

#define KC_MAX_COLUMNS 20

struct kc_column {
	const char *head;
	const char *key; /* of the row's value; booleans become yes and no, null a dash */
	bool is_number;	 /* aligned right */
	bool is_cut;	 /* cut if the line is longer than KC_COLUMNS; printed whole below */
};

/*
 * Prints the array @rows as a table with a line of heads. Each column is as wide as its longest
 * cell.
 */
void kc_table_print(FILE *out, const struct kc_column *columns, size_t n, struct json_object *rows);

/*
 * Returns an array of lines for a table of nested @rows: an object with arrays of objects is
 * replaced by these objects, each with its own members and its parents'. The caller releases the
 * array.
 */
struct json_object *kc_table_lines(struct json_object *rows);

/* For people: if @o has the lengths @from and @to, the text "FROM-TO" replaces the first. */
void kc_json_range(struct json_object *o, const char *from, const char *to);

/* Prints @o as JSON over several lines, if @json. Releases it. */
void kc_json_finish(FILE *out, struct json_object *o, bool json);

/*
 * Adds members to @o, or to a new object if @o is NULL, and returns it: "name=%s bytes=%zu". null
 * stands for a text that is empty or NULL, for a real number (%g, printed with four significant
 * digits) that is not finite, and for SIZE_MAX. %hhd is a boolean; %p is an object or array, which
 * @o then owns.
 */
__attribute__((format(printf, 2, 3))) struct json_object *kc_json(struct json_object *o,
								  const char *members, ...);

/* Adds an empty object to the end of @array, and returns it. */
struct json_object *kc_json_row(struct json_object *array);

/* Adds an empty array to @o, and returns it. */
struct json_object *kc_json_array(struct json_object *o, const char *key);

/*
 * Returns a member's text, or "-" if it is null or absent. If @o is an array of objects, the first
 * that has the member counts.
 */
const char *kc_json_get(const struct json_object *o, const char *key);

#endif
