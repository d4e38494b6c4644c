/* SPDX-License-Identifier: Apache-2.0 */
/* Counters as JSON, and as a table made from that. */
#include "cli/stats/rows.h"

#include <math.h>

#include "cli/table.h"
#include "core/reason.h"

#define OF_PROCESS 3 /* columns that say which process a line is about */

static const struct {
	const char *word, *text;
} whys[KC_SOFT_COUNT] = {
	[KC_SOFT_SMALL] = { "below-threshold", "software, below threshold" },
	[KC_SOFT_NO_SESSION] = { "no-session", "software, no session" },
	[KC_SOFT_REDONE] = { "done-again", "software, again" },
};

static void add_counts(struct json_object *o, const struct kc_stats_work *w)
{
	uint64_t n = kc_count_read(&w->timed);
	double mean_us = NAN;

	if (n)
		mean_us = (double)kc_count_read(&w->ns) / (double)n / 1e3;
	kc_json(o, "requests=%ju bytes=%ju mean_us=%g", kc_count_read(&w->requests),
		kc_count_read(&w->bytes), mean_us);
}

/* Adds nothing if nothing happened. */
static void add_backend(struct json_object *to, const struct kc_stats_backend *w, const char *name)
{
	struct json_object *errors = json_object_new_object();

	for (unsigned i = 0; i < KC_STATS_ERRORS; i++)
		if (kc_count_read(&w->error[i]))
			json_object_object_add(
				errors, kc_reasons[kc_stats_reasons[i]].word,
				json_object_new_int64((int64_t)kc_count_read(&w->error[i])));
	if (kc_count_read(&w->work.requests) || json_object_object_length(errors))
		add_counts(kc_json(kc_json_row(to), "backend=%s by=%s errors=%p", name, name,
				   json_object_get(errors)),
			   &w->work);
	json_object_put(errors);
}

static void add_counted(struct json_object *to, const struct kc_stats_row *row,
			const struct kc_alg *alg)
{
	struct json_object *o = kc_json(NULL, "algorithm=%s", kc_alg_name(alg));
	struct json_object *kernel = kc_json_array(o, "kernel");
	struct json_object *software = kc_json_array(o, "software");

	for (unsigned i = 0; kc_backends[i]; i++)
		add_backend(kernel, &row->backend[i], kc_backends[i]->names[0]);
	for (unsigned i = 0; i < KC_SOFT_COUNT; i++)
		if (kc_count_read(&row->soft[i].requests))
			add_counts(kc_json(kc_json_row(software), "reason=%s by=%s", whys[i].word,
					   whys[i].text),
				   &row->soft[i]);
	if (json_object_array_length(kernel) + json_object_array_length(software))
		json_object_array_add(to, o);
	else
		json_object_put(o);
}

struct json_object *kc_count_rows(const struct kc_stats *stats)
{
	struct json_object *rows = json_object_new_array();

	for (size_t i = 0; stats && i < KC_ALG_COUNT; i++)
		add_counted(rows, &stats->row[i], &kc_algs[i]);
	return rows;
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

void kc_count_print(FILE *out, struct json_object *rows, bool has_processes)
{
	struct json_object *lines = kc_table_lines(rows);
	size_t first = has_processes ? 0 : OF_PROCESS;

	if (json_object_array_length(lines))
		kc_table_print(out, columns + first, sizeof(columns) / sizeof(*columns) - first,
			       lines);
	json_object_put(lines);
}
