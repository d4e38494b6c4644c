/* SPDX-License-Identifier: Apache-2.0 */
/* Turns counters into objects, and objects into lines of a table. */
#include "cli/stats/count.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/table.h"

#define OF_PROCESS 3 /* columns that say which process a line is of */

static const struct {
	const char *word, *text;
} whys[KC_SOFT_COUNT] = {
	[KC_SOFT_SMALL] = { "short", "software, short" },
	[KC_SOFT_NO_SESSION] = { "no-session", "software, no session" },
	[KC_SOFT_REDONE] = { "done-again", "software, again" },
};

static void add_counts(struct json_object *o, const struct kc_count *requests,
		       const struct kc_count *bytes, const struct kc_count *timed,
		       const struct kc_count *ns)
{
	uint64_t n = kc_count_read(timed);

	kc_json_int(o, "requests", (int64_t)kc_count_read(requests));
	kc_json_int(o, "bytes", (int64_t)kc_count_read(bytes));
	kc_json_real(o, "mean_us", n ? (double)kc_count_read(ns) / (double)n / 1e3 : NAN);
}

static void add_if(struct json_object *to, bool is_worth_it, struct json_object *o)
{
	if (is_worth_it)
		json_object_array_add(to, o);
	else
		json_object_put(o);
}

/* Nothing is added if nothing happened. */
static void add_backend(struct json_object *to, const struct kc_stats_backend *w, const char *name)
{
	struct json_object *o = json_object_new_object(), *errors = json_object_new_object();

	for (unsigned i = 0; i < KC_STATS_ERRORS; i++)
		if (kc_count_read(&w->error[i]))
			kc_json_int(errors, kc_reasons[kc_stats_errors[i]].word,
				    (int64_t)kc_count_read(&w->error[i]));
	kc_json_text(o, "backend", name);
	add_counts(o, &w->requests, &w->bytes, &w->timed, &w->ns);
	kc_json_add(o, "errors", errors);
	add_if(to, kc_count_read(&w->requests) || json_object_object_length(errors), o);
}

static void add_soft(struct json_object *to, const struct kc_stats_soft *s, const char *why)
{
	struct json_object *o = json_object_new_object();

	kc_json_text(o, "reason", why);
	add_counts(o, &s->requests, &s->bytes, &s->timed, &s->ns);
	add_if(to, kc_count_read(&s->requests), o);
}

static void add_row(struct json_object *to, const struct kc_stats_row *row,
		    const struct kc_alg *alg)
{
	struct json_object *o = json_object_new_object(), *kernel, *software;
	char name[KC_ALG_NAME_SIZE];

	kc_alg_name(alg, name, sizeof(name));
	kc_json_text(o, "algorithm", name);
	kernel = kc_json_array(o, "kernel");
	software = kc_json_array(o, "software");
	for (unsigned i = 0; kc_backends[i]; i++)
		add_backend(kernel, &row->backend[i], kc_backends[i]->name);
	for (unsigned i = 0; i < KC_SOFT_COUNT; i++)
		add_soft(software, &row->soft[i], whys[i].word);
	add_if(to, json_object_array_length(kernel) + json_object_array_length(software), o);
}

struct json_object *kc_count_rows(const struct kc_stats *stats)
{
	struct json_object *rows = json_object_new_array();

	for (size_t i = 0; stats && i < KC_ALG_COUNT; i++)
		add_row(rows, &stats->row[i], &kc_algs[i]);
	return rows;
}

static const char *text_of(const char *word)
{
	for (unsigned i = 0; i < KC_SOFT_COUNT; i++)
		if (strcmp(whys[i].word, word) == 0)
			return whys[i].text;
	return word;
}

/* @process, its @row and @part of that, which the kernel or software did; only the first may be. */
static void add_line(struct json_object *lines, struct json_object *process,
		     struct json_object *row, struct json_object *part)
{
	struct json_object *line = json_object_new_array(), *words = json_object_new_object();
	struct json_object *const parts[] = { words, json_object_get(part), json_object_get(row),
					      json_object_get(process) };
	const char *by = kc_json_get(part, "backend"), *why = kc_json_get(part, "reason");
	struct json_object *errors = json_object_object_get(part, "errors");
	char text[128] = "";
	size_t len = 0;

	if (part)
		kc_json_text(words, "by", text_of(*why == '-' ? by : why));
	if (errors) {
		json_object_object_foreach(errors, word, n) len +=
			(size_t)snprintf(text + len, sizeof(text) - len, "%s%s %s", len ? " " : "",
					 word, json_object_get_string(n));
	}
	kc_json_add(words, "errors", json_object_new_string(text));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		json_object_array_add(line, parts[i]);
	json_object_array_add(lines, line);
}

static void add_lines(struct json_object *lines, struct json_object *process,
		      struct json_object *rows)
{
	static const char *const parts[] = { "kernel", "software" };

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		for (unsigned p = 0; p < 2; p++) {
			struct json_object *part = json_object_object_get(row, parts[p]);

			for (size_t k = 0; k < json_object_array_length(part); k++)
				add_line(lines, process, row, json_object_array_get_idx(part, k));
		}
	}
}

static const struct kc_column columns[] = {
	{ .head = "PID", .key = "pid", .is_number = true },
	{ .head = "USER", .key = "user" },
	{ .head = "PROGRAM", .key = "program" },
	{ .head = "ALGORITHM", .key = "algorithm" },
	{ .head = "DONE BY", .key = "by" },
	{ .head = "REQUESTS", .key = "requests", .is_number = true },
	{ .head = "BYTES", .key = "bytes", .is_number = true },
	{ .head = "MEAN us", .key = "mean_us", .is_number = true },
	{ .head = "ERRORS", .key = "errors" },
};

/* Releases @lines. */
static void print(FILE *out, struct json_object *lines, size_t first)
{
	if (json_object_array_length(lines))
		kc_table_print(out, columns + first, sizeof(columns) / sizeof(*columns) - first,
			       lines);
	json_object_put(lines);
}

void kc_count_print(FILE *out, struct json_object *rows)
{
	struct json_object *lines = json_object_new_array();

	add_lines(lines, NULL, rows);
	print(out, lines, OF_PROCESS);
}

void kc_count_print_processes(FILE *out, struct json_object *processes)
{
	struct json_object *lines = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(processes); i++) {
		struct json_object *process = json_object_array_get_idx(processes, i);
		struct json_object *rows = json_object_object_get(process, "algorithms");

		add_lines(lines, process, rows);
		if (!json_object_array_length(rows))
			add_line(lines, process, NULL, NULL);
	}
	print(out, lines, 0);
}
